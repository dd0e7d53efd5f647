import type { Clock } from '../clock.ts';
import { Failure } from '../outcome.ts';
import type { Delivery } from './delivery.ts';
import { type createForwarder, type ForwarderResult, toForwardingResult } from './forwarder.ts';
import {
  getDueMs,
  getWaitMs,
  isPending,
  MAX_ATTEMPTS,
  NEW,
  type ProgressStore,
  toFailed,
} from './progress.ts';
import type { ForwardingProgress } from './service.ts';
import type { DeliveryStore } from './store.ts';

/** One try at forwarding a delivery: it is on disk before it begins, and what came of it afterwards. */

export interface ForwardingAttempt extends ForwarderResult {
  readonly delivery: Delivery;
  /** Whether its sender had sent it before. */
  readonly repeat: boolean;
  readonly progress: ForwardingProgress;
}

/** What is to be tried. */
export interface AttemptRequest {
  readonly key: string;
  readonly repeat: boolean;
  /** Of the listener itself: it is left out where somebody else has forwarded it meanwhile. */
  readonly retry: boolean;
}

export interface AttemptEnd {
  /** Undefined: there was none. */
  readonly attempt?: ForwardingAttempt;
  /** When it is to be tried again: milliseconds since the epoch. */
  readonly dueMs?: number;
}

export interface AttemptOptions {
  readonly store: DeliveryStore;
  readonly progress: ProgressStore;
  readonly forward: ReturnType<typeof createForwarder>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly interrupted: AbortSignal;
  /** Told of what keeps an attempt from being recorded: once, until that works again. */
  readonly onFault: (error: unknown) => Promise<undefined>;
}

/** After what was no fault of the delivery. */
export const TRY_AGAIN_MS = 5000;

/** @returns whether it is on the disk */
const createRecorder = ({ progress, onFault }: AttemptOptions) => {
  let told = false;
  return async (key: string, value: ForwardingProgress): Promise<boolean> => {
    try {
      progress.write(key, value);
      told = false;
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!told) await onFault(error);
      told = true;
      return false;
    }
  };
};

/** What is recorded after an attempt. One that was cut short, because the listener ends, does not count. */
const judgeAttempt = (
  result: ForwarderResult,
  attempts: number,
  { clock, interrupted }: AttemptOptions,
): ForwardingProgress => {
  const { words, failure } = toForwardingResult(result);
  if (failure === undefined) return { ...NEW, state: 'done', attempts };
  if (interrupted.aborted) return { ...NEW, attempts: attempts - 1, last_error: words };
  if (attempts >= MAX_ATTEMPTS) return toFailed(attempts, words);
  const next = new Date(clock.now() + getWaitMs(attempts)).toISOString();
  return { ...NEW, attempts, next_attempt_at: next, last_error: words };
};

const getNextMs = ({ next_attempt_at: at }: ForwardingProgress): Pick<AttemptEnd, 'dueMs'> =>
  at === null ? {} : { dueMs: Date.parse(at) };

export const createAttempts = (options: AttemptOptions) => {
  const { store, progress, forward, clock, interrupted } = options;
  const record = createRecorder(options);
  /** What came of attempts, and could not be written. */
  const unrecorded = new Map<string, ForwardingProgress>();
  const getLater = (): AttemptEnd => ({ dueMs: clock.now() + TRY_AGAIN_MS });
  const recordEnd = async (key: string, end: ForwardingProgress): Promise<AttemptEnd> => {
    if (await record(key, end)) unrecorded.delete(key);
    else unrecorded.set(key, end);
    return unrecorded.has(key) ? getLater() : getNextMs(end);
  };
  return async ({ key, repeat, retry }: AttemptRequest): Promise<AttemptEnd> => {
    const owed = unrecorded.get(key);
    if (owed !== undefined && retry) return recordEnd(key, owed);
    const delivery = store.tryRead(key);
    const current = owed ?? progress.read(key) ?? NEW;
    if (delivery === undefined || (retry && !isPending(current)) || interrupted.aborted) return {};
    // One that is done, and came again, is begun anew.
    const before = isPending(current) ? current.attempts : 0;
    if ('problem' in delivery) return recordEnd(key, toFailed(before, `cannot be read: ${delivery.problem}`));
    const attempts = before + 1;
    if (!(await record(key, { ...NEW, attempts }))) return getLater();
    const result = await forward(delivery, repeat || before > 0);
    const after = judgeAttempt(result, attempts, options);
    const { dueMs } = await recordEnd(key, after);
    const attempt = { ...result, delivery, repeat, progress: after };
    return dueMs === undefined ? { attempt } : { attempt, dueMs };
  };
};

/** Of what is pending, the earliest first; what was begun for the last time and never ended has failed. */
export const listPending = (
  { store, progress, clock }: AttemptOptions,
  isMeant: (delivery: Delivery) => boolean,
): readonly (readonly [key: string, dueMs: number])[] => {
  const found: { key: string; dueMs: number; receivedAt: string }[] = [];
  for (const key of progress.keys()) {
    const current = progress.read(key);
    if (current === undefined || !isPending(current)) continue;
    const delivery = store.tryRead(key);
    // A listener was killed before it was stored.
    if (delivery === undefined) progress.remove(key);
    if (delivery === undefined || 'problem' in delivery || !isMeant(delivery)) continue;
    const { attempts } = current;
    if (attempts >= MAX_ATTEMPTS) progress.write(key, toFailed(attempts, 'the last attempt was cut short'));
    else found.push({ key, dueMs: getDueMs(current, clock.now()), receivedAt: delivery.received_at });
  }
  return found
    .sort((one, other) => one.receivedAt.localeCompare(other.receivedAt))
    .map(({ key, dueMs }) => [key, dueMs]);
};
