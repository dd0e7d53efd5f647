import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../src/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};
