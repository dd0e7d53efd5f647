import type { Api, ApiCall } from '../api/client.ts';
import { isArchived, type RecordFacts } from '../api/fields.ts';
import { getIdName, type Operation } from '../api/operation.ts';
import { collectRows, type Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { stringifyJson, toNumber, toText } from '../json.ts';
import {
  compareSent,
  listValuesOf,
  normalizeText,
  type Outcome,
  type PreviewRow,
  type Reconciler,
  toRecordFields,
} from './proof.ts';

/**
 * How a new record shows that it was made: it was not there before. When records were made does not show it: contracts,
 * expenses, viewers and webhooks do not say when, and the clock of the service is not that of this machine.
 */

export interface CreationRule {
  /** What makes records alike (a name, an address, a title), by the names of what is sent and of what is shown. */
  readonly alike: readonly string[] | ((one: Row) => string);
  /** What tells such records apart where a list has several: their day, their project; `''` where it is not shown. */
  readonly place?: (one: Row) => string;
  /** The values without which nobody can say which record it is. Default: what makes records alike. */
  readonly told?: readonly string[];
  /** The filters of the list that has the new records of these writes; undefined when they do not tell which. */
  readonly filters?: (all: readonly Values[]) => Values | undefined;
  /** Fields of the new record, by their names in it. Default: what is sent. */
  readonly fields?: Reconciler['fields'];
  /** Whether a record no longer counts. Default: one that is archived. */
  readonly isGone?: (row: Row) => boolean;
  /** What makes records alike is all that is compared: the others may differ, and it is the same record. */
  readonly byLikeness?: true;
  /** Fields that the service may set otherwise than they were sent. */
  readonly ignored?: readonly string[];
  /** Fields of which an answer may show what somebody's account has. */
  readonly kept?: readonly string[];
  /** What is said of a record that was found, or was not. Default: the same. */
  readonly judgeFound?: (
    found: Outcome | PreviewRow,
    values: Values,
    before: unknown,
  ) => Outcome | PreviewRow;
  /** A record that is there already, as the answer to its creation would have shown it. */
  readonly toAnswer?: (record: Row) => Row;
  readonly rate?: Reconciler['rate'];
}

/** Where the new record is. */
interface CreationPlace {
  readonly record: RecordFacts;
  readonly operation: Operation;
  readonly list: Operation;
  /** Where a list does not have all of a record. */
  readonly get: Operation | undefined;
  readonly view: (record: Row, values: Values) => Row;
}

/** Rows of one request of a list (docs/service.md, Paging). */
const PAGE = 100;

/** The rows of a list; undefined where that is given up. */
type ReadList = (call: ApiCall<Row>) => Promise<readonly Row[] | undefined>;

/** A record was made when one of its like is there that was not there before: a twin may exist. */
export function createCreationReconciler(rule: CreationRule, at: CreationPlace): Reconciler {
  const { place = () => '', isGone = isArchived, byLikeness = false, ignored = [], kept = [] } = rule;
  const { judgeFound = (found) => found, toAnswer = (row) => row, rate } = rule;
  const { record, operation, get } = at;
  const likenessOf = createLikeness(rule, record);
  const viewWithout = (names: readonly string[], row: Row, values: Values): Row => ({
    ...at.view(row, values),
    ...Object.fromEntries(names.map((name) => [name, undefined])),
  });
  const find = (rows: readonly Row[] | undefined, values: Values, before: unknown): Outcome | PreviewRow => {
    if (rows === undefined || !Array.isArray(before)) return 'unknown';
    const fresh = rows.filter((row) => !before.includes(toText(row.id)));
    if (fresh.length === 0) return 'not-done';
    const isLike = (row: Row) =>
      byLikeness || compareSent(operation, viewWithout(ignored, row, values), values) !== 'not-done';
    const [found, another] = fresh.filter(isLike);
    if (found === undefined) return 'unknown';
    // Two alike: one of them was made, nobody can say which.
    return another === undefined ? { record: found } : 'done';
  };
  const judge = (rows: readonly Row[] | undefined, values: Values, before: unknown) => {
    const found = judgeFound(find(rows, values, before), values, before);
    return typeof found === 'string' ? found : { record: toAnswer(found.record) };
  };
  const idsOf = (rows: readonly Row[] | undefined) => rows?.map(({ id }) => toText(id));
  return {
    fields: rule.fields ?? ((values) => toRecordFields(operation, record, values)),
    before: async (api, values) => idsOf((await readLikes(rule, at, api, [values]))?.(values)),
    async beforeRun(api, all) {
      // No more requests than one for each write.
      let left = all.filter((values) => listCalls(rule, at, api, [values]) !== undefined).length;
      if (left < 2) return undefined;
      const most = left * PAGE;
      const likesOf = await readLikes(rule, at, api, all, async (call) => {
        const rows: Row[] = [];
        for await (const page of call.pages()) {
          left -= 1;
          if (left < 0 || (page.total ?? 0) > most) return undefined;
          for (const row of page.rows) rows.push(row);
        }
        return rows;
      });
      return likesOf && ((values) => idsOf(likesOf(values)));
    },
    async likes(api, all) {
      const likesOf = await readLikes(rule, at, api, all);
      return (values) => {
        const found = likesOf?.(values)?.find((row) => !isGone(row));
        return found && toAnswer(found);
      };
    },
    view: (row, values) => viewWithout([...ignored, ...kept], row, values),
    duplicateKey: (values) => stringifyJson([likenessOf(values), place(values)]),
    after: async (api, values, before) =>
      judge((await readLikes(rule, at, api, [values]))?.(values), values, before),
    async afterRun(lists, api, all) {
      const likesOf = await readLikes(rule, at, api, all, (call) => lists.rows(call));
      return async (values, before) => judge(likesOf?.(values), values, before);
    },
    ...(get && {
      whole: async (api, row, values) => {
        const call = api.call(get, { ...values, [getIdName(get)]: toText(row.id) });
        return (await call.send()).data;
      },
    }),
    ...(rate && { rate }),
  };
}

/** The records of the like of a write, of these; undefined where a write does not tell which they are. */
async function readLikes(
  rule: CreationRule,
  at: CreationPlace,
  api: Api,
  all: readonly Values[],
  read: ReadList = (call) => collectRows(call.pages()),
): Promise<((values: Values) => readonly Row[] | undefined) | undefined> {
  const { place = () => '' } = rule;
  const likenessOf = createLikeness(rule, at.record);
  const told = new Set(all.filter((values) => listCalls(rule, at, api, [values]) !== undefined));
  const groups = new Map<string, { readonly row: Row; readonly place: string }[]>();
  for (const call of told.size === 0 ? [] : (listCalls(rule, at, api, [...told]) ?? [])) {
    const rows = await read(call);
    if (rows === undefined) return undefined;
    for (const row of rows) {
      // With what its list was asked for: a list of one project need not say which.
      const shown = { ...call.values, ...row };
      const group = groups.get(likenessOf(shown)) ?? [];
      group.push({ row, place: place(shown) });
      groups.set(likenessOf(shown), group);
    }
  }
  return (values) => {
    if (!told.has(values)) return undefined;
    // Of what hides its place nobody can say that it is another.
    const places = ['', place(values)];
    const group = groups.get(likenessOf(values)) ?? [];
    return group.filter((one) => places.includes(one.place)).map(({ row }) => row);
  };
}

/** The fewest lists that have the new records of all these writes; undefined when they do not tell which. */
function listCalls(
  { alike, told = typeof alike === 'function' ? [] : alike, filters }: CreationRule,
  { list }: CreationPlace,
  api: Api,
  all: readonly Values[],
): readonly ApiCall<Row>[] | undefined {
  const call = (values: Values) => api.call(list, values);
  const { parameters } = list;
  const bounds = Object.keys(parameters).filter((name) => parameters[name]?.required);
  if (all.some((values) => [...told, ...bounds].some((name) => values[name] === undefined))) return undefined;
  const [bound] = bounds;
  if (bound !== undefined) return listValuesOf(all, bound).map((value) => call({ [bound]: toNumber(value) }));
  if (filters !== undefined) {
    const found = filters(all);
    return found && [call(found)];
  }
  // What all these writes have in common.
  const common = told.flatMap((name) => {
    const [value, ...others] = listValuesOf(all, name);
    if (!Object.hasOwn(parameters, name) || others.length > 0) return [];
    return [[name, parameters[name]?.type === 'integer' ? toNumber(value) : toText(value)] as const];
  });
  return [call(Object.fromEntries(common))];
}

function createLikeness({ alike }: CreationRule, { fields }: RecordFacts): (one: Row) => string {
  if (typeof alike === 'function') return alike;
  return (one) => {
    const values = alike.map((name) => {
      const value = one[name];
      if (Array.isArray(value)) return [...new Set(value.map(toText))].sort();
      if (fields[name]?.type === 'number') return toNumber(value);
      return fields[name]?.format === 'uri' ? toText(value) : normalizeText(value);
    });
    return stringifyJson(values);
  };
}
