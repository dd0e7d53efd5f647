import type { Clock } from '../clock.ts';
import { type OnWait, pause, toCancelled } from './pacing.ts';

/** First come, first served: the first waits for its own turn, the others behind it. */
export interface TurnQueue<K, T> {
  /** Resolves with what `enter` gives, called when the turn has come. Fails with `Cancelled` when interrupted. */
  join(kind: K, enter: () => T): Promise<T>;
  /** Lets in all whose turn it is. To be called when something has changed that `waitOf` looks at. */
  serve(): void;
}

interface QueueOptions<K> {
  /** Milliseconds until one of this kind may enter; 0: now; infinite: not before `serve` is called again. Throws to
   * refuse it. */
  waitOf(kind: K): number;
  readonly clock: Clock;
  readonly onWait: OnWait | undefined;
  readonly interrupt: AbortSignal | undefined;
  /** `waitOf` is asked again after so many milliseconds, for what others do may change its answer. Absent: never. */
  readonly longestNap?: () => number;
}

/** At full load each request waits for some milliseconds; nobody wants to read of those. */
const WORTH_TELLING_MS = 1000;

interface Place<K> {
  readonly kind: K;
  enter(): void;
  refuse(error: unknown): void;
}

/** Tells of a wait, unless a person knows already that nothing happens until then. */
const createTelling = (clock: Clock, onWait: OnWait | undefined) => {
  let attempt = 0;
  let toldUntil = Number.NEGATIVE_INFINITY;
  return {
    tell(ms: number): void {
      const now = clock.now();
      if (ms < WORTH_TELLING_MS || now < toldUntil) return;
      toldUntil = now + ms;
      attempt += 1;
      onWait?.({ ms, why: 'budget', attempt });
    },
    startOver(): void {
      attempt = 0;
    },
  };
};

/** How long the first waits; undefined: it was refused. */
const waitOfFirst = <K>(
  waiting: Place<K>[],
  first: Place<K>,
  waitOf: (kind: K) => number,
): number | undefined => {
  try {
    return waitOf(first.kind);
  } catch (error) {
    waiting.shift()?.refuse(error);
    return undefined;
  }
};

export const createTurnQueue = <K, T>(options: QueueOptions<K>): TurnQueue<K, T> => {
  const { waitOf, clock, onWait, interrupt, longestNap = () => Number.POSITIVE_INFINITY } = options;
  const waiting: Place<K>[] = [];
  let asleep = false;
  const telling = createTelling(clock, onWait);
  const refuseAll = (error: unknown): void => {
    for (const place of waiting.splice(0)) place.refuse(error);
  };
  const sleep = async (ms: number): Promise<void> => {
    asleep = true;
    telling.tell(ms);
    await pause(clock, Math.min(ms, longestNap()), interrupt).catch(refuseAll);
    asleep = false;
    serve();
  };
  const serve = (): void => {
    if (interrupt?.aborted) refuseAll(toCancelled(interrupt));
    while (waiting[0] !== undefined && !asleep) {
      const ms = waitOfFirst(waiting, waiting[0], waitOf);
      if (ms === undefined) continue;
      if (ms === Number.POSITIVE_INFINITY) break;
      if (ms > 0) void sleep(ms);
      else waiting.shift()?.enter();
    }
    if (waiting.length === 0) telling.startOver();
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
