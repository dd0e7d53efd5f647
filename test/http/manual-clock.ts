import type { Clock } from '../../src/clock.ts';

export interface ManualClock extends Clock {
  /** Goes on to each time that somebody sleeps until, in order, and ends when nobody sleeps any more. */
  run(): Promise<void>;
  /** Sets the time without waking anyone. */
  set(now: number): void;
  /** What was slept, in milliseconds, in order. */
  readonly sleeps: readonly number[];
}

interface Sleeper {
  readonly at: number;
  wake(): void;
}

export const createManualClock = (start = 1_000_000, random: () => number = () => 0.5): ManualClock => {
  let now = start;
  let sleepers: Sleeper[] = [];
  const sleeps: number[] = [];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    random,
    sleep(ms, signal) {
      sleeps.push(ms);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal.reason);
        });
      });
    },
    async run() {
      for (await settled(); sleepers.length > 0; await settled()) {
        sleepers.sort((a, b) => a.at - b.at);
        const first = sleepers.shift();
        now = Math.max(now, first?.at ?? now);
        first?.wake();
      }
    },
    set(time) {
      now = time;
    },
    sleeps,
  };
};
