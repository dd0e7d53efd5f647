import type { Api, ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { Context, Names } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, EXIT, Failure } from '../outcome.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import type { ChangedRecord, Effect, Reconciler } from '../resources/reconcile/reconciler.ts';
import { createReconciliation } from './reconcile.ts';
import { NOT_FOUND, type Observation } from './send-result.ts';

/** What the writes of a run change: their records are looked at, many at once where that takes fewer requests. */

/** Undefined for a write that neither makes nor changes a record. */
export type Look = (call: ApiCall, known?: Row) => Promise<Observation | undefined>;

/** Whether the record is already as the write would make it. */
const isUnchanged = ({ outcome, after }: Effect): boolean =>
  outcome === 'done' && after !== null && Object.keys(after).length === 0;

/** What was read so long ago is read again. */
const FRESH_MS = 60_000;
/** Rows of one request of a list (docs/service.md, Paging). */
const PAGE = 100;
/** So many records are worth a list. */
const LIST_FROM = 3;

/** The records of one operation in a run. */
interface RecordGroup {
  readonly record: ChangedRecord | undefined;
  readonly values: Values[];
  /** By key: when it was read, and the reading. */
  readonly reads: Map<string, { readonly at: number; readonly reading: Promise<Row | null | undefined> }>;
  listed?: { readonly at: number; readonly rows: Promise<ReadonlyMap<string, Row>> };
  /** Why nothing more is read: a right is missing, or the service does not answer. */
  problem?: Failure;
}

/** The records of a run by their keys, as far as lists have them in fewer requests than there are records. */
const readLists = async (api: Api, { record, values }: RecordGroup): Promise<ReadonlyMap<string, Row>> => {
  const wanted = new Set(values.map((one) => record?.key(one)));
  const found = new Map<string, Row>();
  let requests = 0;
  for (const list of record?.lists?.(api, values) ?? []) {
    for await (const { rows, total = 0 } of list.pages()) {
      requests += 1;
      for (const row of rows) if (wanted.has(toText(row.id))) found.set(toText(row.id), row);
      if (found.size === wanted.size || requests >= wanted.size || total / PAGE > wanted.size) return found;
    }
  }
  return found;
};

const isEnd = (error: unknown): boolean =>
  error instanceof Cancelled || (error instanceof Failure && error.exit === EXIT.signedOut);

/** @returns why a record could not be read @throws what ends the run, and faults of ours */
const toProblem = (error: unknown): Failure => {
  if (isEnd(error) || !(error instanceof Failure)) throw error;
  return error;
};

/** Where the list cannot be had, each record is read by itself. */
const toUnlisted = (error: unknown): ReadonlyMap<string, Row> => {
  toProblem(error);
  return new Map();
};

const toUnread = (cause: Failure): Observation => ({ problem: cause.message, cause });

const observe = async (
  record: ChangedRecord,
  row: Row | null | undefined,
  values: Values,
  names: Names,
): Promise<Observation> => {
  if (row === undefined) return { problem: NOT_FOUND };
  if (row === null) return { problem: 'the answer has no record' };
  const effect = await record.effect(row, values, names);
  const { before, after, old, subject = row } = effect;
  return { record: subject, before, after, ...(old && { old }), unchanged: isUnchanged(effect) };
};

type RunContext = Pick<Context, 'api' | 'names' | 'clock'>;

/** One record: from the lists where it is in them, else by itself. */
const readRecord = async ({ api, clock }: RunContext, group: RecordGroup, call: ApiCall) => {
  const { record, values, reads } = group;
  if (record === undefined) return undefined;
  const now = clock.now();
  const own = (await createReconciliation(api, call)).api;
  const isFresh = (one: { readonly at: number } | undefined): boolean =>
    one !== undefined && now - one.at < FRESH_MS;
  const key = record.key(call.values);
  if (record.lists !== undefined && values.length >= LIST_FROM) {
    if (!isFresh(group.listed)) group.listed = { at: now, rows: readLists(own, group).catch(toUnlisted) };
    const row = (await group.listed?.rows)?.get(key);
    if (row !== undefined) return row;
  }
  const known = reads.get(key);
  if (known !== undefined && isFresh(known)) return known.reading;
  const reading = record.read(own, call.values);
  reads.set(key, { at: now, reading });
  return reading;
};

/** What a write sets, as far as that is known without its record: no field is asked for a name. */
export const predictEffect = async ({ operation, values }: ApiCall): Promise<Observation> => {
  const reconciler = await findReconciler(operation);
  const created = await reconciler?.fields?.(values);
  if (created !== undefined) return { after: created };
  const record = reconciler?.record;
  const after = record?.sets?.(values) ?? (await record?.effect({}, values))?.after;
  return after === undefined ? {} : { after };
};

/**
 * One record as it is now, whatever was read before; undefined for a write that changes none.
 * @throws as `createLook`
 */
export const lookNow = async (
  { api, names }: Pick<Context, 'api' | 'names'>,
  call: ApiCall,
): Promise<Observation | undefined> => {
  const { api: own, reconciler } = await createReconciliation(api, call);
  const record = reconciler?.record;
  if (record === undefined) return undefined;
  try {
    return await observe(record, await record.read(own, call.values), call.values, names);
  } catch (error) {
    return toUnread(toProblem(error));
  }
};

/**
 * @param calls those of the run: their records are read together where that takes fewer requests
 * @returns throws Cancelled when interrupted, Failure (exit 3) when the login has ended
 */
export const createLook = async (context: RunContext, calls: Iterable<ApiCall>): Promise<Look> => {
  const groups = new Map<string, RecordGroup>();
  const creations = new Map<string, NonNullable<Reconciler['fields']>>();
  for (const { operation, values } of calls) {
    const { id } = operation;
    let group = groups.get(id);
    if (group === undefined) {
      const reconciler = await findReconciler(operation);
      group = { record: reconciler?.record, values: [], reads: new Map() };
      groups.set(id, group);
      if (reconciler?.fields !== undefined) creations.set(id, reconciler.fields);
    }
    if (group.record !== undefined) group.values.push(values);
  }
  return async (call, known) => {
    const { id } = call.operation;
    const created = await creations.get(id)?.(call.values, context.names);
    if (created !== undefined) return { record: created, after: created };
    const group = groups.get(id);
    const record = group?.record;
    if (group === undefined || record === undefined) return undefined;
    if (group.problem !== undefined) return toUnread(group.problem);
    try {
      const row = known ?? (await readRecord(context, group, call));
      return await observe(record, row, call.values, context.names);
    } catch (error) {
      group.problem = toProblem(error);
      return toUnread(group.problem);
    }
  };
};
