import type { Rate, RequestKind } from '../http/pacing.ts';

export interface RateWindow {
  readonly limit: number;
  readonly lengthMs: number;
  /** Places that a bulk run leaves to single commands. */
  readonly reserve: number;
  readonly counts: (kind: RequestKind) => boolean;
}

/** Below this a reserve would cost a bulk run too much. */
const MIN_LIMIT_WITH_RESERVE = 10;

/** 4 of 150 requests, 2 of 20 writes: a bulk run still uses more than 97 % of the minute. */
const computeReserve = (limit: number, share: number): number =>
  limit < MIN_LIMIT_WITH_RESERVE ? 0 : Math.max(1, Math.floor(limit * share));

export const createRateWindows = (rate: Rate): readonly [requests: RateWindow, writes: RateWindow] => [
  {
    limit: rate.requests,
    lengthMs: rate.perSeconds * 1000,
    reserve: computeReserve(rate.requests, 0.027),
    counts: () => true,
  },
  {
    limit: rate.writes,
    lengthMs: rate.writesPerSeconds * 1000,
    reserve: computeReserve(rate.writes, 0.1),
    counts: (kind) => kind === 'write',
  },
];

/** What may still go out at this moment. */
export interface RemainingAllowance {
  readonly requests: number;
  readonly writes: number;
  /** Milliseconds until a read may go; 0: now; infinite: not before one under way has ended. */
  readonly waitMs: number;
}

const span = (seconds: number): string => {
  if (seconds === 60) return 'this minute';
  return seconds === 1 ? 'this second' : `in ${seconds} s`;
};

/** `132 of 150 this minute, 18 of 20 writes this second` */
export const formatRemaining = (rate: Rate, left: RemainingAllowance): string =>
  `${left.requests} of ${rate.requests} ${span(rate.perSeconds)}, ` +
  `${left.writes} of ${rate.writes} writes ${span(rate.writesPerSeconds)}`;
