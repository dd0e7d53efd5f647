import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Changes } from '../change.ts';
import { readDestination } from './destination.ts';
import { isJobHeader, type JobHeader } from './record.ts';

/** The latest job that sent the same rows with the same command to the same place; `undefined`: none that is kept. */
export const findEarlierJob = async (
  context: Context,
  verb: Changes['verb'],
  input: Changes['input'],
): Promise<JobHeader | undefined> => {
  if (input === undefined) return undefined;
  const heads = (await context.jobs()).heads().filter(isJobHeader);
  const same = heads.filter((head) => head.input?.sha256 === input.sha256 && head.verb[0] === verb[0]);
  if (same.length === 0) return undefined;
  const { profile, origin, workspace_id } = await readDestination(context);
  return same
    .filter(
      (head) =>
        head.profile === profile &&
        head.origin === origin &&
        toText(head.workspace_id) === toText(workspace_id),
    )
    .at(-1);
};

/** `the same rows were sent on 2026-11-21 at 16:18 UTC already: ttctl jobs show …` */
export const describeEarlierJob = ({ id, started_at }: JobHeader): string => {
  const [day, time = ''] = started_at.split('T');
  return `the same rows were already sent on ${day} at ${time.slice(0, 5)} UTC: ${commandLine`ttctl jobs show ${id}`}`;
};
