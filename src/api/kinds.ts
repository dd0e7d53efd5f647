import { toText } from '../json.ts';

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

interface IndexEntry {
  readonly list: string;
  readonly namedBy?: 'email' | 'name' | 'workspace_name';
}

export type RecordKind = keyof typeof INDEX;
export const RECORD_KINDS = Object.keys(INDEX) as readonly RecordKind[];

/** Kinds that a name or an address is looked up for; a workspace is found before all others. */
export type NamedKind = Exclude<
  {
    readonly [K in RecordKind]: (typeof INDEX)[K] extends { readonly namedBy: string } ? K : never;
  }[RecordKind],
  'workspace'
>;

function getEntry(kind: RecordKind): IndexEntry {
  return INDEX[kind];
}

/** The field that people write in place of the id; undefined where only the id names a record. */
export function getNameField(kind: RecordKind): string | undefined {
  return getEntry(kind).namedBy;
}

export function isNamedKind(kind: RecordKind): kind is NamedKind {
  return kind !== 'workspace' && getNameField(kind) !== undefined;
}

/** What is named by an e-mail address. */
export const PEOPLE: ReadonlySet<string> = new Set(
  RECORD_KINDS.filter((kind) => getNameField(kind) === 'email'),
);

export const NAMED_KINDS: readonly NamedKind[] = RECORD_KINDS.filter(isNamedKind);

/** The operation that lists the records of a kind, by its id. */
export function getListOperation(kind: RecordKind): string {
  return getEntry(kind).list;
}

/** `leaves policies`, the command that lists the records of a kind. */
export function getListCommand(kind: RecordKind): string {
  return getListOperation(kind).replace('.', ' ');
}

function getNoun(id: string): string {
  return id.split('.')[0] ?? '';
}

/** `members`, `categories`. */
export function getPlural(kind: RecordKind): string {
  const { list } = getEntry(kind);
  return getNoun(list.endsWith('.list') ? list : list.replace(/^.*\./, ''));
}

/** Which kind of record an operation is about, by its id. */
export function findKindOfOperation(id: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => getEntry(kind).list === id) ?? findKindOfNoun(getNoun(id));
}

/** `timesheet` of `timesheets`. */
export function findKindOfNoun(noun: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => getEntry(kind).list === `${noun}.list`);
}

/** First and last name, else the e-mail address; `undefined` where the record has none of them. */
export function formatPersonName(row: Readonly<Record<string, unknown>>, prefix = ''): string | undefined {
  const parts = [row[`${prefix}firstname`], row[`${prefix}lastname`]].filter((part) => part != null);
  const email = row[`${prefix}email`];
  return parts.map(toText).join(' ').trim() || (email == null ? undefined : toText(email));
}

/** What people call a record: its name; of a person first and last name, else the e-mail address, else the id. */
export function formatRecordName(kind: RecordKind, row: Readonly<Record<string, unknown>>): string {
  return PEOPLE.has(kind)
    ? (formatPersonName(row) ?? toText(row['id']))
    : toText(row[getNameField(kind) ?? 'id']);
}

/** The names of these people; of those who have the same one, with their ids. */
export function createNamer(people: Iterable<{ readonly id: unknown; readonly name: unknown }>) {
  const idsByName = new Map<string, Set<string>>();
  for (const { id, name } of people) {
    if (name == null) continue;
    const ids = idsByName.get(toText(name)) ?? new Set();
    idsByName.set(toText(name), ids.add(toText(id)));
  }
  return (id: unknown, name: unknown): string => {
    const text = toText(name ?? id ?? '?');
    return id != null && (idsByName.get(text)?.size ?? 0) > 1 ? `${text} (${toText(id)})` : text;
  };
}
