import type { Clock } from '../clock.ts';

/** Time and chance of this machine. */
export const realClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      // Taken away again: a long run sleeps very often with one signal.
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
