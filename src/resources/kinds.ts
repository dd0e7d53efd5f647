/** Resources that people name on a command line: the operation that lists them, and the field that has their name. */
const INDEX = {
  member: { list: 'members.list', namedBy: 'email' },
  viewer: { list: 'viewers.list', namedBy: 'email' },
  project: { list: 'projects.list', namedBy: 'name' },
  contract: { list: 'contracts.list' },
  task: { list: 'tasks.list' },
  timesheet: { list: 'timesheets.list' },
  leave: { list: 'leaves.list' },
  policy: { list: 'leaves.policies', namedBy: 'name' },
  'time-request': { list: 'time-requests.list' },
  expense: { list: 'expenses.list' },
  category: { list: 'expenses.categories', namedBy: 'name' },
  webhook: { list: 'webhooks.list' },
  workspace: { list: 'workspaces.list', namedBy: 'workspace_name' },
} as const;

interface Facts {
  readonly list: string;
  readonly namedBy?: 'email' | 'name' | 'workspace_name';
}

export type Kind = keyof typeof INDEX;
export const KINDS = Object.keys(INDEX) as readonly Kind[];

/** Kinds that a name or an address is looked up for; a workspace is found before all others. */
export type Lookup = Exclude<
  { readonly [K in Kind]: (typeof INDEX)[K] extends { readonly namedBy: string } ? K : never }[Kind],
  'workspace'
>;

const factsOf = (kind: Kind): Facts => INDEX[kind];

/** The field that people write in place of the id; undefined where only the id names a record. */
export const nameFieldOf = (kind: Kind): string | undefined => factsOf(kind).namedBy;

export const isLookup = (kind: Kind): kind is Lookup =>
  kind !== 'workspace' && nameFieldOf(kind) !== undefined;

/** What is named by an e-mail address. */
export const PEOPLE: ReadonlySet<string> = new Set(KINDS.filter((kind) => nameFieldOf(kind) === 'email'));

/** `leaves policies`, the command that lists the records of a kind. */
export const listCommandOf = (kind: Kind): string => factsOf(kind).list.replace('.', ' ');

const nounOf = (id: string): string => id.split('.')[0] ?? '';

/** Which kind of record an operation is about, by its id. */
export const kindOfOperation = (id: string): Kind | undefined =>
  KINDS.find((kind) => factsOf(kind).list === id) ?? kindOfNoun(nounOf(id));

/** `timesheet` of `timesheets`. */
export const kindOfNoun = (noun: string): Kind | undefined =>
  KINDS.find((kind) => factsOf(kind).list === `${noun}.list`);
