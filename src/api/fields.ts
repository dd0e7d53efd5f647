import { isRecord, toNumber } from '../json.ts';

/**
 * The fields of the service's records: each is declared once, its type and its JSON Schema come from the declaration.
 * Below every other layer.
 */

interface Shape {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly format?: 'email' | 'uri' | 'date' | 'date-time';
  readonly items?: Field;
  readonly fields?: Fields;
}

/** How people are shown a field, in a table or beside others of its record. */
interface Display {
  /** Heading; default: the name in words. */
  readonly title?: string;
  /** `number` is set to the right, `secret` is not shown whole. */
  readonly kind?: 'number' | 'hours' | 'money' | 'date' | 'time' | 'state' | 'list' | 'secret' | 'address';
  /** For the service's numbers; the formats for programs give the number. */
  readonly words?: Readonly<Record<string, number>>;
  /** All words that the service has for it, those that nobody can set among them. */
  readonly values?: readonly string[];
}

/** `T` is the type of its value; there is nothing of it at run time. */
export interface Field<T = unknown> extends Shape, Display {
  readonly value?: T;
}

/** By the API's names, in the documented order. */
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;
type ObjectOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/**
 * A record with these fields. Every field may be missing and unknown ones are kept: the service shows more or less by
 * role and generation.
 */
export type FieldsRecord<F extends Fields> = { readonly [Name in keyof F]?: ValueOf<F[Name]> | null } & {
  readonly [field: string]: unknown;
};

export const text: Field<string> = { type: 'string' };
export const email: Field<string> = { type: 'string', format: 'email' };
export const uri: Field<string> = { type: 'string', format: 'uri' };
export const date: Field<string> = { type: 'string', format: 'date', kind: 'date' };
export const datetime: Field<string> = { type: 'string', format: 'date-time', kind: 'time' };
export const integer: Field<number> = { type: 'integer' };
export const number: Field<number> = { type: 'number' };
export const boolean: Field<boolean> = { type: 'boolean' };
export function object<F extends Fields>(fields: F): Field<ObjectOf<F>> {
  return { type: 'object', fields };
}

export function arrayOf<T>(items: Field<T>): Field<readonly T[]> {
  return {
    type: 'array',
    items,
    kind: 'list',
  };
}

/** The same field, shown so: `withDisplay(text, { kind: 'state' })`. */
export function withDisplay<T>(field: Field<T>, display: Display): Field<T> {
  return { ...field, ...display };
}

export const state = withDisplay(text, { kind: 'state' });

/** What every person has. */
export const person = {
  email,
  firstname: withDisplay(text, { title: 'first name' }),
  lastname: withDisplay(text, { title: 'last name' }),
} as const;
export const timestamps = {
  created_at: withDisplay(datetime, { title: 'created' }),
  updated_at: withDisplay(datetime, { title: 'updated' }),
  deleted_at: withDisplay(datetime, { title: 'archived' }),
} as const;

export interface RecordFacts<State extends string = string> {
  /** Of its commands, and the begin of the ids of its operations: `time-requests`. */
  readonly noun: string;
  /** One and many: `['time request', 'time requests']`. */
  readonly words: readonly [one: string, many: string];
  readonly fields: Fields;
  /** As the service writes them. */
  readonly states?: readonly State[];
  /** Another word of the service for a state. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Parameters of its writes that its records show under another name: `role` as `current_role`. */
  readonly shownAs?: Readonly<Record<string, string>>;
  /** By the field: its words for the values of the parameter that sets it. */
  readonly written?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What whoever decides on a record, or changes it, rests on beside the fields that change. Default: its status. */
  readonly decisive?: readonly string[];
}

export function defineRecord<const State extends string, const R extends RecordFacts<State>>(
  resource: R & { readonly states?: readonly State[] },
): R {
  return resource;
}

type Row = Readonly<Record<string, unknown>>;

/** Every word that the service has for a state. */
export function listStateWords(
  { aliases = {} }: Pick<RecordFacts, 'aliases'>,
  state: string,
): readonly string[] {
  const alias = aliases[state];
  return alias === undefined ? [state] : [state, alias];
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
  return listStateWords(resource, state).includes(toState(status));
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
export function toTypedValue({ type, kind, fields }: Omit<Field, 'value'>, value: unknown): unknown {
  if (fields !== undefined && isRecord(value)) return toTyped(fields, value);
  if (type === 'string' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  if (kind === 'state') return value.toLowerCase();
  const number = type === 'number' || type === 'integer' ? toNumber(value) : Number.NaN;
  return Number.isNaN(number) ? value : number;
}

/** A record as conditions compare it, however the service writes it. */
export function toTyped(fields: Fields, row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return [name, field === undefined ? value : toTypedValue(field, value)];
    }),
  );
}
