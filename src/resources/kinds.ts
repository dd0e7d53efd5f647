/** Resources that people name on a command line, and the operation that lists each. */
const LISTS = {
  member: 'members.list',
  viewer: 'viewers.list',
  project: 'projects.list',
  contract: 'contracts.list',
  task: 'tasks.list',
  timesheet: 'timesheets.list',
  leave: 'leaves.list',
  policy: 'leaves.policies',
  'time-request': 'time-requests.list',
  expense: 'expenses.list',
  category: 'expenses.categories',
  webhook: 'webhooks.list',
  workspace: 'workspaces.list',
} as const;

export type Kind = keyof typeof LISTS;
export const KINDS = Object.keys(LISTS) as readonly Kind[];

const nounOf = (id: string): string => id.split('.')[0] ?? '';

/** Which kind of record an operation is about, by its id. */
export const kindOfOperation = (id: string): Kind | undefined =>
  KINDS.find((kind) => LISTS[kind] === id) ?? kindOfNoun(nounOf(id));

/** `timesheet` of `timesheets`. */
export const kindOfNoun = (noun: string): Kind | undefined =>
  KINDS.find((kind) => LISTS[kind] === `${noun}.list`);
