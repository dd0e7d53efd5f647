import type { ApiCall } from '../../api/client.ts';
import type { WriteMany } from '../../changes/change.ts';
import { writeMany } from '../../changes/write.ts';
import type { InputColumns } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { createNameColumn } from '../../resources/display/columns.ts';
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

interface AssigneeIds {
  readonly taskId: string;
  readonly userId: string;
}

interface AssigneeChange<V> {
  readonly verb: WriteMany['verb'];
  /** As the command line names it; a row of a file may name its own. */
  readonly task: string | undefined;
  readonly values: V;
  readonly options: Readonly<Record<string, unknown>>;
  readonly call: (ids: AssigneeIds, values: V) => ApiCall;
}

const splitMembers = ({ member }: Readonly<Record<string, unknown>>): readonly string[] =>
  (Array.isArray(member) ? member : [])
    .flatMap((text) => String(text).split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

const createMissingError = (name: string): UsageError =>
  new UsageError(`missing ${name}`, { code: 'missing_value' });

/** Runs the change; the targets of the results are the members as they were written. */
export const changeAssignees = async <V extends { readonly project_id?: unknown }>(
  context: Context,
  { verb, task: taskArgument, values, options, call }: AssigneeChange<V>,
): Promise<void> => {
  const targets = splitMembers(options);
  const hasInputFile = context.inputFile !== undefined;
  if (!hasInputFile && taskArgument === undefined) throw createMissingError('<task>');
  if (!hasInputFile && targets.length === 0) throw createMissingError('--member');
  const { project_id: project } = values;
  const bulkWrite: WriteMany<V & { readonly task?: string }> = {
    targets,
    values,
    verb,
    noun: memberResource.words,
    facts: [
      ...(project === undefined ? [] : [`project    ${project}`]),
      ...(taskArgument === undefined ? [] : [`task       ${taskArgument}`]),
    ],
    resolve: (target, among) => context.lookUps.find('member', target, among),
    shown: { columns: [createNameColumn(context.names.member, 'user_id', 'member')] },
    call(userId, { task, ...row }) {
      const taskId = task ?? taskArgument;
      if (taskId === undefined) throw createMissingError('task');
      return call({ taskId, userId }, row as unknown as V);
    },
    hint: () =>
      `See the assignees: ${context.commandLine`ttctl tasks assignees ${taskArgument ?? placeholder('task')} --project ${project ?? placeholder('project')}`}`,
  };
  await writeMany(context, options, bulkWrite);
};
