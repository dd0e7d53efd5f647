import type { Api, ApiCall } from '../../api/client.ts';
import type { Operation } from '../../api/operation.ts';
import type { WriteId } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { stringifyJson, toText } from '../../json/stringify.ts';
import { ApiError } from '../../outcome.ts';
import { decisionStates, isArchived } from '../resource.ts';
import { compareSent } from './sent-fields.ts';

/** `done`: the records show it. `not-done`: they show that it did not happen. `unknown`: they cannot tell. */
export type Outcome = 'done' | 'not-done' | 'unknown';

/** The record that shows a creation done: as a list has it. */
export interface PreviewRow {
  readonly record: Row;
}

/** How the service's own records show whether a write happened. Reads only. */
export interface Reconciler<Before = unknown> {
  /** What has to be known from before the write, where the record alone cannot tell: a count of its like. */
  readonly before?: (api: Api, values: Values) => Promise<Before>;
  readonly after: (api: Api, values: Values, before: Before | undefined) => Promise<Outcome | PreviewRow>;
  /** The whole of a new record, as the service answers a creation with it. */
  readonly whole?: (api: Api, record: Row, values: Values) => Promise<Row | null>;
  /** `before` for the writes of a run with fewer requests; undefined when it would take more. */
  readonly beforeRun?: (api: Api, all: readonly Values[]) => Promise<RunSnapshot<Before> | undefined>;
  /** The same for writes whose records could be mistaken for one another. */
  readonly duplicateKey?: (values: Values) => string | undefined;
  /** Of a write that carries values which a record shows. */
  readonly saved?: SavedView;
  /** Of a change of state: the field in the answer to it that shows another. */
  readonly contradicts?: (answer: Row, values: Values) => string | undefined;
  /** The field that shows the state. Default: `status`. */
  readonly state?: string;
}

/** What was known at one moment, of each write of a run. */
export type RunSnapshot<Before = unknown> = (values: Values) => Before;

/** A reconciler for each write of a noun, by the operation's id: one that is missing does not compile. */
export type Reconcilers<Noun extends string> = {
  readonly [Id in Extract<WriteId, `${Noun}.${string}`>]: Reconciler;
};

export const toOutcome = (done: boolean): Outcome => (done ? 'done' : 'not-done');

/** The first row of a list that fits, read only as far as needed. */
export const findOne = async (call: ApiCall<Row>, fits: (row: Row) => boolean): Promise<Row | undefined> => {
  for await (const page of call.pages()) {
    const row = page.rows.find(fits);
    if (row !== undefined) return row;
  }
  return undefined;
};

/** All rows of a list that fit. */
const findAll = async (call: ApiCall<Row>, fits: (row: Row) => boolean): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for await (const page of call.pages()) rows.push(...page.rows.filter(fits));
  return rows;
};

/** The record; `undefined` when the service has none (404), `null` when it answers with nothing. */
export const readOne = async (call: ApiCall<Row>): Promise<Row | null | undefined> => {
  try {
    return (await call.send()).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
};

/** How the record of a write shows the values that it was sent with. */
export interface SavedView {
  /** The record in the words of the write: `role` for `current_role`. Default: they are the same. */
  readonly view?: (record: Row, values: Values) => Row;
  /** The record as it is now. @param answer what the service answered the write with */
  readonly read: (api: Api, values: Values, answer: Row) => Promise<Row | null | undefined>;
}

/** Reads by the id of an answer, where it has one. */
export const byId = async <T>(id: unknown, read: (id: string) => Promise<T>): Promise<T | undefined> =>
  id === null || id === undefined ? undefined : read(toText(id));

export interface CreationRule {
  readonly operation: Operation;
  /** The list that a new record is in; undefined when the values do not tell which. */
  readonly list: (api: Api, values: Values) => ApiCall<Row> | undefined;
  /** The same for all writes of a run, in as few lists as can be. */
  readonly lists: (api: Api, all: readonly Values[]) => readonly ApiCall<Row>[];
  /** What makes records alike (a name, an address, a title): of what is sent, and of what is shown. */
  readonly sentAs: (values: Values) => string;
  readonly shownAs: (row: Row) => string;
  /** What tells records apart that are in different lists: their day, their project. */
  readonly scope?: (values: Values) => unknown;
  /** As in `SavedView`. */
  readonly view?: SavedView['view'];
  /** What makes records alike is all that is compared: the others may differ, and it is the same record. */
  readonly byLikeness?: true;
  /** The new record by its id, where a list does not have all of it. */
  readonly get?: (api: Api, id: string, values: Values) => ApiCall<Row>;
}

/** Rows of one request of a list (docs/service.md, Paging). */
const PAGE = 100;

/** Ids by what makes their records alike, of all lists; undefined when that takes more requests than there are writes. */
const idsOf = async (
  calls: readonly ApiCall<Row>[],
  shownAs: CreationRule['shownAs'],
  most: number,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> => {
  const ids = new Map<string, string[]>();
  let requests = 0;
  for (const call of calls) {
    for await (const { rows, total = 0 } of call.pages()) {
      requests += 1;
      if (requests > most || total / PAGE > most) return undefined;
      for (const row of rows) {
        const known = ids.get(shownAs(row));
        if (known === undefined) ids.set(shownAs(row), [toText(row.id)]);
        else known.push(toText(row.id));
      }
    }
  }
  return ids;
};

const asItIs = (record: Row, _values: Values): Row => record;

/** A record was made when one of its like is there that was not there before: a twin may exist. */
export const createCreationReconciler = (about: CreationRule): Reconciler => {
  const { operation, list, lists, sentAs, shownAs, scope, view = asItIs, byLikeness, get } = about;
  const isLike = (row: Row, values: Values): boolean =>
    byLikeness === true || compareSent(operation, view(row, values), values) !== 'not-done';
  const like = async (api: Api, values: Values): Promise<readonly Row[] | undefined> => {
    const call = list(api, values);
    return call && findAll(call, (row) => shownAs(row) === sentAs(values));
  };
  return {
    before: async (api, values) => (await like(api, values))?.map(({ id }) => toText(id)),
    beforeRun: async (api, all) => {
      const told = all.filter((values) => list(api, values) !== undefined);
      const ids = told.length < 2 ? undefined : await idsOf(lists(api, told), shownAs, told.length);
      if (ids === undefined) return undefined;
      return (values) => (list(api, values) === undefined ? undefined : (ids.get(sentAs(values)) ?? []));
    },
    duplicateKey: (values) => stringifyJson([sentAs(values), scope?.(values)]),
    after: async (api, values, before) => {
      const rows = await like(api, values);
      if (rows === undefined || !Array.isArray(before)) return 'unknown';
      const fresh = rows.filter(({ id }) => !before.includes(toText(id)));
      if (fresh.length === 0) return 'not-done';
      const [record, another] = fresh.filter((row) => isLike(row, values));
      if (record === undefined) return 'unknown';
      // Two alike: one of them was made, nobody can say which.
      return another === undefined ? { record } : 'done';
    },
    ...(get && {
      whole: async (api, record, values) => (await get(api, toText(record.id), values).send()).data,
      saved: { view, read: (api, values, { id }) => byId(id, (known) => readOne(get(api, known, values))) },
    }),
  };
};

/** Names and addresses in one form for all that are the same. */
export const normalizeText = (text: unknown): string => toText(text).trim().toLowerCase();

/** The different values of a field, those not given left out. */
export const listDistinct = (all: readonly Values[], name: string): readonly unknown[] => [
  ...new Set(all.map((values) => values[name]).filter((value) => value !== undefined)),
];

/** The sent fields against the record's. */
export const createChangeReconciler = (
  operation: Operation,
  get: (api: Api, values: Values) => ApiCall<Row>,
  view = asItIs,
): Reconciler => ({
  after: async (api, values) => {
    const record = await readOne(get(api, values));
    return record == null ? 'unknown' : compareSent(operation, view(record, values), values);
  },
  saved: { view, read: (api, values) => readOne(get(api, values)) },
});

/** A soft delete: the record says so, or the service shows it no longer. */
export const createArchivalReconciler = (
  get: (api: Api, values: Values) => ApiCall<Row>,
  isGone: (row: Row) => boolean = isArchived,
): Reconciler => ({
  after: async (api, values) => {
    const record = await readOne(get(api, values));
    return record === null ? 'unknown' : toOutcome(record === undefined || isGone(record));
  },
  contradicts: (answer) => (answer.deleted_at === null ? 'deleted_at' : undefined),
  state: 'deleted_at',
});

const DECISIONS: ReadonlySet<unknown> = new Set(decisionStates);

/** Whether a decision came to be. Not all states are documented: another word tells nothing. */
export const judgeDecision = (status: unknown, wanted: string): Outcome =>
  DECISIONS.has(status) ? toOutcome(status === wanted) : 'unknown';

/** The state of an answer that names another than is wanted, where it is one that is known. */
export const createContradictionCheck =
  (known: readonly string[], wanted: readonly string[]): NonNullable<Reconciler['contradicts']> =>
  ({ status }) =>
    typeof status === 'string' && known.includes(status) && !wanted.includes(status) ? 'status' : undefined;

/** What is sent as `reason` is shown as `reject_reason`; a `reason` in a record would be another one. */
export const createRejectionView = (read: SavedView['read']): SavedView => ({
  view: (record) => ({ ...record, reason: record.reject_reason }),
  read,
});
