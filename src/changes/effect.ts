import type { ApiCall } from '../api/client.ts';
import { LIST_FROM } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { Context, Names } from '../context.ts';
import { Cancelled, EXIT, Failure } from '../errors.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import type { ChangedRecord, Effect, Reconciler } from '../resources/reconcile/reconciler.ts';
import type { Change } from './change.ts';
import { createReconciliation } from './reconcile.ts';
import { NOT_FOUND, type Observation } from './send-result.ts';

/** What the writes of a run change: their records are looked at, many at once where that takes fewer requests. */

/**
 * Undefined for a write that neither makes nor changes a record.
 * @param known the record, where it was read
 * @param since what was read before is read again, in milliseconds since the epoch
 */
export type Look = (call: ApiCall, known?: Row, since?: number) => Promise<Observation | undefined>;

const isUnchanged = ({ outcome, after }: Effect): boolean =>
  outcome === 'done' && after !== null && Object.keys(after).length === 0;

/** What somebody has seen may have changed so long after the last look, or after ten times what that look took. */
const FRESH_MS = 60_000;
const LOOK_SHARE = 10;

interface RecordGroup {
  readonly record: ChangedRecord | undefined;
  /** Of the rows that are still to be looked at, by the keys of their records. */
  readonly wanted: Map<string, Values>;
  search?: { readonly at: number; readonly done: Promise<unknown> };
  /** Why nothing more is read: a right is missing, or the service does not answer. */
  problem?: Failure;
}

const isEnd = (error: unknown): boolean =>
  error instanceof Cancelled || (error instanceof Failure && error.exit === EXIT.signedOut);

/** @returns why a record could not be read @throws what ends the run, and faults of ours */
const toProblem = (error: unknown): Failure => {
  if (isEnd(error) || !(error instanceof Failure)) throw error;
  return error;
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

type RunContext = Pick<Context, 'api' | 'names' | 'clock' | 'lists'>;

/**
 * One record: from a list that has it, else by itself. Many are looked for in their lists together.
 * @param since what was read before is read again, in the lists that had it
 */
const readRecord = async (
  { api, clock, lists }: RunContext,
  group: RecordGroup,
  call: ApiCall,
  since = 0,
) => {
  const { record, wanted } = group;
  if (record === undefined) return undefined;
  const own = (await createReconciliation(api, call)).api;
  const key = record.key(call.values);
  const read = () => record.read(own, call.values);
  const { isWhole = () => true } = record;
  const [list] = record.lists?.(own, [call.values]) ?? [];
  const kind = `${call.operation.id} ${call.values['workspace_id'] ?? ''}`;
  if (list === undefined) return lists.record(kind, key, read, since);
  const find = (id: string) => {
    const row = lists.find(list, id, since);
    return row !== undefined && isWhole(row) ? row : undefined;
  };
  if (find(key) !== undefined) return find(key);
  if (group.search === undefined || group.search.at < since) {
    const ids = new Set([...wanted.keys()].filter((id) => find(id) === undefined));
    const earlier = since === 0 ? [] : lists.listsOf(list, ids);
    const calls = earlier.length > 0 ? earlier : (record.lists?.(own, [...wanted.values()]) ?? []);
    // Where the list cannot be had, each record is read by itself.
    if (ids.size >= LIST_FROM)
      group.search = { at: clock.now(), done: lists.search(calls, ids, { since }).catch(toProblem) };
  }
  await group.search?.done;
  return find(key) ?? lists.record(record.isWhole === undefined ? list : kind, key, read, since);
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
      group = { record: reconciler?.record, wanted: new Map() };
      groups.set(id, group);
      if (reconciler?.fields !== undefined) creations.set(id, reconciler.fields);
    }
    if (group.record !== undefined) group.wanted.set(group.record.key(values), values);
  }
  return async (call, known, since) => {
    const { id } = call.operation;
    const created = await creations.get(id)?.(call.values, context.names);
    if (created !== undefined) return { record: created, after: created };
    const group = groups.get(id);
    const record = group?.record;
    if (group === undefined || record === undefined) return undefined;
    if (group.problem !== undefined && since === undefined) return toUnread(group.problem);
    try {
      const row = known ?? (await readRecord(context, group, call, since));
      if (since !== undefined) group.wanted.delete(record.key(call.values));
      return await observe(record, row, call.values, context.names);
    } catch (error) {
      group.problem = toProblem(error);
      return toUnread(group.problem);
    }
  };
};

/**
 * The same of records that have to be as somebody has seen them: all are looked at when the first is, and those that
 * are left again after a minute, or after ten times what the look took, whichever is later.
 * @param seenAt when a person agreed to what was shown: what was read before does not count
 */
export const createCheckingLook = async (
  context: RunContext,
  calls: Iterable<ApiCall>,
  seenAt = 0,
): Promise<(call: ApiCall) => Promise<Observation | undefined>> => {
  const { clock } = context;
  const look = await createLook(context, calls);
  let freshMs = FRESH_MS;
  return async (call) => {
    const now = clock.now();
    const observation = await look(call, undefined, Math.max(seenAt, now - freshMs));
    freshMs = Math.max(freshMs, LOOK_SHARE * (clock.now() - now));
    return observation;
  };
};

/** Rows of a page of a list, where nothing else is known. */
const PAGE = 100;

/**
 * The requests that a run will make beside its writes. Lists that it looks at before its writes are read here: only they
 * tell how long they are.
 */
export const countLooks = async (context: Context, changes: readonly Change[]): Promise<number> => {
  const { settings, lists, api, jobs } = context;
  if (settings.rateLimit.value === 'off' || settings.dryRun.value || changes.length < PAGE / 2) return 0;
  const isRecorded = (await jobs()).wanted;
  const left: ApiCall[] = [];
  for (const { call, before, seen } of changes) {
    const { first } = (await findReconciler(call.operation))?.record ?? {};
    const isLookedAt = first === true || (first === 'old-values' && isRecorded);
    if (before === undefined && seen === undefined && isLookedAt) left.push(call);
  }
  const [one] = left;
  if (one !== undefined) await (await createLook(context, left))(one);
  const single = new Set<string>();
  for (const call of left) {
    const { api: own, reconciler } = await createReconciliation(api, call);
    const key = reconciler?.record?.key(call.values) ?? '';
    const [list] = reconciler?.record?.lists?.(own, [call.values]) ?? [];
    if (list === undefined || lists.find(list, key) === undefined) single.add(`${call.operation.id} ${key}`);
  }
  const checked = changes.filter(({ seen }) => seen !== undefined).length;
  const minutes = Math.ceil(changes.length / settings.rateLimit.value.requests);
  return single.size + minutes * Math.ceil(checked / PAGE);
};
