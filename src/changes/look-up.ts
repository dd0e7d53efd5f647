import { LIST_FROM, Lists } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { ApiError, Cancelled, Failure } from '../errors.ts';
import type { Outcome, PreviewRow } from '../resources/reconcile/reconciler.ts';
import { runOrderedPool } from './ordered-pool.ts';
import { getLastLook, type Shown, type WriteKind } from './outcomes.ts';
import { isSignedOut, type Reconciliation } from './reconcile.ts';

/** Looks for what became of writes whose answers were lost. Nothing is ever sent again here. */

export interface LostWrite {
  readonly reconciliation: Reconciliation;
  /** What `readBefore` gave before it was sent. */
  readonly before: unknown;
  /** When the answer was lost; after a kill, when it was sent. Milliseconds since the epoch. */
  readonly lostAt: number;
}

export interface LookResult {
  readonly shown: Exclude<Shown, 'none' | 'alike'>;
  /** The record that was made or changed, where the records show which one it is. */
  readonly record?: Row;
}

export type LookContext = Pick<Context, 'clock' | 'settings' | 'interrupted'>;

export interface LookOptions<W> {
  /** Told of each as soon as it is found, or given up. */
  readonly settle: (write: W, finding: LookResult) => Promise<void>;
  /** Of a job that is gone on with: all are looked at now, and what is not shown once more when `settle` has passed. */
  readonly isResumed?: boolean;
  /** Told before a wait. */
  readonly onWait?: (ms: number) => void;
}

/** By whether a second one would make a second record. */
export function getWriteKind({ reconciler }: Reconciliation): WriteKind {
  return reconciler?.likes === undefined ? 'change' : 'creation';
}

/**
 * Looks at all of them together, at growing distances, until each is found or its time has passed. A signal ends the
 * wait at once.
 * @throws ApiError where the sign-in has ended, of a job that is gone on with
 */
export async function lookForLost<W extends LostWrite>(
  { clock, settings, interrupted }: LookContext,
  writes: readonly W[],
  { settle, isResumed = false, onWait }: LookOptions<W>,
): Promise<void> {
  const settleSeconds = settings.settleSeconds.value;
  const begun = clock.now();
  // A clock that was set back must not make it wait for longer.
  const toDeadline = ({ reconciliation, lostAt }: W): number =>
    Math.min(lostAt, begun) +
    1000 * (isResumed ? settleSeconds : getLastLook(getWriteKind(reconciliation), settleSeconds));
  let open = writes.map((write) => ({ write, deadline: toDeadline(write) }));
  const isSoon = (write: W): boolean => isResumed || getWriteKind(write.reconciliation) === 'creation';
  const getEnd = (): number => open.reduce((end, { deadline }) => Math.max(end, deadline), begun);
  let now = begun;
  let due = writes.some(isSoon) ? now : getEnd();
  for (let distance = isResumed ? Number.POSITIVE_INFINITY : 1000; open.length > 0; distance *= 2) {
    if (due > now) onWait?.(due - now);
    const isInterrupted = await sleepUnlessInterrupted(due - now, clock, interrupted);
    now = Math.max(clock.now(), due);
    const looked = open.filter(({ write, deadline }) => isSoon(write) || deadline <= now);
    const found = isInterrupted
      ? undefined
      : await lookAtAll(
          looked.map(({ write }) => write),
          clock,
          isResumed,
        );
    const rest: typeof open = [];
    for (const one of open) {
      const finding = found === undefined ? INTERRUPTED : found.get(one.write);
      const isOver = finding?.shown === 'done' || finding?.shown === 'interrupted' || one.deadline <= now;
      if (finding === undefined || !isOver) rest.push(one);
      else await settle(one.write, finding);
    }
    open = rest;
    due = Math.min(now + distance, getEnd());
  }
}

const INTERRUPTED: LookResult = { shown: 'interrupted' };

/** @returns whether a signal ended it */
export async function sleepUnlessInterrupted(
  ms: number,
  clock: Context['clock'],
  interrupted: AbortSignal,
): Promise<boolean> {
  if (interrupted.aborted || ms <= 0) return interrupted.aborted;
  await clock.sleep(ms, interrupted).catch((error: unknown) => {
    if (!interrupted.aborted) throw error;
  });
  return interrupted.aborted;
}

const MAX_IN_FLIGHT = 8;

/** Those of one operation by the pages of its lists, where that takes fewer requests. */
async function lookAtAll<W extends LostWrite>(
  writes: readonly W[],
  clock: Context['clock'],
  isResumed: boolean,
): Promise<ReadonlyMap<W, LookResult>> {
  const groups = new Map<string, W[]>();
  for (const write of writes) {
    const { operation, ownWorkspace } = write.reconciliation.call;
    const key = `${operation.id} ${ownWorkspace ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), write]);
  }
  const found = new Map<W, LookResult>();
  for (const group of groups.values()) {
    const judge = await readLists(group, clock);
    const look = async (write: W): Promise<void> => {
      const { reconciliation, before } = write;
      const { api, call, reconciler } = reconciliation;
      const read = async () =>
        judge === undefined ? reconciler?.after(api, call.values, before) : judge(call.values, before);
      found.set(write, await toLookResult(read, isResumed));
    };
    const pool = runOrderedPool(group, look, { width: MAX_IN_FLIGHT, stopped: () => false });
    while ((await pool.next()).done !== true);
  }
  return found;
}

async function toLookResult(
  read: () => Promise<Outcome | PreviewRow | undefined>,
  isResumed: boolean,
): Promise<LookResult> {
  try {
    const outcome = (await read()) ?? 'unknown';
    if (typeof outcome !== 'string') return { shown: 'done', record: outcome.record };
    return { shown: outcome === 'unknown' ? 'unclear' : outcome };
  } catch (error) {
    if (!(error instanceof Failure) || (isResumed && isSignedOut(error))) throw error;
    return { shown: error instanceof Cancelled ? 'interrupted' : 'unread' };
  }
}

/** Undefined where each is looked at by itself. */
async function readLists(group: readonly LostWrite[], clock: Context['clock']) {
  const [first] = group;
  const { api, reconciler } = first?.reconciliation ?? {};
  if (api === undefined || reconciler?.afterRun === undefined || group.length < LIST_FROM) return undefined;
  try {
    // What was read before the writes shows nothing of them.
    const lists = new Lists(api, () => clock.now());
    return await reconciler.afterRun(
      lists,
      api,
      group.map(({ reconciliation }) => reconciliation.call.values),
    );
  } catch (error) {
    // Who may not read the list, or not all of it, may still read a record.
    const isRefused = error instanceof ApiError && error.status < 500 && !isSignedOut(error);
    if (isRefused || (error instanceof Failure && error.code === 'incomplete')) return undefined;
    return () => Promise.reject(error);
  }
}
