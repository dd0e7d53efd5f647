import type { Api } from '../api/client.ts';
import { findState } from '../api/fields.ts';
import { Lists } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { isSameValue, showsValue } from '../parsing/names.ts';
import { createCreationReconciler, toRecordFields } from './creation.ts';
import type { Resource, Verb } from './define.ts';
import { createNames, type Names } from './names.ts';
import {
  type ChangedRecord,
  compareSent,
  type Effect,
  listSentFields,
  listValuesOf,
  type MembershipRule,
  type Outcome,
  type Reconciler,
  readOne,
  toOutcome,
} from './proof.ts';
import { RESOURCES } from './resources.ts';

/** What follows from the resources: how their records show what became of a write, and how they are named. */

/** What says in a few words which record of a noun it is; id and state have a place of their own. */
export async function loadRecordWords(noun: string, names: Names): Promise<readonly Column[]> {
  const columns = (await RESOURCES[noun]?.())?.label(names) ?? [];
  return columns.filter(({ field }) => field !== 'id' && field !== 'status');
}

/** How the service's own records show what became of a write; undefined for a read. */
export async function findReconciler(operation: Operation): Promise<Reconciler | undefined> {
  const resource = await RESOURCES[operation.noun]?.();
  const [, name = ''] = operation.id.split('.');
  const verb = resource?.verbs[name];
  if (resource === undefined || verb === undefined || 'path' in verb) return undefined;
  if (verb.does === 'list' || verb.does === 'get') return undefined;
  if (verb.does === 'act') return { after: async () => 'unknown' };
  if (verb.does === 'create') return createCreationReconciler(verb, resource, operation);
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
      };
    }
    case 'delete': {
      // What is really gone is not found.
      const shown = Object.keys(facts.fields).filter((name) => facts.fields[name]?.kind !== 'secret');
      const effect = (record: Row): Effect => ({
        before: Object.fromEntries(
          shown.filter((name) => name in record).map((name) => [name, record[name]]),
        ),
        after: null,
        outcome: 'not-done',
      });
      return {
        effect,
        missing: 'done',
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
  { record: { shownAs = {} }, view, toShown }: Resource,
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
      const outcome = toOutcome(isSo(record));
      const set = Object.entries(others(values)).filter(([name, value]) => !isSameValue(value, record[name]));
      const after = { ...(outcome === 'done' ? {} : { [state]: to }), ...Object.fromEntries(set) };
      const known = Object.keys(after).filter((name) => record[name] !== undefined);
      return { before: Object.fromEntries(known.map((name) => [name, record[name]])), after, outcome };
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
