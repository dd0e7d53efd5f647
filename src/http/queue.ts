import type { Clock } from '../clock.ts';
import { type OnWait, pause, toCancelled } from './pacing.ts';

/** First come, first served: the first waits for its own turn, the others behind it. */
export interface TurnQueue<K, T> {
  /** Resolves with what `enter` gives, called when the turn has come. Fails with `Cancelled` when interrupted. */
  join(kind: K, enter: () => T): Promise<T>;
  /** Lets in all whose turn it is. To be called when something has changed that `getWaitMs` depends on. */
  serve(): void;
}

interface QueueOptions<K> {
  /** Milliseconds until one of this kind may enter; 0: now; infinite: not before `serve` is called again. Throws to
   * refuse it. */
  getWaitMs(kind: K): number;
  readonly clock: Clock;
  readonly onWait: OnWait | undefined;
  readonly interrupt: AbortSignal | undefined;
  /** `getWaitMs` is called again after so many milliseconds, for other processes may change it. Absent: never. */
  readonly getMaxSleepMs?: () => number;
}

/** At full load each request waits for some milliseconds; nobody wants to read of those. */
const MIN_REPORTED_MS = 1000;

interface QueuedRequest<K> {
  readonly kind: K;
  enter(): void;
  refuse(error: unknown): void;
}

/** Tells of a wait, unless a person knows already that nothing happens until then. */
const createWaitReporter = (clock: Clock, onWait: OnWait | undefined) => {
  let attempt = 0;
  let reportedUntil = Number.NEGATIVE_INFINITY;
  return {
    report(ms: number): void {
      const now = clock.now();
      if (ms < MIN_REPORTED_MS || now < reportedUntil) return;
      reportedUntil = now + ms;
      attempt += 1;
      onWait?.({ ms, why: 'budget', attempt });
    },
    reset(): void {
      attempt = 0;
    },
  };
};

/** How long the first waits; undefined: it was refused. */
const computeFirstWait = <K>(
  waiting: QueuedRequest<K>[],
  first: QueuedRequest<K>,
  getWaitMs: (kind: K) => number,
): number | undefined => {
  try {
    return getWaitMs(first.kind);
  } catch (error) {
    waiting.shift()?.refuse(error);
    return undefined;
  }
};

export const createTurnQueue = <K, T>(options: QueueOptions<K>): TurnQueue<K, T> => {
  const { getWaitMs, clock, onWait, interrupt, getMaxSleepMs = () => Number.POSITIVE_INFINITY } = options;
  const waiting: QueuedRequest<K>[] = [];
  let isAsleep = false;
  const reporter = createWaitReporter(clock, onWait);
  const refuseAll = (error: unknown): void => {
    for (const entry of waiting.splice(0)) entry.refuse(error);
  };
  const sleep = async (ms: number): Promise<void> => {
    isAsleep = true;
    reporter.report(ms);
    await pause(clock, Math.min(ms, getMaxSleepMs()), interrupt).catch(refuseAll);
    isAsleep = false;
    serve();
  };
  const serve = (): void => {
    if (interrupt?.aborted) refuseAll(toCancelled(interrupt));
    while (waiting[0] !== undefined && !isAsleep) {
      const ms = computeFirstWait(waiting, waiting[0], getWaitMs);
      if (ms === undefined) continue;
      if (ms === Number.POSITIVE_INFINITY) break;
      if (ms > 0) void sleep(ms);
      else waiting.shift()?.enter();
    }
    if (waiting.length === 0) reporter.reset();
  };
  return {
    join(kind, enter) {
      return new Promise((resolve, reject) => {
        waiting.push({ kind, enter: () => resolve(enter()), refuse: reject });
        serve();
      });
    },
    serve,
  };
};
