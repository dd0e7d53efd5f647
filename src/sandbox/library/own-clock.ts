import type { Clock } from '../../clock.ts';
import { drawRandom } from '../state.ts';

/**
 * The machine's time for a sandbox in somebody's test (an adapter). It is taken when this is loaded: fake timers that
 * a test puts in place later turn the test's clock, not the sandbox's.
 */
const { setTimeout: setRealTimeout, clearTimeout: clearRealTimeout } = globalThis;
const { now } = Date;

export interface OwnClock extends Clock {
  /** The same, but waiting alone does not keep the process alive. */
  readonly idle: Clock;
}

const createSleep =
  (keepsAlive: boolean): Clock['sleep'] =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = (): void => {
        clearRealTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setRealTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (!keepsAlive) timer.unref();
      signal?.addEventListener('abort', stop, { once: true });
    });

/** @param seedNumber where chance begins: the same one draws the same */
export const createOwnClock = (seedNumber: number): OwnClock => {
  const state = { generator: seedNumber };
  const random = (): number => drawRandom(state);
  return { now, random, sleep: createSleep(true), idle: { now, random, sleep: createSleep(false) } };
};
