import type { Api } from '../api/client.ts';
import { findState, isArchived } from '../api/fields.ts';
import { getIdName, nounOf, type Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { isSameValue } from '../parsing/names.ts';
import { createCreationReconciler } from './creation.ts';
import type { Resource, Verb } from './define.ts';
import type { Names } from './names.ts';
import {
  type ChangedRecord,
  describeUpdate,
  type Effect,
  findOne,
  listValuesOf,
  type MembershipRule,
  type Outcome,
  type Reconciler,
  readOne,
  type StateRule,
  toOutcome,
  toRecordFields,
  type UpdateProof,
} from './proof.ts';
import { RESOURCES } from './resources.ts';

/** What follows from the resources: how their records show what became of a write, and how they are named. */

/** They have a place of their own. */
const SAID_ELSEWHERE = new Set(['id', 'status']);

/** What says in a few words which record of a noun it is. */
export function listRecordWords(noun: string, names: Names): readonly Column[] {
  const columns = RESOURCES[noun]?.label(names) ?? [];
  return columns.filter(({ field }) => !SAID_ELSEWHERE.has(field));
}

/** How the service's own records show what became of a write; undefined for a read. */
export function findReconciler(operation: Operation): Reconciler | undefined {
  const resource = RESOURCES[nounOf(operation)];
  const verbs = Object.entries(resource?.verbs ?? {});
  const [, verb] = verbs.find(([name]) => resource?.operations[name]?.id === operation.id) ?? [];
  if (resource === undefined || verb === undefined || 'path' in verb) return undefined;
  if (verb.does === 'act') return verb.proof ?? { after: async () => 'unknown' };
  const { record: facts, view, operations } = resource;
  const { list, get } = operations;
  if (list === undefined) return undefined;
  // The answer to an invitation is no record of a list.
  const ownGet = get?.record === operation.record ? get : undefined;
  if (verb.does === 'create')
    return createCreationReconciler(verb, { record: facts, operation, list, view, get: ownGet });
  const proof = proveChange(resource, operation, verb);
  if (proof === undefined) return undefined;
  const { missing = 'unknown', record: rule, ...more } = proof;
  const key = (values: Values): string => toText(values[getIdName(operation)]);
  // Which list has the record, where there are several: those of one project.
  const bound = Object.keys(list.parameters).find((name) => list.parameters[name]?.required);
  const record: ChangedRecord = {
    key,
    // Some have a list alone.
    read(api, values) {
      const id = key(values);
      if (get === undefined) return findOne(api.call(list, { id }), (row) => toText(row.id) === id);
      const place =
        bound === undefined || values[bound] === undefined ? {} : { [bound]: toNumber(values[bound]) };
      return readOne(api.call(get, { ...place, [getIdName(get)]: id }));
    },
    // None where a write does not tell in which one its record is.
    lists(api, all) {
      const call = (values: Values) => api.call(list, values);
      if (bound === undefined) return [call({})];
      if (all.some((values) => values[bound] === undefined)) return [];
      return listValuesOf(all, bound).map((value) => call({ [bound]: toNumber(value) }));
    },
    ...rule,
  };
  const showsEffect = async (found: Row, values: Values): Promise<Outcome> =>
    (await record.effect(found, values)).outcome;
  const { createJudge = () => showsEffect, ...shown } = more;
  const after = async (api: Api, values: Values): Promise<Outcome> => {
    const found = await record.read(api, values);
    if (found === undefined) return missing;
    return found === null ? 'unknown' : createJudge(api)(found, values);
  };
  return {
    after,
    async afterRun(lists, api, all) {
      const { rows } = await lists.search(record.lists?.(api, all) ?? [], new Set(all.map(key)));
      const judge = createJudge(api);
      return async (values) => {
        const [row] = rows.get(key(values)) ?? [];
        const outcome = row === undefined ? 'unknown' : await judge(row, values);
        // A list may leave out what the record has.
        return outcome === 'unknown' ? after(api, values) : outcome;
      };
    },
    record,
    ...shown,
  };
}

interface Proof extends Pick<Reconciler, 'view' | 'rate' | 'contradicts'> {
  readonly record: Partial<ChangedRecord> & Pick<ChangedRecord, 'effect'>;
  /** What it tells that the service has no such record. Default: nothing. */
  readonly missing?: Outcome | undefined;
  readonly createJudge?: UpdateProof['createJudge'];
}

/** What stands for a time that only the write will set. */
const NOW = 'now';

function proveChange(resource: Resource, operation: Operation, verb: Verb): Proof | undefined {
  const { record: facts, view } = resource;
  switch (verb.does) {
    case 'update': {
      const effect = (record: Row, values: Values) =>
        describeUpdate(operation, facts, { record, shown: view(record, values), values }, verb.toShown);
      const { effect: ownEffect = effect, ...own } = verb.proof ?? {};
      return { record: { effect: ownEffect, first: 'old-values' }, view, ...own };
    }
    case 'archive':
      // A soft delete: the record says so, or the service shows it no longer.
      return proveState({
        missing: 'done',
        state: 'deleted_at',
        to: NOW,
        judge: (record) => toOutcome(isArchived(record)),
        contradicts: showsNotDeleted,
        ...verb.shown,
      });
    case 'restore':
      return proveState({
        state: 'deleted_at',
        to: null,
        judge: (record) => toOutcome(!isArchived(record)),
        ...verb.shown,
      });
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
      return { record: { effect }, missing: 'done', contradicts: showsNotDeleted };
    }
    case 'decide': {
      const to = operation.moves?.to ?? null;
      // A status that is not known tells nothing: not all are documented.
      const judge = (row: Row): Outcome => {
        const state = findState(facts, row);
        return state === undefined ? 'unknown' : toOutcome(state === to);
      };
      const rule: StateRule = {
        state: 'status',
        to,
        judge,
        // What can be taken back is answered as done where it is done already: the record is looked at first.
        ...(operation.undo?.kind === 'opposite' && { first: true }),
        contradicts: (answer) => (judge(answer) === 'not-done' ? 'status' : undefined),
      };
      // A field of the record that is called like the parameter would be another one.
      const renamed = Object.entries(facts.shownAs ?? {}).filter(([name]) => name in operation.parameters);
      return {
        ...proveState(rule, (values) => toRecordFields(operation, facts, values)),
        view: (row) => ({
          ...row,
          ...Object.fromEntries(renamed.map(([name, field]) => [name, row[field]])),
        }),
      };
    }
    case 'assign':
    case 'assign-members':
      return proveMembership(verb.shown);
    default:
      return undefined;
  }
}

function showsNotDeleted({ deleted_at: at }: Row): string | undefined {
  return at === null ? 'deleted_at' : undefined;
}

/** @param others fields that the write sets beside the state, by the names of the record's fields */
function proveState(
  { state, to, judge, missing, first, contradicts }: StateRule,
  others: (values: Values) => Row = () => ({}),
): Proof {
  const effect = (record: Row, values: Values): Effect => {
    const outcome = judge(record);
    const set = Object.entries(others(values)).filter(([name, value]) => !isSameValue(value, record[name]));
    const after = { ...(outcome === 'done' ? {} : { [state]: to }), ...Object.fromEntries(set) };
    const known = Object.keys(after).filter((name) => record[name] !== undefined);
    return { before: Object.fromEntries(known.map((name) => [name, record[name]])), after, outcome };
  };
  const sets = (values: Values): Row => ({ [state]: to, ...others(values) });
  return {
    record: { effect, sets, ...(first && { first }) },
    missing,
    ...(contradicts && { contradicts }),
  };
}

function proveMembership({ field, item, wanted, ids, subject, contradicts, ...more }: MembershipRule): Proof {
  const effect = (record: Row, values: Values): Effect => {
    const listed = ids(record);
    const id = toText(values[item]);
    const about = subject && { subject: subject(values) };
    if (listed === undefined)
      return { before: {}, after: wanted ? { [field]: [id] } : {}, outcome: 'unknown', ...about };
    if (listed.includes(id) === wanted) return { before: {}, after: {}, outcome: 'done', ...about };
    const after = wanted ? [...listed, id] : listed.filter((one) => one !== id);
    return { before: { [field]: listed }, after: { [field]: after }, outcome: 'not-done', ...about };
  };
  return {
    record: { ...more, effect, first: true },
    contradicts(answer, values) {
      const listed = ids(answer);
      if (listed === undefined) return contradicts?.(answer, values);
      return listed.includes(toText(values[item])) === wanted ? undefined : field;
    },
  };
}
