import { isRecord, toNumber, toText } from '../json.ts';

/** The fields of the service's records, each declared once, and how people are shown one, in a table or beside others. */

export interface Field {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly format?: 'uri' | 'date-time';
  readonly items?: Field;
  readonly fields?: Fields;
  /** Heading; default: the name in words. */
  readonly title?: string;
  /** `number` is set to the right, `secret` is not shown whole. */
  readonly kind?: 'number' | 'hours' | 'money' | 'date' | 'time' | 'state' | 'list' | 'secret' | 'address';
  /** For the service's numbers; the formats for programs give the number. */
  readonly words?: Readonly<Record<string, number>>;
  /** All words that the service has for it, those that nobody can set among them. */
  readonly values?: readonly string[];
  /** By value: what tables show for it, where that is not the value in words. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** By the API's names, in the documented order. */
export type Fields = Readonly<Record<string, Field>>;

export const text: Field = { type: 'string' };
export const uri: Field = { type: 'string', format: 'uri' };
export const date: Field = { type: 'string', kind: 'date' };
export const datetime: Field = { type: 'string', format: 'date-time', kind: 'time' };
export const integer: Field = { type: 'integer' };
export const number: Field = { type: 'number' };
export const money: Field = { ...number, kind: 'money' };
export const boolean: Field = { type: 'boolean' };
export const state: Field = { ...text, kind: 'state' };

export function object(fields: Fields): Field {
  return { type: 'object', fields };
}

export function arrayOf(items: Field): Field {
  return { type: 'array', items, kind: 'list' };
}

export function each<const N extends string>(field: Field, ...names: N[]) {
  return Object.fromEntries(names.map((name) => [name, field])) as Record<N, Field>;
}

export const person = {
  email: text,
  firstname: { ...text, title: 'first name' },
  lastname: { ...text, title: 'last name' },
} as const;
export const timestamps = {
  created_at: { ...datetime, title: 'created' },
  updated_at: { ...datetime, title: 'updated' },
  deleted_at: { ...datetime, title: 'archived' },
} as const;

export interface RecordFacts {
  /** Of its commands, and the begin of the ids of its operations: `time-requests`. */
  readonly noun: string;
  /** The verb of the operation that lists them. Default: `list`. */
  readonly listedBy?: string;
  /** The field that people write in place of the id; absent where only the id names a record. */
  readonly namedBy?: 'email' | 'name' | 'workspace_name';
  /** One and many: `['time request', 'time requests']`. */
  readonly words: readonly [one: string, many: string];
  readonly fields: Fields;
  readonly states?: readonly string[];
  /** Another word of the service for a state. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Parameters of its writes that its records show under another name: `role` as `current_role`. */
  readonly shownAs?: Readonly<Record<string, string>>;
  /** By the field: its words for the values of the parameter that sets it. */
  readonly written?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What whoever decides on a record, or changes it, rests on beside the fields that change. Default: its status. */
  readonly decisive?: readonly string[];
}

export type Row = Readonly<Record<string, unknown>>;

/** Fields of a record, as far as it has them, in this order. */
export function selectFields(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]),
  );
}

export function filterFields(row: Row, isWanted: (name: string) => boolean): Row {
  return selectFields(row, Object.keys(row).filter(isWanted));
}

/** A status in lower case, as all states are written here; `''` where it is no text. */
export function toState(status: unknown): string {
  return typeof status === 'string' ? status.toLowerCase() : '';
}

/** Whether a record is in a state, whatever the service calls it, in whatever case. */
export function isInState(
  resource: Pick<RecordFacts, 'states' | 'aliases'>,
  { status }: Row,
  state: string,
): boolean {
  return [state, resource.aliases?.[state]].includes(toState(status));
}

/** The state that a record is in; undefined where it says none that is known. */
export function findState(resource: Pick<RecordFacts, 'states' | 'aliases'>, row: Row): string | undefined {
  return resource.states?.find((state) => isInState(resource, row, state));
}

/** What a resource is said to be after a soft delete, which no `status` says. */
export const ARCHIVED = 'archived';

export const RESTORED = 'restored';

export function isArchived(row: Row): boolean {
  return row.deleted_at != null;
}

export const PENDING = 'pending' as const;
export const SUBMITTED = 'submitted' as const;
export const APPROVED = 'approved' as const;
export const REJECTED = 'rejected' as const;

/** Of leave requests and time requests: they wait for one decision. */
export const decisionStates = [PENDING, APPROVED, REJECTED] as const;

/** The word for a number of the service; one that has none stays as it is. */
export function toWord(words: Readonly<Record<string, number>>, value: unknown): unknown {
  return Object.keys(words).find((word) => toNumber(value) === words[word]) ?? value;
}

/** A value as conditions compare it: of the type of its field, a state in lower case. */
export function toTypedValue({ type, kind, fields }: Field, value: unknown): unknown {
  if (fields !== undefined && isRecord(value)) return toTyped(fields, value);
  if (type === 'string' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  if (kind === 'state') return value.toLowerCase();
  const number = type === 'number' || type === 'integer' ? toNumber(value) : Number.NaN;
  return Number.isNaN(number) ? value : number;
}

/** A record as conditions compare it, however the service writes it. */
export function toTyped(fields: Fields, row: Row): Row {
  const typed: Record<string, unknown> = { ...row };
  for (const [name, field] of Object.entries(fields))
    if (Object.hasOwn(row, name)) typed[name] = toTypedValue(field, row[name]);
  return typed;
}

/** The user behind one of many: the service gives objects or bare ids (docs/service.md, Tasks). */
export function userOf(one: unknown): unknown {
  return isRecord(one) ? (one.user_id ?? one.id) : one;
}

/** The kinds of records that are named by an e-mail address. */
export const PEOPLE: ReadonlySet<string> = new Set(['member', 'viewer']);

/** First and last name, else the e-mail address; `undefined` where the record has none of them. */
export function formatPersonName(row: Row, prefix = ''): string | undefined {
  const [first, last, email] = ['firstname', 'lastname', 'email'].map((name) => row[`${prefix}${name}`]);
  const name = [first, last]
    .filter((part) => part != null)
    .map(toText)
    .join(' ');
  return name.trim() || (email == null ? undefined : toText(email));
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
