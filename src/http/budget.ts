import type { Clock } from '../clock.ts';
import type { OnWait } from './interrupt.ts';
import type { Admission, Budget, Kind, Refusal } from './pace.ts';
import { createQueue } from './queue.ts';

/** `150/60,20/1`: requests in so many seconds, writes in so many seconds (contract, section 6). */
export interface Rate {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}

/** A refusal holds back the other requests for no longer than the service's own longest wait (spec/api.md, Errors). */
const LONGEST_HOLD_MS = 60_000;

/**
 * The budget within one process: two sliding windows, one over all requests, one over writes. A request takes a place
 * from its start until the window's length after the *end* of its answer, because the service may have counted it at
 * any moment between (design/reliability.md). With `off` nothing is counted and nothing waits.
 */
export const createBudget = (
  rate: Rate | 'off',
  clock: Clock,
  onWait?: OnWait,
  interrupt?: AbortSignal,
): Budget => {
  if (rate === 'off') return UNLIMITED;
  const all = createWindow(rate.requests, rate.perSeconds * 1000);
  const some = createWindow(rate.writes, rate.writesPerSeconds * 1000);
  let heldUntil = Number.NEGATIVE_INFINITY;
  const windowsOf = (kind: Kind): readonly Window[] => (kind === 'write' ? [all, some] : [all]);

  const release = (kind: Kind, refusal: Refusal | undefined): void => {
    const now = clock.now();
    for (const window of windowsOf(kind)) window.end(now);
    const hold = Math.min(refusal?.retryAfterMs ?? 0, LONGEST_HOLD_MS);
    if (hold > 0) heldUntil = Math.max(heldUntil, now + hold);
  };
  const waitOf = (kind: Kind): number => {
    const now = clock.now();
    // A hold further off than any can be: the clock was set back.
    if (heldUntil - now > LONGEST_HOLD_MS) heldUntil = now;
    return Math.max(heldUntil - now, 0, ...windowsOf(kind).map((window) => window.wait(now)));
  };
  const queue = createQueue<Kind, Admission>({ waitOf, clock, onWait, interrupt });
  const admission = (kind: Kind): Admission => {
    for (const window of windowsOf(kind)) window.begin();
    let open = true;
    return {
      done(refusal) {
        if (!open) return;
        open = false;
        release(kind, refusal);
        queue.serve();
      },
    };
  };
  return { admit: (kind) => queue.join(kind, () => admission(kind)) };
};

const UNLIMITED: Budget = { admit: () => Promise.resolve({ done: () => {} }) };

interface Window {
  begin(): void;
  /** The answer ended at `now`. */
  end(now: number): void;
  /** Milliseconds until a place is free; 0: there is one; infinite: not before a request under way has ended. */
  wait(now: number): number;
}

const createWindow = (places: number, lengthMs: number): Window => {
  let underWay = 0;
  /** Ends of the answers that still take a place, in order. */
  let ends: number[] = [];
  return {
    begin() {
      underWay += 1;
    },
    end(now) {
      underWay -= 1;
      ends.push(now);
    },
    wait(now) {
      // An end that lies ahead: the clock was set back. It counts from now.
      ends = ends.map((end) => Math.min(end, now)).filter((end) => end + lengthMs >= now);
      const excess = underWay + ends.length - places;
      if (excess < 0) return 0;
      const freed = ends[excess];
      // One more than the length: at exactly the length apart both may still be counted.
      return freed === undefined ? Number.POSITIVE_INFINITY : freed + lengthMs + 1 - now;
    },
  };
};
