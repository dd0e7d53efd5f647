import type { Clock } from '../../src/clock.ts';

/** Shorter waits are those of locks, which other processes hold: they pass by themselves. */
const MOMENT_MS = 100;

/** A clock that only the test turns: who sleeps is woken by `advance`. */
export interface TurnedClock extends Clock {
  /** Goes on by `ms`, waking those who slept until then, in their order. */
  advance(ms: number): void;
}

interface Sleeper {
  readonly at: number;
  wake(): void;
}

export const createTurnedClock = (start: number): TurnedClock => {
  let now = start;
  let sleepers: Sleeper[] = [];
  return {
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (ms < MOMENT_MS) return setTimeout(resolve, ms);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.push(sleeper);
        const stop = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', stop, { once: true });
      }),
    advance(ms) {
      now += ms;
      const woken = sleepers.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const sleeper of woken) sleeper.wake();
    },
  };
};

/** Looks again and again until it is so; the test's own time limit ends it. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
};
