import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { commandLine, createCommandTemplate } from '../../parsing/shell-word.ts';
import type { Changes } from '../change.ts';
import { isJobHeader, type JobHeader } from './record.ts';

/** Which service a job is for, so that it is never gone on with at another. */

type JobDestination = Pick<JobHeader, 'profile' | 'origin' | 'workspace_id' | 'flags'>;

const getOrigin = ({ settings: { embedded, baseUrl } }: Context): string => {
  if (embedded) return 'embedded';
  return baseUrl === undefined ? 'none' : new URL(baseUrl.value).origin;
};

export const readDestination = async (context: Context): Promise<JobDestination> => {
  const { profile, workspace } = context.settings;
  const workspaceId = (await context.knownWorkspaceId()) ?? null;
  const named = profile.from === 'flag' || profile.from === 'environment';
  return {
    profile: profile.value,
    origin: getOrigin(context),
    workspace_id: workspaceId,
    flags: [
      ...(named ? ['--profile', profile.value] : []),
      ...(workspace?.from === 'flag' ? ['--workspace', String(workspaceId)] : []),
    ],
  };
};

export const formatResumeCommand = ({ id, flags }: Pick<JobHeader, 'id' | 'flags'>): string => {
  const commandLine = createCommandTemplate(flags);
  return commandLine`ttctl jobs resume ${id}`;
};

/** The command line of an operation for the rows of a file, at the job's service. */
export const formatFromFileCommand = (
  { flags }: Pick<JobHeader, 'flags'>,
  operation: string,
  file: string,
): string => {
  const commandLine = createCommandTemplate(flags);
  return commandLine`ttctl ${operation.split('.')} --from-file ${file}`;
};

const findFlag = ({ flags }: Pick<JobHeader, 'flags'>, name: string): readonly string[] => {
  const at = flags.indexOf(name);
  return at < 0 ? [] : flags.slice(at, at + 2);
};

/** @param name of what is gone on with, or taken back @param words of the command that does so */
export const checkJobDestination = async (
  context: Context,
  head: JobHeader,
  name: string,
  words: readonly string[],
): Promise<void> => {
  const line = (flags: readonly string[]): string => createCommandTemplate(flags)`ttctl ${words}`;
  const current = await readDestination(context);
  const createMismatch = (what: string, was: unknown, is: unknown, hint: string): UsageError =>
    new UsageError(`${name} is for another ${what}`, {
      code: 'other_place',
      reason: `It was started for ${what} ${was}; this is ${what} ${is ?? 'none'}.`,
      hint,
    });
  if (current.profile !== head.profile) {
    const flags = ['--profile', head.profile, ...findFlag(head, '--workspace')];
    const hint = `Pass it: ${line(flags)}`;
    throw createMismatch('profile', head.profile, current.profile, hint);
  }
  if (current.origin !== head.origin) {
    const hint = `The profile now points elsewhere. See ${context.commandLine`ttctl profile show`}`;
    throw createMismatch('service', head.origin, current.origin, hint);
  }
  if (toText(current.workspace_id) !== toText(head.workspace_id)) {
    const flags = [...findFlag(current, '--profile'), '--workspace', toText(head.workspace_id)];
    const hint = `Pass it: ${line(flags)}`;
    throw createMismatch('workspace', head.workspace_id, current.workspace_id, hint);
  }
};

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
