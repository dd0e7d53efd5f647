import { type Api, type ApiCall, callOperation } from '../api/client.ts';
import { isArchived, type RecordFacts } from '../api/fields.ts';
import { getIdName, type Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { stringifyJson, toNumber, toText } from '../json.ts';
import {
  compareSent,
  listAll,
  listDistinct,
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

/** A record was made when one of its like is there that was not there before: a twin may exist. */
export function createCreationReconciler(rule: CreationRule, at: CreationPlace): Reconciler {
  const { place = () => '', isGone = isArchived, byLikeness = false, ignored = [], kept = [], rate } = rule;
  const { judgeFound = (found) => found, toAnswer = (row) => row } = rule;
  const { record, operation, get } = at;
  const { alike } = rule;
  const likenessOf = typeof alike === 'function' ? alike : (one: Row) => formatLikeness(record, alike, one);
  const viewWithout = (names: readonly string[], row: Row, values: Values): Row => ({
    ...at.view(row, values),
    ...Object.fromEntries(names.map((name) => [name, undefined])),
  });
  const readLikes = async (
    calls: readonly ApiCall<Row>[],
    read?: (call: ApiCall<Row>) => Promise<readonly Row[]>,
  ) => new Likes(await readShown(calls, read), likenessOf, place);
  const judge = (rows: readonly Row[] | undefined, values: Values, before: unknown) => {
    const found = judgeFound(find(rows, values, before), values, before);
    return typeof found === 'string' ? found : { record: toAnswer(found.record) };
  };
  const find = (rows: readonly Row[] | undefined, values: Values, before: unknown): Outcome | PreviewRow => {
    if (rows === undefined || !Array.isArray(before)) return 'unknown';
    const fresh = rows.filter((row) => !before.includes(idOf(row)));
    if (fresh.length === 0) return 'not-done';
    const isLike = (row: Row) =>
      byLikeness || compareSent(operation, viewWithout(ignored, row, values), values) !== 'not-done';
    const [found, another] = fresh.filter(isLike);
    if (found === undefined) return 'unknown';
    // Two alike: one of them was made, nobody can say which.
    return another === undefined ? { record: found } : 'done';
  };
  return {
    fields: rule.fields ?? ((values) => toRecordFields({ operation, record }, values)),
    before: async (api, values) => {
      const calls = listCalls(rule, at, api, [values]);
      return calls && (await readLikes(calls)).of(values).map(idOf);
    },
    beforeRun: async (api, all) => {
      const told = all.filter((values) => listCalls(rule, at, api, [values]) !== undefined);
      const calls = told.length < 2 ? undefined : listCalls(rule, at, api, told);
      const shown = calls && (await readPages(calls, told.length));
      if (shown === undefined) return undefined;
      const likes = new Likes(shown, likenessOf, place);
      return (values) => (told.includes(values) ? likes.of(values).map(idOf) : undefined);
    },
    likes: async (api, all) => {
      const likes = await readLikes(listToldCalls(rule, at, api, all));
      return (values) => {
        const found = likes.of(values).find((row) => !isGone(row));
        return found && toAnswer(found);
      };
    },
    view: (row, values) => viewWithout([...ignored, ...kept], row, values),
    duplicateKey: (values) => stringifyJson([likenessOf(values), place(values)]),
    after: async (api, values, before) => {
      const calls = listCalls(rule, at, api, [values]);
      return judge(calls && (await readLikes(calls)).of(values), values, before);
    },
    afterRun: async (lists, api, all) => {
      const likes = await readLikes(listToldCalls(rule, at, api, all), (call) => lists.rows(call));
      return async (values, before) => {
        const isTold = listCalls(rule, at, api, [values]) !== undefined;
        return judge(isTold ? likes.of(values) : undefined, values, before);
      };
    },
    ...(get && {
      whole: async (api, row, values) => {
        const call = callOperation(api, get)({ ...values, [getIdName(get)]: idOf(row) });
        return (await call.send()).data;
      },
    }),
    ...(rate && { rate }),
  };
}

interface ShownRow {
  readonly row: Row;
  /** With what its list was asked for: a list of one project need not say which. */
  readonly shown: Row;
}

/** The rows of lists, by what makes them alike. */
class Likes {
  readonly #groups = new Map<string, ShownRow[]>();
  readonly #likenessOf: (one: Row) => string;
  readonly #place: (one: Row) => string;

  constructor(rows: readonly ShownRow[], likenessOf: (one: Row) => string, place: (one: Row) => string) {
    this.#likenessOf = likenessOf;
    this.#place = place;
    for (const row of rows) {
      const likeness = likenessOf(row.shown);
      const group = this.#groups.get(likeness) ?? [];
      group.push(row);
      this.#groups.set(likeness, group);
    }
  }

  /** Of what hides its place nobody can say that it is another. */
  of(values: Values): readonly Row[] {
    const places = ['', this.#place(values)];
    return (this.#groups.get(this.#likenessOf(values)) ?? [])
      .filter(({ shown }) => places.includes(this.#place(shown)))
      .map(({ row }) => row);
  }
}

/** The fewest lists that have the new records of all these writes; undefined when they do not tell which. */
function listCalls(
  { alike, told = typeof alike === 'function' ? [] : alike, filters }: CreationRule,
  { list }: CreationPlace,
  api: Api,
  all: readonly Values[],
): readonly ApiCall<Row>[] | undefined {
  const call = callOperation(api, list);
  const bounds = Object.keys(list.parameters).filter((name) => list.parameters[name]?.required);
  if (all.some((values) => [...told, ...bounds].some((name) => values[name] === undefined))) return undefined;
  const [bound] = bounds;
  if (bound !== undefined) return listDistinct(all, bound).map((value) => call({ [bound]: toNumber(value) }));
  const found = filters === undefined ? findFilters(list, told, all) : filters(all);
  return found && [call(found)];
}

/** The same of those that tell it. */
function listToldCalls(
  rule: CreationRule,
  at: CreationPlace,
  api: Api,
  all: readonly Values[],
): readonly ApiCall<Row>[] {
  const told = all.filter((values) => listCalls(rule, at, api, [values]) !== undefined);
  return told.length === 0 ? [] : (listCalls(rule, at, api, told) ?? []);
}

/** Filters of a list that all these writes have in common. */
function findFilters({ parameters }: Operation, names: readonly string[], all: readonly Values[]): Values {
  const common = names.flatMap((name) => {
    const [value, ...others] = listDistinct(all, name);
    if (!Object.hasOwn(parameters, name) || others.length > 0) return [];
    return [[name, parameters[name]?.type === 'integer' ? toNumber(value) : toText(value)] as const];
  });
  return Object.fromEntries(common);
}

function formatLikeness({ fields }: RecordFacts, names: readonly string[], one: Row): string {
  const values = names.map((name) => {
    const value = one[name];
    if (Array.isArray(value)) return [...new Set(value.map(toText))].sort();
    if (fields[name]?.type === 'number') return toNumber(value);
    return fields[name]?.format === 'uri' ? toText(value) : normalizeText(value);
  });
  return stringifyJson(values);
}

async function readShown(
  calls: readonly ApiCall<Row>[],
  read: (call: ApiCall<Row>) => Promise<readonly Row[]> = listAll,
): Promise<readonly ShownRow[]> {
  const shown: ShownRow[] = [];
  for (const call of calls)
    for (const row of await read(call)) shown.push({ row, shown: { ...call.values, ...row } });
  return shown;
}

/** Rows of one request of a list (docs/service.md, Paging). */
const PAGE = 100;

/** The rows of no more pages than that; undefined where there are more. */
async function readPages(
  calls: readonly ApiCall<Row>[],
  most: number,
): Promise<readonly ShownRow[] | undefined> {
  const all: ShownRow[] = [];
  let requests = 0;
  for (const call of calls) {
    for await (const { rows, total = 0 } of call.pages()) {
      requests += 1;
      if (requests > most || total / PAGE > most) return undefined;
      for (const row of rows) all.push({ row, shown: { ...call.values, ...row } });
    }
  }
  return all;
}

function idOf({ id }: Row): string {
  return toText(id);
}
