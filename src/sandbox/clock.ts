import { UsageError } from '../errors.ts';
import { toSandboxTime } from './state.ts';
import type { World } from './world.ts';

/** The sandbox's one clock: how it stands, and the ways to move it. Times in milliseconds since the epoch. */

export interface StoredClock {
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  /** Whether it stands still. */
  readonly frozen: boolean;
  /** Seconds by which it is ahead of the machine's, to the millisecond; negative: behind. */
  readonly ahead_seconds: number;
}

export type ClockMove =
  | { readonly action: 'set'; readonly to_ms: number }
  | { readonly action: 'advance'; readonly by_ms: number }
  | { readonly action: 'freeze' | 'resume' | 'reset' };

export function readClock(world: World, machineMs: number): StoredClock {
  const now = toSandboxTime(world, machineMs);
  return {
    now: new Date(now).toISOString(),
    frozen: world.time.frozen_ms !== null,
    ahead_seconds: (now - machineMs) / 1000,
  };
}

/**
 * Moves the clock. Everything that ends or waits by it follows: it is asked at each request.
 * @throws UsageError for a moment that cannot be, and for an unknown move
 */
export function moveClock(world: World, move: ClockMove, machineMs: number): void {
  const now = toSandboxTime(world, machineMs);
  const { action } = move;
  if (action === 'set') setTime(world, machineMs, move.to_ms);
  else if (action === 'advance') setTime(world, machineMs, now + move.by_ms);
  else if (action === 'freeze') world.time.frozen_ms = now;
  else if (action === 'resume') world.time = { offset_ms: now - machineMs, frozen_ms: null };
  else if (action === 'reset') world.time = { offset_ms: 0, frozen_ms: null };
  else throw new UsageError(`unknown move of the clock: ${JSON.stringify(move)}`);
}

/** What ISO 8601 can write with four digits of a year. */
const MIN_TIME_MS = Date.parse('1970-01-01T00:00:00Z');
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Puts the clock to a moment; it runs on from there unless it stands still. */
function setTime({ time }: World, machineMs: number, timeMs: number): void {
  if (!Number.isFinite(timeMs) || timeMs < MIN_TIME_MS || timeMs > MAX_TIME_MS)
    throw new UsageError('the clock must be between the years 1970 and 9999');
  if (time.frozen_ms === null) time.offset_ms = Math.round(timeMs) - machineMs;
  else time.frozen_ms = Math.round(timeMs);
}
