import type { Api, ApiCall } from '../api/client.ts';
import { findState, type RecordFacts, selectFields } from '../api/fields.ts';
import { Lists } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import { collectRows, type Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { maskAddress } from '../http/redact.ts';
import { stringifyJson, toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { isSameValue, showsValue, toIsoDay } from '../parsing/names.ts';
import { type CommandLine, placeholder } from '../parsing/shell-word.ts';
import type { Resource, Verb, VerbOf } from './define.ts';
import { createNames, type Names } from './names.ts';
import {
  type ChangedRecord,
  compareSent,
  type Effect,
  type Finding,
  listSentFields,
  listValuesOf,
  type MembershipRule,
  normalizeText,
  type Outcome,
  type Reconciler,
  readOne,
} from './proof.ts';
import { RESOURCES } from './resources.ts';

/** What follows from the resources: how their records show what became of a write, and how they are named. */

/** What says in a few words which record of a noun it is; id and state have a place of their own. */
export async function loadRecordWords(noun: string, names: Names): Promise<readonly Column[]> {
  const columns = (await RESOURCES[noun]?.())?.label(names) ?? [];
  return columns.filter(({ field }) => field !== 'id' && field !== 'status');
}

/** The command line that makes a record like this one; undefined where no command makes its kind. */
export async function formatCreation(
  commandLine: CommandLine,
  noun: string,
  record: Row,
): Promise<string | undefined> {
  const resource = await RESOURCES[noun]?.();
  const verb = resource?.verbs.create;
  if (resource === undefined || verb === undefined || 'path' in verb) return undefined;
  const shown = resource.view(record, {});
  let text = `ttctl ${noun} create`;
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const { name, binding } of verb.flags ?? []) {
    if (binding === undefined) continue;
    const { type, required } = binding.parameter;
    // A name does where the record does not show the id.
    const value = shown[binding.name] ?? record[binding.name.replace(/_id$/, '')];
    const isMissing = value == null || value === '';
    if (isMissing && required !== true) continue;
    if (type === 'boolean') {
      text += value === false ? ` --no-${name}` : ` --${name}`;
      continue;
    }
    const said = [value].flat().map(toText).join(',');
    texts.push(`${text} --${name} `);
    values.push(isMissing ? placeholder(name) : toWritten(said, type));
    text = '';
  }
  return commandLine([...texts, text], ...values);
}

/** A value that a record shows as a flag takes it; the secrets in an address are left out. */
function toWritten(said: string, type: string): string {
  if (type === 'url') return maskAddress(said);
  if (type === 'date') return toText(toIsoDay(said));
  return type === 'number' ? said.replace(/,(?=\d{3})/g, '') : said;
}

/** How the service's own records show what became of a write; undefined for a read. */
export async function findReconciler(operation: Operation): Promise<Reconciler | undefined> {
  const resource = await RESOURCES[operation.noun]?.();
  const [, name = ''] = operation.id.split('.');
  const verb = resource?.verbs[name];
  if (resource === undefined || verb === undefined || 'path' in verb) return undefined;
  if (verb.does === 'list' || verb.does === 'get') return undefined;
  if (verb.does === 'act') return { after: async () => 'unknown' };
  if (verb.does === 'create') return proveCreation(verb, resource, operation);
  const proof = proveChange(resource, operation, verb);
  const { missing = 'unknown', view, rate, contradicts, ...rule } = proof;
  const { list, get } = resource.operations as { readonly list: Operation; readonly get?: Operation };
  const key = (values: Values): string => toText(values[operation.idName]);
  // Which list has the record, where there are several: those of one project.
  const bound = Object.keys(list.parameters).find((name) => list.parameters[name]?.required);
  const record: ChangedRecord = {
    key,
    async read(api, values) {
      const id = key(values);
      const isBound = bound !== undefined && values[bound] !== undefined;
      const place = isBound ? { [bound]: toNumber(values[bound]) } : {};
      if (get !== undefined) return readOne(api.call(get, { ...place, [get.idName]: id }));
      for await (const { rows } of api.call(list, { id }).pages()) {
        const found = rows.find((row: Row) => toText(row.id) === id);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    // None where a write does not tell in which one its record is.
    lists(api, all) {
      if (bound === undefined) return [api.call(list, {})];
      if (all.some((values) => values[bound] === undefined)) return [];
      return listValuesOf(all, bound).map((value) => api.call(list, { [bound]: toNumber(value) }));
    },
    ...rule,
  };
  const judge = async (row: Row, values: Values, lists: Lists): Promise<Outcome> =>
    (await record.effect(row, values, createNames(lists))).outcome;
  const after = async (api: Api, values: Values, lists = new Lists(api, () => 0)): Promise<Outcome> => {
    const row = await record.read(api, values);
    if (row === undefined) return missing;
    return row === null ? 'unknown' : judge(row, values, lists);
  };
  return {
    after: (api, values) => after(api, values),
    async afterRun(lists, api, all) {
      const { rows } = await lists.search(record.lists?.(api, all) ?? [], new Set(all.map(key)));
      return async (values) => {
        const [row] = rows.get(key(values)) ?? [];
        const outcome = row === undefined ? 'unknown' : await judge(row, values, lists);
        // A list may leave out what the record has.
        return outcome === 'unknown' ? after(api, values, lists) : outcome;
      };
    },
    record,
    ...(view && { view }),
    ...(rate && { rate }),
    ...(contradicts && { contradicts }),
  };
}

interface Proof
  extends Pick<Reconciler, 'view' | 'rate' | 'contradicts'>,
    Pick<ChangedRecord, 'effect' | 'sets' | 'first'>,
    Partial<Pick<ChangedRecord, 'read' | 'isWhole'>> {
  /** What it tells that the service has no such record. Default: nothing. */
  readonly missing?: Outcome;
}

function proveChange(resource: Resource, operation: Operation, verb: Verb): Proof {
  const { record: facts, view } = resource;
  switch (verb.does) {
    case 'archive':
    case 'restore': {
      const { field, yes, no, test, stays = false } = resource.archived;
      const isArchive = verb.does === 'archive';
      const isSo = (row: Row): boolean | undefined => {
        const is = test(row);
        return is === undefined ? is : is === isArchive;
      };
      return {
        ...proveState(field, isArchive ? yes : no, isSo),
        ...(isArchive && !stays && { missing: 'done' }),
        // To archive one again is answered as done where it can be restored (docs/service.md, States).
        ...(isArchive && operation.undo?.kind === 'opposite' && { first: true }),
        ...(!isArchive && { first: 'old-values' }),
      };
    }
    case 'delete': {
      // What is really gone is not found.
      const shown = Object.keys(facts.fields).filter((name) => facts.fields[name]?.kind !== 'secret');
      const effect = (record: Row): Effect => ({
        before: selectFields(record, shown),
        after: null,
        outcome: 'not-done',
      });
      return {
        effect,
        missing: 'done',
        first: 'old-values',
        contradicts: ({ deleted_at: at }) => (at === null ? 'deleted_at' : undefined),
      };
    }
    case 'decide': {
      const to = operation.moves?.to ?? null;
      // A status that is not known tells nothing: not all are documented.
      const isDecided = (row: Row): boolean | undefined => {
        const state = findState(facts, row);
        return state === undefined ? undefined : state === to;
      };
      return {
        ...proveState('status', to, isDecided, (values) => toRecordFields(resource, operation, values)),
        // What can be taken back is answered as done where it is done already: the record is looked at first.
        ...(operation.undo?.kind === 'opposite' && { first: true }),
        view,
      };
    }
    case 'assign':
    case 'assign-members':
      return proveMembership(verb.shown);
    default:
      return {
        async effect(record, values, names) {
          if (names !== undefined) await resource.loadNames?.(values, names);
          return describeUpdate(resource, operation, record, values, names);
        },
        first: 'old-values',
        view,
        ...(verb.does === 'update' && verb.rate && { rate: verb.rate }),
      };
  }
}

/** What an update changes: the fields that the record does not show so already. */
function describeUpdate(
  { record: { shownAs = {} }, view, toShown, brings }: Resource,
  operation: Operation,
  record: Row,
  values: Values,
  names: Names | undefined,
): Effect {
  const shown = view(record, values, names);
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  const old: Record<string, unknown> = {};
  for (const [name, value] of listSentFields(operation, values)) {
    if (shown[name] !== undefined && showsValue(value, shown[name], operation.parameters[name])) continue;
    const field = shownAs[name] ?? name;
    const was = record[field] ?? shown[name];
    if (was !== undefined) before[field] = was;
    after[field] = toShown === undefined ? value : toShown(name, value, record, names);
    old[name] = shown[name];
  }
  for (const [field, value] of Object.entries(brings?.(record, values) ?? {})) {
    before[field] = record[field];
    after[field] = value;
  }
  return { before, after, old, outcome: compareSent(operation, shown, values) };
}

/**
 * @param isSo whether a record has come to that state; undefined: nobody can tell
 * @param others fields that the write sets beside the state, by the names of the record's fields
 */
function proveState(
  state: string,
  to: string | null,
  isSo: (record: Row) => boolean | undefined,
  others: (values: Values) => Row = () => ({}),
): Proof {
  return {
    effect(record, values) {
      const is = isSo(record);
      const outcome = is === undefined ? 'unknown' : is ? 'done' : 'not-done';
      const set = Object.entries(others(values)).filter(([name, value]) => !isSameValue(value, record[name]));
      // A record that does not show its state may have another one.
      const isShown = outcome === 'done' && record[state] !== undefined;
      const after = { ...(isShown ? {} : { [state]: to }), ...Object.fromEntries(set) };
      const known = Object.keys(after).filter((name) => record[name] !== undefined);
      return { before: selectFields(record, known), after, outcome };
    },
    sets: (values) => ({ [state]: to, ...others(values) }),
    contradicts: (answer) => (answer[state] !== undefined && isSo(answer) === false ? state : undefined),
  };
}

function proveMembership({ field, item, wanted, ids, subject, contradicts, ...more }: MembershipRule): Proof {
  return {
    ...more,
    effect(record, values) {
      const listed = ids(record);
      const id = toText(values[item]);
      const about = subject && { subject: subject(values) };
      if (listed === undefined)
        return { before: {}, after: wanted ? { [field]: [id] } : {}, outcome: 'unknown', ...about };
      if (listed.includes(id) === wanted) return { before: {}, after: {}, outcome: 'done', ...about };
      const after = wanted ? [...listed, id] : listed.filter((one) => one !== id);
      return { before: { [field]: listed }, after: { [field]: after }, outcome: 'not-done', ...about };
    },
    first: true,
    contradicts(answer, values) {
      const listed = ids(answer);
      if (listed === undefined) return contradicts?.(answer, values);
      return listed.includes(toText(values[item])) === wanted ? undefined : field;
    },
  };
}

/** What is compared to find a new record: the verb that makes it, the list that has it, its fields. */
interface CreationPlace {
  readonly rule: VerbOf<'create'>;
  readonly list: Operation;
  readonly record: RecordFacts;
}

/** Rows of one request of a list (docs/service.md, Paging). */
const PAGE = 100;

/**
 * A record was made when one of its like is there that was not there before: a twin may exist. When records were made does
 * not show it: contracts, expenses, viewers and webhooks do not say when, and the clock of the service is not that of this
 * machine.
 */
function proveCreation(rule: VerbOf<'create'>, resource: Resource, operation: Operation): Reconciler {
  const { place = () => '', byLikeness = false, ignored = [], rate } = rule;
  const { judgeFound = (found) => found, toAnswer = (row) => row } = rule;
  const { list, get } = resource.operations as { readonly list: Operation; readonly get?: Operation };
  const at: CreationPlace = { rule, list, record: resource.record };
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
    async fields(values, names, load = true) {
      if (names !== undefined && load) await resource.loadNames?.(values, names);
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
    duplicateKey: (values) => stringifyJson([findLikeness(at, values), place(values)]),
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

function toRecordFields(
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

/** The records of the like of a write, of these; undefined where a write does not tell which they are, or `read` gives up. */
async function readLikes(
  at: CreationPlace,
  api: Api,
  all: readonly Values[],
  read: (call: ApiCall) => Promise<readonly Row[] | undefined> = (call) => collectRows(call.pages()),
): Promise<((values: Values) => readonly Row[] | undefined) | undefined> {
  const { place = () => '' } = at.rule;
  const told = new Set(all.filter((values) => listCalls(at, api, [values]) !== undefined));
  const groups = new Map<string, { readonly row: Row; readonly place: string }[]>();
  for (const call of told.size === 0 ? [] : (listCalls(at, api, [...told]) ?? [])) {
    const rows = await read(call);
    if (rows === undefined) return undefined;
    for (const row of rows) {
      // With what its list was asked for: a list of one project need not say which.
      const shown = { ...call.values, ...row };
      const group = groups.get(findLikeness(at, shown)) ?? [];
      group.push({ row, place: place(shown) });
      groups.set(findLikeness(at, shown), group);
    }
  }
  return (values) => {
    if (!told.has(values)) return undefined;
    // Of what hides its place nobody can say that it is another.
    const places = ['', place(values)];
    const group = groups.get(findLikeness(at, values)) ?? [];
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

function findLikeness({ rule: { alike }, record: { fields } }: CreationPlace, one: Row): string {
  if (typeof alike === 'function') return alike(one);
  const values = alike.map((name) => {
    const value = one[name];
    if (Array.isArray(value)) return [...new Set(value.map(toText))].sort();
    if (fields[name]?.type === 'number') return toNumber(value);
    return fields[name]?.format === 'uri' ? toText(value) : normalizeText(value);
  });
  return stringifyJson(values);
}
