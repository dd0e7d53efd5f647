import type { Api, ApiCall } from '../api/client.ts';
import type { RecordFacts } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { collectRows, type Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { stringifyJson, toNumber, toText } from '../json.ts';
import type { Resource, VerbOf } from './define.ts';
import type { Names } from './names.ts';
import {
  compareSent,
  type Finding,
  listSentFields,
  listValuesOf,
  normalizeText,
  type Reconciler,
} from './proof.ts';

/**
 * How a new record shows that it was made: it was not there before. When records were made does not show it: contracts,
 * expenses, viewers and webhooks do not say when, and the clock of the service is not that of this machine.
 */

interface CreationPlace {
  readonly rule: VerbOf<'create'>;
  readonly list: Operation;
  readonly likenessOf: (one: Row) => string;
}

/** Rows of one request of a list (docs/service.md, Paging). */
const PAGE = 100;

/** The rows of a list; undefined where that is given up. */
type ReadList = (call: ApiCall) => Promise<readonly Row[] | undefined>;

/** A record was made when one of its like is there that was not there before: a twin may exist. */
export function createCreationReconciler(
  rule: VerbOf<'create'>,
  resource: Resource,
  operation: Operation,
): Reconciler {
  const { place = () => '', byLikeness = false, ignored = [], rate } = rule;
  const { judgeFound = (found) => found, toAnswer = (row) => row } = rule;
  const { list, get } = resource.operations as { readonly list: Operation; readonly get?: Operation };
  const at: CreationPlace = { rule, list, likenessOf: createLikeness(rule, resource.record) };
  const view = (row: Row, values: Values): Row => ({
    ...resource.view(row, values),
    ...Object.fromEntries(ignored.map((name) => [name, undefined])),
  });
  const find = (rows: readonly Row[] | undefined, values: Values, before: unknown): Finding => {
    if (rows === undefined || !Array.isArray(before)) return 'unknown';
    const fresh = rows.filter((row) => !before.includes(toText(row.id)));
    if (fresh.length === 0) return 'not-done';
    const [found, another] = fresh.filter(
      (row) => byLikeness || compareSent(operation, view(row, values), values) !== 'not-done',
    );
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
    async fields(values, names) {
      if (names !== undefined) await resource.loadNames?.(values, names);
      return toRecordFields(resource, operation, values, names);
    },
    before: async (api, values) => idsOf((await readLikes(at, api, [values]))?.(values)),
    async beforeRun(api, all) {
      // No more requests than one for each write.
      let left = all.filter((values) => listCalls(at, api, [values]) !== undefined).length;
      if (left < 2) return undefined;
      const most = left * PAGE;
      const likesOf = await readLikes(at, api, all, async (call) => {
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
      const likesOf = await readLikes(at, api, all);
      return (values) => {
        const found = likesOf?.(values)?.find((row) => resource.archived.test(row) !== true);
        return found && toAnswer(found);
      };
    },
    view,
    duplicateKey: (values) => stringifyJson([at.likenessOf(values), place(values)]),
    after: async (api, values, before) =>
      judge((await readLikes(at, api, [values]))?.(values), values, before),
    async afterRun(lists, api, all) {
      const likesOf = await readLikes(at, api, all, (call) => lists.rows(call));
      return async (values, before) => judge(likesOf?.(values), values, before);
    },
    // The answer to an invitation is no record of a list.
    ...(get !== undefined &&
      get.record === operation.record && {
        whole: async (api, row, values) => {
          const call = api.call(get, { ...values, [get.idName]: toText(row.id) });
          return (await call.send()).data;
        },
      }),
    ...(rate && { rate }),
  };
}

/** What a write sends, by the names of the record, as the record will show it. */
export function toRecordFields(
  { record, toShown = (_, value) => value }: Resource,
  operation: Operation,
  values: Values,
  names?: Names,
): Row {
  const sent = listSentFields(operation, values);
  return Object.fromEntries(
    sent.map(([name, value]) => [record.shownAs?.[name] ?? name, toShown(name, value, {}, names)]),
  );
}

/** The records of the like of a write, of these; undefined where a write does not tell which they are. */
async function readLikes(
  at: CreationPlace,
  api: Api,
  all: readonly Values[],
  read: ReadList = (call) => collectRows(call.pages()),
): Promise<((values: Values) => readonly Row[] | undefined) | undefined> {
  const {
    rule: { place = () => '' },
    likenessOf,
  } = at;
  const told = new Set(all.filter((values) => listCalls(at, api, [values]) !== undefined));
  const groups = new Map<string, { readonly row: Row; readonly place: string }[]>();
  for (const call of told.size === 0 ? [] : (listCalls(at, api, [...told]) ?? [])) {
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
  { rule: { alike, told = typeof alike === 'function' ? [] : alike, filters }, list }: CreationPlace,
  api: Api,
  all: readonly Values[],
): readonly ApiCall[] | undefined {
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
  const common = told.flatMap((name) => {
    const [value, ...others] = listValuesOf(all, name);
    if (!Object.hasOwn(parameters, name) || others.length > 0) return [];
    return [[name, parameters[name]?.type === 'integer' ? toNumber(value) : toText(value)] as const];
  });
  return [call(Object.fromEntries(common))];
}

function createLikeness({ alike }: VerbOf<'create'>, { fields }: RecordFacts): (one: Row) => string {
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
