import { type Command, getParentName } from '../../cli/command.ts';
import { isFlag } from '../../cli/flag.ts';
import type { MissingInput } from '../../commands/needs.ts';
import { contract } from '../../resources/contract.ts';
import { expense } from '../../resources/expense.ts';
import { expenseCategory } from '../../resources/expense-category.ts';
import { findKindOfNoun } from '../../resources/kinds.ts';
import { leave } from '../../resources/leave.ts';
import { leavePolicy } from '../../resources/leave-policy.ts';
import { member } from '../../resources/member.ts';
import { project } from '../../resources/project.ts';
import { task } from '../../resources/task.ts';
import { timeRequest } from '../../resources/time-request.ts';
import { timesheet } from '../../resources/timesheet.ts';
import { viewer } from '../../resources/viewer.ts';
import { webhook } from '../../resources/webhook.ts';
import { workspace } from '../../resources/workspace.ts';

/** Which kind of record a missing value names. */

/** One and many, as they are said. */
export const PICKABLE_WORDS = {
  assignee: member.words,
  category: expenseCategory.words,
  colleague: member.words,
  contract: contract.words,
  expense: expense.words,
  job: ['job', 'jobs'],
  leave: leave.words,
  member: member.words,
  policy: leavePolicy.words,
  profile: ['profile', 'profiles'],
  project: project.words,
  received: ['delivery', 'deliveries'],
  sent: ['delivery', 'deliveries'],
  task: task.words,
  'time-request': timeRequest.words,
  timesheet: timesheet.words,
  viewer: viewer.words,
  webhook: webhook.words,
  workspace: workspace.words,
} as const satisfies Readonly<Record<string, readonly [one: string, many: string]>>;

export type PickableKind = keyof typeof PICKABLE_WORDS;

const isKind = (word: string | undefined): word is PickableKind =>
  word !== undefined && Object.hasOwn(PICKABLE_WORDS, word);

const KIND_BY_PARAMETER: Readonly<Record<string, PickableKind>> = {
  contract_id: 'contract',
  task_id: 'task',
};

/** `undefined`: it is no record but a value. */
export const findPickableKind = (
  command: Command,
  { source, binding }: MissingInput,
): PickableKind | undefined => {
  const { needed, name } = source;
  if (isFlag(source) || binding !== undefined || needed !== undefined) {
    return [binding?.lookup, KIND_BY_PARAMETER[binding?.name ?? ''], needed?.kind].find(isKind);
  }
  // A noun below a noun: the webhooks of the sandbox have deliveries.
  if (command.path.split(' ').length > 2) return name === 'delivery' ? 'sent' : undefined;
  const kind =
    name === 'id' && command.operation !== undefined ? findKindOfNoun(getParentName(command)) : name;
  return isKind(kind) ? kind : undefined;
};
