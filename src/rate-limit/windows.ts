import type { Rate } from '../http/budget.ts';
import type { RequestKind } from '../http/pacing.ts';

/** One of the two limits of the service. */
export interface RateWindow {
  readonly places: number;
  readonly lengthMs: number;
  /** Places that a bulk run leaves to single commands. */
  readonly reserve: number;
  readonly counts: (kind: RequestKind) => boolean;
}

/** Below this a place kept free would cost a bulk run too much. */
const TOO_FEW = 10;

/** 4 of 150 requests, 2 of 20 writes: a bulk run still uses more than 97 % of the minute. */
const reserveOf = (places: number, share: number): number =>
  places < TOO_FEW ? 0 : Math.max(1, Math.floor(places * share));

export const createRateWindows = (rate: Rate): readonly [requests: RateWindow, writes: RateWindow] => [
  {
    places: rate.requests,
    lengthMs: rate.perSeconds * 1000,
    reserve: reserveOf(rate.requests, 0.027),
    counts: () => true,
  },
  {
    places: rate.writes,
    lengthMs: rate.writesPerSeconds * 1000,
    reserve: reserveOf(rate.writes, 0.1),
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

/**
 * So many requests a run sends as a single command. One that has sent more than the reserve holds is none any more:
 * a list of many pages.
 */
export const countSingleRequests = (rate: Rate): number => Math.max(1, createRateWindows(rate)[0].reserve);
