import type { Api, ApiCall } from '../../api/client.ts';
import type { Operation } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { stringifyJson, toText } from '../../json/stringify.ts';
import { isArchived } from '../resource.ts';
import { listAll, type Outcome, type PreviewRow, type Reconciler } from './reconciler.ts';
import { type Named, toRecordFields } from './record-change.ts';
import { compareSent } from './sent-fields.ts';

/** How a new record shows that it was made. */

export interface CreationRule {
  readonly operation: Operation;
  readonly resource: Named;
  /** As in `Reconciler`. Default: what is sent, by the names of the record. */
  readonly fields?: Reconciler['fields'];
  /** The list that a new record is in; undefined when the values do not tell which. */
  readonly list: (api: Api, values: Values) => ApiCall<Row> | undefined;
  /** The same for all writes of a run, in as few lists as can be. */
  readonly lists: (api: Api, all: readonly Values[]) => readonly ApiCall<Row>[];
  /** What makes records alike (a name, an address, a title): of what is sent, and of what is shown. */
  readonly sentAs: (values: Values) => string;
  readonly shownAs: (row: Row) => string;
  /** What tells records apart that are in different lists: their day, their project. */
  readonly scope?: (values: Values) => unknown;
  /** As in `Reconciler`. */
  readonly view?: Reconciler['view'];
  /** The same of what is shown, where a list for several writes has records of more than one. Default: all fit. */
  readonly inScope?: (row: Row, values: Values) => boolean;
  /** Whether a record no longer counts. Default: one that is archived. */
  readonly isGone?: (row: Row) => boolean;
  /** What makes records alike is all that is compared: the others may differ, and it is the same record. */
  readonly byLikeness?: true;
  /** What is said of a record that was found, or was not. Default: the same. */
  readonly judgeFound?: (
    found: Outcome | PreviewRow,
    values: Values,
    before: unknown,
  ) => Outcome | PreviewRow;
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

/** The records that are there already, with the filters of their lists. */
const readAlike = async (calls: readonly ApiCall<Row>[]): Promise<readonly AlikeRow[]> => {
  const alike: AlikeRow[] = [];
  for (const call of calls)
    for (const row of await listAll(call)) alike.push({ row, shown: { ...call.values, ...row } });
  return alike;
};

interface AlikeRow {
  readonly row: Row;
  /** With what its list was asked for: a list of one project need not say which. */
  readonly shown: Row;
}

const createLikeFinder =
  ({
    list,
    lists,
    sentAs,
    shownAs,
    inScope = () => true,
    isGone = isArchived,
  }: CreationRule): NonNullable<Reconciler['likes']> =>
  async (api, all) => {
    const calls = () =>
      all.length === 1 ? all.flatMap((values) => list(api, values) ?? []) : lists(api, all);
    const rows = await readAlike(calls());
    const alike = new Map<string, AlikeRow[]>();
    for (const one of rows) {
      const key = shownAs(one.shown);
      alike.set(key, [...(alike.get(key) ?? []), one]);
    }
    return (values) =>
      alike.get(sentAs(values))?.find(({ row, shown }) => !isGone(row) && inScope(shown, values))?.row;
  };

const asItIs = (record: Row, _values: Values): Row => record;

/** A record was made when one of its like is there that was not there before: a twin may exist. */
export const createCreationReconciler = (about: CreationRule): Reconciler => {
  const {
    operation,
    resource,
    list,
    lists: listsOf,
    sentAs,
    shownAs,
    view = asItIs,
    byLikeness,
    get,
  } = about;
  const { scope, inScope = () => true, judgeFound = (found) => found } = about;
  const isLike = (row: Row, values: Values): boolean =>
    byLikeness === true || compareSent(operation, view(row, values), values) !== 'not-done';
  const like = async (api: Api, values: Values): Promise<readonly Row[] | undefined> => {
    const call = list(api, values);
    return call && listAll(call, (row) => shownAs(row) === sentAs(values));
  };
  const find = (rows: readonly Row[] | undefined, values: Values, before: unknown): Outcome | PreviewRow => {
    if (rows === undefined || !Array.isArray(before)) return 'unknown';
    const fresh = rows.filter(({ id }) => !before.includes(toText(id)));
    if (fresh.length === 0) return 'not-done';
    const [record, another] = fresh.filter((row) => isLike(row, values));
    if (record === undefined) return 'unknown';
    // Two alike: one of them was made, nobody can say which.
    return another === undefined ? { record } : 'done';
  };
  const judge = (rows: readonly Row[] | undefined, values: Values, before: unknown) =>
    judgeFound(find(rows, values, before), values, before);
  return {
    fields: about.fields ?? ((values) => toRecordFields({ operation, resource }, values)),
    before: async (api, values) => (await like(api, values))?.map(({ id }) => toText(id)),
    beforeRun: async (api, all) => {
      const told = all.filter((values) => list(api, values) !== undefined);
      const ids = told.length < 2 ? undefined : await idsOf(listsOf(api, told), shownAs, told.length);
      if (ids === undefined) return undefined;
      return (values) => (list(api, values) === undefined ? undefined : (ids.get(sentAs(values)) ?? []));
    },
    likes: createLikeFinder(about),
    view,
    duplicateKey: (values) => stringifyJson([sentAs(values), scope?.(values)]),
    after: async (api, values, before) => judge(await like(api, values), values, before),
    afterRun: async (lists, api, all) => {
      const told = all.filter((values) => list(api, values) !== undefined);
      const calls = told.length === 0 ? [] : listsOf(api, told);
      const alike: AlikeRow[] = [];
      for (const call of calls)
        for (const row of await lists.rows(call)) alike.push({ row, shown: { ...call.values, ...row } });
      return async (values, before) => {
        const own = alike.filter(({ shown }) => shownAs(shown) === sentAs(values) && inScope(shown, values));
        const rows = list(api, values) === undefined ? undefined : own.map(({ row }) => row);
        return judge(rows, values, before);
      };
    },
    ...(get && {
      whole: async (api, record, values) => (await get(api, toText(record.id), values).send()).data,
    }),
  };
};
