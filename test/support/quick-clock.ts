import type { Clock } from '../../src/clock.ts';

/** A hundred times faster than the real one: waits and time-outs stay in their order, and tests stay quick. */
const SPEED = 100;

export const quickClock: Clock = {
  now: () => Date.now(),
  random: () => 0.5,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(resolve, ms / SPEED);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
