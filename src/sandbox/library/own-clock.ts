import type { Clock } from '../../clock.ts';
import { drawRandom } from '../state.ts';

/**
 * The machine's time for a sandbox in somebody's test (an adapter). It is taken when this is loaded: fake timers that
 * a test puts in place later turn the test's clock, not the sandbox's.
 */
const { setTimeout: later, clearTimeout: never } = globalThis;
const { now } = Date;

export interface OwnClock extends Clock {
  /** The same, but waiting alone does not keep the process alive. */
  readonly idle: Clock;
}

const sleeper =
  (holds: boolean): Clock['sleep'] =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = (): void => {
        never(timer);
        reject(signal?.reason);
      };
      const timer = later(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (!holds) timer.unref();
      signal?.addEventListener('abort', stop, { once: true });
    });

/** @param number where chance begins: the same one draws the same */
export const createOwnClock = (number: number): OwnClock => {
  const dice = { generator: number };
  const random = (): number => drawRandom(dice);
  return { now, random, sleep: sleeper(true), idle: { now, random, sleep: sleeper(false) } };
};
