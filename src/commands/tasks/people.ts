import type { ApiCall } from '../../api/client.ts';
import type { WriteMany } from '../../changes/change.ts';
import { writeMany } from '../../changes/write.ts';
import type { InputColumns } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { member as memberResource } from '../../resources/member.ts';

/** One task and the members who are put on it or taken off it: a request for each member. */

/** @param kind of record that is picked where none is named */
export const memberFlag = (about: string, kind: 'colleague' | 'assignee') =>
  ({
    name: 'member',
    value: 'member',
    about: `${about} (id or e-mail); repeat it, separate with commas, or use - to read from stdin; required`,
    repeatable: true,
    needed: { kind },
  }) as const satisfies Flag;

/** A row of a file puts one member on one task, so it names both. */
export const peopleColumns: InputColumns = { target: ['member', 'email'], plain: ['task'] };

interface Ids {
  readonly taskId: string;
  readonly userId: string;
}

interface Move<V> {
  readonly verb: WriteMany['verb'];
  /** As the command line names it; a row of a file may name its own. */
  readonly task: string | undefined;
  readonly values: V;
  readonly options: Readonly<Record<string, unknown>>;
  readonly call: (ids: Ids, values: V) => ApiCall;
}

const membersOf = ({ member }: Readonly<Record<string, unknown>>): readonly string[] =>
  (Array.isArray(member) ? member : [])
    .flatMap((text) => String(text).split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

const missing = (what: string): UsageError => new UsageError(`missing ${what}`, { code: 'missing_value' });

/** Carries the move out; the targets of the results are the members as they were written. */
export const changeAssignees = async <V extends { readonly project_id?: unknown }>(
  context: Context,
  { verb, task: named, values, options, call }: Move<V>,
): Promise<void> => {
  const targets = membersOf(options);
  const file = context.inputFile !== undefined;
  if (!file && named === undefined) throw missing('<task>');
  if (!file && targets.length === 0) throw missing('--member');
  const { project_id: project } = values;
  const work: WriteMany<V & { readonly task?: string }> = {
    targets,
    values,
    verb,
    noun: memberResource.words,
    facts: [
      ...(project === undefined ? [] : [`project    ${project}`]),
      ...(named === undefined ? [] : [`task       ${named}`]),
    ],
    resolve: (target) => context.lookUps.find('member', target),
    call(userId, { task, ...row }) {
      const taskId = task ?? named;
      if (taskId === undefined) throw missing('task');
      return call({ taskId, userId }, row as unknown as V);
    },
    hint: () =>
      `See the assignees: ${context.commandLine`ttctl tasks assignees ${named ?? placeholder('task')} --project ${project ?? placeholder('project')}`}`,
  };
  await writeMany(context, options, work);
};
