import { type Command, parentName } from '../cli/command.ts';
import { isFlag } from '../cli/flag.ts';
import type { Missing } from '../commands/needs.ts';

/** Which kind of record a missing value names. */

export type Kind =
  | 'assignee'
  | 'category'
  | 'colleague'
  | 'contract'
  | 'expense'
  | 'job'
  | 'leave'
  | 'member'
  | 'policy'
  | 'profile'
  | 'project'
  | 'received'
  | 'sent'
  | 'task'
  | 'time-request'
  | 'timesheet'
  | 'viewer'
  | 'webhook'
  | 'workspace';

/** One and many, as they are said. */
export const WORDS: Readonly<Record<Kind, readonly [string, string]>> = {
  assignee: ['member', 'members'],
  category: ['expense category', 'expense categories'],
  colleague: ['member', 'members'],
  contract: ['contract', 'contracts'],
  expense: ['expense', 'expenses'],
  job: ['job', 'jobs'],
  leave: ['leave request', 'leave requests'],
  member: ['member', 'members'],
  policy: ['leave policy', 'leave policies'],
  profile: ['profile', 'profiles'],
  project: ['project', 'projects'],
  received: ['delivery', 'deliveries'],
  sent: ['delivery', 'deliveries'],
  task: ['task', 'tasks'],
  'time-request': ['time request', 'time requests'],
  timesheet: ['timesheet', 'timesheets'],
  viewer: ['viewer', 'viewers'],
  webhook: ['webhook', 'webhooks'],
  workspace: ['workspace', 'workspaces'],
};

const isKind = (word: string | undefined): word is Kind => word !== undefined && Object.hasOwn(WORDS, word);

/** What `<id>` means below a noun. */
const OF_NOUN: Readonly<Record<string, Kind>> = {
  timesheets: 'timesheet',
  leaves: 'leave',
  'time-requests': 'time-request',
  expenses: 'expense',
  webhooks: 'webhook',
};

const OF_PARAMETER: Readonly<Record<string, Kind>> = { contract_id: 'contract', task_id: 'task' };

/** `undefined`: it is no record but a value. */
export const kindOf = (command: Command, { source, binding }: Missing): Kind | undefined => {
  const { needed, name } = source;
  if (isFlag(source) || binding !== undefined || needed !== undefined) {
    return [binding?.lookup, OF_PARAMETER[binding?.name ?? ''], needed?.kind].find(isKind);
  }
  // A noun below a noun: the webhooks of the sandbox have deliveries.
  if (command.path.split(' ').length > 2) return name === 'delivery' ? 'sent' : undefined;
  const kind = name === 'id' && command.operation !== undefined ? OF_NOUN[parentName(command)] : name;
  return isKind(kind) ? kind : undefined;
};
