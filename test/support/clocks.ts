import type { Clock } from '../../src/clock.ts';

/**
 * A hundred times faster than the real one: waits and time-outs stay in their order, and tests stay quick. A wait is
 * counted in turns of this process, in which its sockets are served too: on a busy machine, where it is seldom let
 * run, no answer comes too late for that reason.
 */
const SPEED = 100;
const TURN_MS = 5;

const turn = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const quickClock: Clock = {
  now: () => Date.now(),
  random: () => 0.5,
  async sleep(ms, signal) {
    let left = ms / SPEED;
    do {
      signal?.throwIfAborted();
      await turn(Math.min(left, TURN_MS));
      left -= TURN_MS;
    } while (left > 0);
    signal?.throwIfAborted();
  },
};

/** A clock that stands still; nobody who sleeps is woken. */
export const standingClock = (now: number | string): Clock => ({
  now: () => new Date(now).getTime(),
  random: Math.random,
  sleep: () => new Promise(() => {}),
});

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Shorter waits are those of locks, which other processes hold: they pass by themselves. */
const MOMENT_MS = 100;

/** Far more than any test takes: what never ends is ended with a message. */
const [MOST_STEPS, MOST_TURNS] = [5_000, 1_000];

/** A clock that only the test turns. */
export const createTurnedClock = (start: number) => createManualClock(start, undefined, MOMENT_MS);
export type ManualClock = ReturnType<typeof createManualClock>;

/** The same; @param moment waits that are shorter pass by themselves, in milliseconds */
export const createManualClock = (start = 1_000_000, random: () => number = () => 0.5, moment = 0) => {
  let now = start;
  let sleepers: Sleeper[] = [];
  const sleeps: number[] = [];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    random,
    sleep(ms: number, signal?: AbortSignal): Promise<void> {
      sleeps.push(ms);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (ms < moment) return setTimeout(resolve, ms);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.push(sleeper);
        const stop = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    /** What was slept, in milliseconds, in order. */
    sleeps: sleeps as readonly number[],
    /** Goes on by `ms`, waking those who slept until then, in their order. */
    advance(ms: number): void {
      now += ms;
      const woken = sleepers.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const sleeper of woken) sleeper.wake();
    },
    /**
     * Goes on to each time that somebody sleeps until, in order, and ends when nobody sleeps any more.
     * @throws Error where somebody always sleeps again
     */
    async run(): Promise<void> {
      let steps = 0;
      for (await settled(); sleepers.length > 0; await settled()) {
        steps += 1;
        if (steps > MOST_STEPS)
          throw new Error(`after ${MOST_STEPS} steps of the clock somebody still sleeps`);
        sleepers.sort((a, b) => a.at - b.at);
        const first = sleepers.shift();
        now = Math.max(now, first?.at ?? now);
        first?.wake();
      }
    },
    /** Until somebody begins to sleep for so long. @throws Error where nobody does */
    async untilAsleep(ms = 0): Promise<void> {
      const before = sleeps.length;
      for (let turns = 0; !sleeps.slice(before).some((slept) => slept >= ms); turns += 1) {
        if (turns === MOST_TURNS) throw new Error(`in ${turns} turns nobody slept for ${ms} ms`);
        await settled();
      }
    },
    /** Sets the time without waking anyone. */
    set(time: number): void {
      now = time;
    },
  };
};

/** Looks again and again until it is so; the test's own time limit ends it. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
};
