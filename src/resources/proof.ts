import type { Api, ApiCall } from '../api/client.ts';
import type { Lists } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { ApiError } from '../errors.ts';
import { isRecord, toText } from '../json.ts';
import { isSameValue, showsValue } from '../parsing/names.ts';
import type { Names } from './names.ts';

/** How the service's own records show whether a write happened, and what it changed of its record. */

/** `done`: the records show it. `not-done`: they show that it did not happen. `unknown`: they cannot tell. */
export type Outcome = 'done' | 'not-done' | 'unknown';

/** With the record that shows a creation done, as a list has it. */
export type Finding = Outcome | { readonly record: Row };

/** What a write changes of its record, by the names of the record's fields. */
export interface Effect {
  /** The fields as they are; one that the record hides is left out. */
  readonly before: Row;
  /** The same as the write sets them; null: the record will be gone. */
  readonly after: Row | null;
  /** Of an update: the values that would set the fields back, by the names of its parameters. */
  readonly old?: Values;
  /** `done`: the record is so already. */
  readonly outcome: Outcome;
  /** Whom or what people read about, where that is not the record: the member who is assigned to it. */
  readonly subject?: Row;
}

export interface ChangedRecord {
  /** `undefined` where the service has none, `null` when it answers with nothing. */
  readonly read: (api: Api, values: Values) => Promise<Row | null | undefined>;
  /** Which record it is: writes of an operation with the same text change the same one. */
  readonly key: (values: Values) => string;
  /** The lists that have the records of these writes, by their ids; where it takes more than one request to read one, none. */
  readonly lists?: (api: Api, all: readonly Values[]) => readonly ApiCall[];
  /** Whether a row of a list has what `read` gives of it. Default: always. */
  readonly isWhole?: (row: Row) => boolean;
  /** @param names of the ids in a write, where its record shows names; absent: they are not looked up */
  readonly effect: (record: Row, values: Values, names?: Names) => Effect | Promise<Effect>;
  /** What it sets, whatever its record shows. Default: the effect on a record that shows nothing. */
  readonly sets?: (values: Values) => Row;
  /**
   * It is looked at before the write: the service says that it did what was so already, or (`old-values`, where the
   * history is kept) only what was there before shows what was changed.
   */
  readonly first?: true | 'old-values';
}

/** How the service's own records show whether a write happened. Reads only. */
export interface Reconciler {
  /** What has to be known from before the write, where the record alone cannot tell: a count of its like. */
  readonly before?: (api: Api, values: Values) => Promise<unknown>;
  readonly after: (api: Api, values: Values, before: unknown) => Promise<Finding>;
  /** The same for several writes, by the pages of their lists. */
  readonly afterRun?: (lists: Lists, api: Api, all: readonly Values[]) => Promise<Judge>;
  /** The whole of a new record, as the service answers a creation with it. */
  readonly whole?: (api: Api, record: Row, values: Values) => Promise<Row | null>;
  /** Of creations: the record that is there already, of the like that a write would make. In as few lists as can be. */
  readonly likes?: (api: Api, all: readonly Values[]) => Promise<(values: Values) => Row | undefined>;
  /** `before` for the writes of a run with fewer requests; undefined when it would take more. */
  readonly beforeRun?: (api: Api, all: readonly Values[]) => Promise<RunSnapshot | undefined>;
  /** The same for writes whose records could be mistaken for one another. */
  readonly duplicateKey?: (values: Values) => string | undefined;
  readonly record?: ChangedRecord;
  /** Of a creation: the fields of the new record, by their names in it. @param load whether names are fetched for it */
  readonly fields?: (values: Values, names?: Names, load?: boolean) => Promise<Row>;
  /** The record of the answer in the words of the write: `role` for `current_role`. Default: they are the same. */
  readonly view?: (record: Row, values: Values) => Row;
  /** Of a write whose rate the service may drop without a word. */
  readonly rate?: SavedRate;
  /** Of a change of state: the field in the answer to it that shows another. */
  readonly contradicts?: (answer: Row, values: Values) => string | undefined;
}

export type Judge = (values: Values, before: unknown) => Promise<Finding>;

export type RunSnapshot = (values: Values) => unknown;

export interface SavedRate {
  /** The rate that is its own; null: it inherits one; undefined: it is not shown. */
  readonly own: (record: Row) => unknown;
  /** @param answer what the service answered the write with */
  readonly id: (values: Values, answer: Row | undefined) => string | undefined;
  readonly get: (api: Api, id: string) => Promise<Row | null | undefined>;
  readonly list: (api: Api) => ApiCall;
}

/** Whom or what a record lists: who is assigned to it, what it may see. */
export interface MembershipRule extends Partial<Pick<ChangedRecord, 'read' | 'isWhole'>> {
  readonly field: string;
  /** The value whose place in the list the write changes: `userId`. */
  readonly item: string;
  readonly wanted: boolean;
  readonly subject?: (values: Values) => Row;
  /** The ids in the list; undefined where the record does not show it. */
  readonly ids: (record: Row) => readonly string[] | undefined;
  /** As in `Reconciler`, of an answer without the list. */
  readonly contradicts?: NonNullable<Reconciler['contradicts']>;
}

/** The values that a write carries, by the names of its parameters; not those that only say where it goes. */
export function listSentFields(
  { path }: Pick<Operation, 'path'>,
  values: Values,
): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(values).filter(
    ([name, value]) => value !== undefined && name !== 'workspace_id' && !path.includes(`{${name}}`),
  );
}

/** The fields of which a record, in the words of the write, shows another value than was sent. */
export function listDifferingFields(
  operation: Pick<Operation, 'path' | 'parameters'>,
  record: Row,
  values: Values,
): readonly string[] {
  const differing = listSentFields(operation, values).filter(
    ([name, value]) =>
      Object.hasOwn(record, name) &&
      record[name] !== undefined &&
      !isSameValue(value, record[name], operation.parameters[name]),
  );
  return differing.map(([name]) => name);
}

/**
 * Whether a record, in the words of the write, shows what was sent.
 * `unknown` when it hides some of it: fields that the role may not see, or that are not documented.
 */
export function compareSent(operation: Operation, record: Row, values: Values): Outcome {
  if (listDifferingFields(operation, record, values).length > 0) return 'not-done';
  const fields = listSentFields(operation, values);
  const isSeen = fields.every(
    ([name, value]) =>
      record[name] !== undefined && showsValue(value, record[name], operation.parameters[name]),
  );
  return fields.length > 0 && isSeen ? 'done' : 'unknown';
}

/** Whether a call was answered with another record than the one that its path names. */
export function isOtherRecord({ operation, values }: ApiCall, data: unknown): boolean {
  const [name, second] = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one);
  const asked = values[name ?? ''];
  if (asked === undefined || second !== undefined || operation.joins) return false;
  return isRecord(data) && data.id != null && normalizeText(data.id) !== normalizeText(asked);
}

/** The record; `undefined` when the service has none (404), `null` when it answers with nothing, or with another. */
export async function readOne(call: ApiCall): Promise<Row | null | undefined> {
  try {
    const { data } = await call.send();
    return isOtherRecord(call, data) ? null : data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export function normalizeText(text: unknown): string {
  return toText(text).trim().toLowerCase();
}

export function listValuesOf(all: readonly Values[], name: string): readonly unknown[] {
  return [...new Set(all.map((values) => values[name]).filter((value) => value !== undefined))];
}
