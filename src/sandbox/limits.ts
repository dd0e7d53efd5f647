import type { SentTimes, Token, World } from './world.ts';

/** As documented (docs/service.md, Limits). */
export interface RequestLimits {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}

export const DOCUMENTED_LIMITS: RequestLimits = {
  requests: 150,
  perSeconds: 60,
  writes: 20,
  writesPerSeconds: 1,
};

/** As the setting of `ttctl` has them: `150/60,20/1`, or `off`. */
export const formatRateLimit = (limits: RequestLimits | 'off' = DOCUMENTED_LIMITS): string =>
  limits === 'off'
    ? limits
    : `${limits.requests}/${limits.perSeconds},${limits.writes}/${limits.writesPerSeconds}`;

export interface Allowance {
  /** Seconds for `Retry-After` when the request is refused. */
  readonly retryAfter: number | undefined;
  readonly limit: number;
  readonly remaining: number;
}

/** Moments that still count: younger than the window, and not after now (a clock may be set back). */
const listRecent = (times: readonly number[], now: number, seconds: number): number[] =>
  times.filter((time) => time > now - seconds * 1000 && time <= now);

const getWindow = (world: World, token: Token): SentTimes => {
  const existing = world.windows[token.id];
  if (existing !== undefined) return existing;
  const created: SentTimes = { requests: [], writes: [] };
  world.windows[token.id] = created;
  return created;
};

/**
 * Counts a request of a token in sliding windows. A refused request is not counted.
 * `Retry-After` is 60 where the allowance of the minute is spent, 1 where writes come too fast
 * (docs/service.md, Errors); with other windows, their length.
 */
export const countRequest = (
  world: World,
  token: Token,
  write: boolean,
  now: number,
  limits: RequestLimits,
): Allowance => {
  const window = getWindow(world, token);
  window.requests = listRecent(window.requests, now, limits.perSeconds);
  window.writes = listRecent(window.writes, now, limits.writesPerSeconds);
  const left = limits.requests - window.requests.length;
  if (left <= 0) return { retryAfter: limits.perSeconds, limit: limits.requests, remaining: 0 };
  if (write && window.writes.length >= limits.writes) {
    return { retryAfter: limits.writesPerSeconds, limit: limits.requests, remaining: left };
  }
  window.requests.push(now);
  if (write) window.writes.push(now);
  return { retryAfter: undefined, limit: limits.requests, remaining: left - 1 };
};
