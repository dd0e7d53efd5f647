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
