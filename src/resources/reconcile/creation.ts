import type { Api, ApiCall } from '../../api/client.ts';
import { isArchived } from '../../api/fields.ts';
import type { Operation } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { stringifyJson, toText } from '../../json.ts';
import { listAll, type Outcome, type PreviewRow, type Reconciler } from './reconciler.ts';
import { type Named, toRecordFields } from './record-change.ts';
import { compareSent } from './sent-fields.ts';

/**
 * How a new record shows that it was made: it was not there before. When records were made does not show it: contracts,
 * expenses, viewers and webhooks do not say when, and the clock of the service is not that of this machine.
 */

export interface CreationRule {
  readonly operation: Operation;
  readonly resource: Named;
  /** As in `Reconciler`. Default: what is sent, by the names of the record. */
  readonly fields?: Reconciler['fields'];
  /** The list that a new record is in; undefined when the values do not tell which. */
  readonly list: (api: Api, values: Values) => ApiCall<Row> | undefined;
  /** The same for all writes of a run, in as few lists as can be. */
  readonly lists: (api: Api, all: readonly Values[]) => readonly ApiCall<Row>[];
  /** What makes records alike (a name, an address, a title), of what is sent and of what is shown. */
  readonly alike: (one: Row) => string;
  /** What tells such records apart where a list has several: their day, their project; `''` where it is not shown. */
  readonly place?: (one: Row) => string;
  /** As in `Reconciler`. */
  readonly view?: Reconciler['view'];
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

/** The rows of lists, with what each list was asked for: a list of one project need not say which. */
const readShown = async (
  calls: readonly ApiCall<Row>[],
  read: (call: ApiCall<Row>) => Promise<readonly Row[]> = listAll,
): Promise<readonly ShownRow[]> => {
  const shown: ShownRow[] = [];
  for (const call of calls)
    for (const row of await read(call)) shown.push({ row, shown: { ...call.values, ...row } });
  return shown;
};

interface ShownRow {
  readonly row: Row;
  readonly shown: Row;
}

/** The same, of no more pages; undefined where there are more. */
const readPages = async (
  calls: readonly ApiCall<Row>[],
  most: number,
): Promise<readonly Row[] | undefined> => {
  const all: Row[] = [];
  let requests = 0;
  for (const call of calls) {
    for await (const { rows, total = 0 } of call.pages()) {
      requests += 1;
      if (requests > most || total / PAGE > most) return undefined;
      for (const row of rows) all.push(row);
    }
  }
  return all;
};

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

const idOf = ({ id }: Row): string => toText(id);

/** A record was made when one of its like is there that was not there before: a twin may exist. */
export const createCreationReconciler = (rule: CreationRule): Reconciler => {
  const { operation, resource, list, alike, place = () => '', view = (record) => record, get } = rule;
  const { isGone = isArchived, byLikeness = false, judgeFound = (found) => found } = rule;
  const isTold = (api: Api, values: Values): boolean => list(api, values) !== undefined;
  const listsOf = (api: Api, all: readonly Values[]): readonly ApiCall<Row>[] => {
    const told = all.filter((values) => isTold(api, values));
    return told.length < 2 ? told.flatMap((values) => list(api, values) ?? []) : rule.lists(api, told);
  };
  /** Of what hides its place nobody can say that it is another. */
  const findIn = (groups: ReadonlyMap<string, readonly ShownRow[]>, values: Values): readonly Row[] =>
    (groups.get(alike(values)) ?? []).flatMap(({ row, shown }) =>
      ['', place(values)].includes(place(shown)) ? [row] : [],
    );
  const findAlike = async (api: Api, values: Values): Promise<readonly Row[] | undefined> => {
    const call = list(api, values);
    return call && (await listAll(call, (row) => alike(row) === alike(values)));
  };
  const judge = (rows: readonly Row[] | undefined, values: Values, before: unknown): Outcome | PreviewRow => {
    if (rows === undefined || !Array.isArray(before)) return judgeFound('unknown', values, before);
    const fresh = rows.filter((row) => !before.includes(idOf(row)));
    if (fresh.length === 0) return judgeFound('not-done', values, before);
    const isLike = (row: Row) =>
      byLikeness || compareSent(operation, view(row, values), values) !== 'not-done';
    const [record, another] = fresh.filter(isLike);
    if (record === undefined) return judgeFound('unknown', values, before);
    // Two alike: one of them was made, nobody can say which.
    return judgeFound(another === undefined ? { record } : 'done', values, before);
  };
  return {
    fields: rule.fields ?? ((values) => toRecordFields({ operation, resource }, values)),
    before: async (api, values) => (await findAlike(api, values))?.map(idOf),
    beforeRun: async (api, all) => {
      const { length } = all.filter((values) => isTold(api, values));
      const rows = length < 2 ? undefined : await readPages(listsOf(api, all), length);
      const groups = rows && groupBy(rows, alike);
      return (
        groups &&
        ((values) => (isTold(api, values) ? (groups.get(alike(values)) ?? []).map(idOf) : undefined))
      );
    },
    likes: async (api, all) => {
      const groups = groupBy(await readShown(listsOf(api, all)), ({ shown }) => alike(shown));
      return (values) => findIn(groups, values).find((row) => !isGone(row));
    },
    view,
    duplicateKey: (values) => stringifyJson([alike(values), place(values)]),
    after: async (api, values, before) => judge(await findAlike(api, values), values, before),
    afterRun: async (lists, api, all) => {
      const rows = await readShown(listsOf(api, all), (call) => lists.rows(call));
      const groups = groupBy(rows, ({ shown }) => alike(shown));
      return async (values, before) =>
        judge(isTold(api, values) ? findIn(groups, values) : undefined, values, before);
    },
    ...(get && {
      whole: async (api, record, values) => (await get(api, idOf(record), values).send()).data,
    }),
  };
};
