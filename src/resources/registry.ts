import { type Api, callOperation } from '../api/client.ts';
import { getIdName, nounOf, type Operation } from '../api/operation.ts';
import type { Values } from '../api/plan.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { createCreationReconciler } from './creation.ts';
import { isCommand, type Resource, type Verb } from './define.ts';
import { loadResource } from './load.ts';
import type { Names } from './names.ts';
import {
  archival,
  createDeletionReconciler,
  createMembershipReconciler,
  createStateReconciler,
  createTransitionReconciler,
  createUpdateReconciler,
  findOne,
  listDistinct,
  type Reconciler,
  type RecordPlace,
  readOne,
  restoral,
} from './proof.ts';

/** What follows from the resources: how their records show what became of a write, and how they are named. */

/** How the service's own records show what became of a write; undefined for a read. */
export async function findReconciler(operation: Operation): Promise<Reconciler | undefined> {
  const resource = await loadResource(nounOf(operation));
  const [, verb] =
    Object.entries(resource?.verbs ?? {}).find(([name]) => resource?.operations[name]?.id === operation.id) ??
    [];
  return resource === undefined || verb === undefined || isCommand(verb)
    ? undefined
    : proveWrite(resource, operation, verb);
}

/** They have a place of their own. */
const SAID_ELSEWHERE = new Set(['id', 'status']);

/** What says in a few words which record of a noun it is. */
export async function loadRecordWords(noun: string, names: Names): Promise<readonly Column[]> {
  const columns = (await loadResource(noun))?.label(names) ?? [];
  return columns.filter(({ field }) => !SAID_ELSEWHERE.has(field));
}

function proveWrite(resource: Resource, operation: Operation, verb: Verb): Reconciler | undefined {
  const { record, operations, view } = resource;
  const { list, get } = operations;
  if (verb.does === 'act') return verb.proof ?? { after: async () => 'unknown' };
  if (list === undefined) return undefined;
  if (verb.does === 'create')
    return createCreationReconciler(verb, {
      ...{ record, operation, list, view },
      // The answer to an invitation is no record of a list.
      get: get?.record === operation.record ? get : undefined,
    });
  const place = findPlace(list, get, getIdName(operation));
  switch (verb.does) {
    case 'update':
      return createUpdateReconciler({ ...place, record, operation, view, toShown: verb.toShown }, verb.proof);
    case 'archive':
      return createStateReconciler(place, { ...archival, ...verb.shown });
    case 'restore':
      return createStateReconciler(place, { ...restoral, ...verb.shown });
    case 'delete':
      return createDeletionReconciler(place, record);
    case 'decide':
      return operation.moves && createTransitionReconciler(place, { operation, record }, operation.moves);
    case 'assign':
    case 'assign-members':
      return createMembershipReconciler(place, verb.shown);
    default:
      return undefined;
  }
}

/** The record that a write names, by itself or in its list; some have a list alone. */
function findPlace(list: Operation, get: Operation | undefined, idName: string): RecordPlace {
  const [bound] = Object.keys(list.parameters).filter((name) => list.parameters[name]?.required);
  return {
    key: (values) => toText(values[idName]),
    read: (api, values) => {
      const id = toText(values[idName]);
      if (get === undefined) return findOne(callOperation(api, list)({ id }), (row) => toText(row.id) === id);
      const place =
        bound === undefined || values[bound] === undefined ? {} : { [bound]: toNumber(values[bound]) };
      return readOne(callOperation(api, get)({ ...place, [getIdName(get)]: id }));
    },
    lists: (api, all) => listRecords(api, list, bound, all),
  };
}

/** The lists that have these records; none where a write does not tell in which one its record is. */
function listRecords(api: Api, list: Operation, bound: string | undefined, all: readonly Values[]) {
  const call = callOperation(api, list);
  if (bound === undefined) return [call({})];
  if (all.some((values) => values[bound] === undefined)) return [];
  return listDistinct(all, bound).map((value) => call({ [bound]: toNumber(value) }));
}
