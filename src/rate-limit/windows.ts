import type { Clock } from '../clock.ts';
import type { Admission, Rate, RequestKind } from '../http/pacing.ts';
import type { Tape } from './ledger-file.ts';
import { createEndRecords, doneOnce, formatRecord } from './ledger-record.ts';

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

export interface FastPathOptions {
  /** Absent: there is no short way. */
  readonly tape: Tape | undefined;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly run: string;
  readonly leaseMs: number;
}

/** Leave for the first requests of a process while little is going on, at next to no cost. */
export interface FastPath {
  /** Undefined: not by this way; the whole budget (shared-budget.ts) has to look. */
  claim(kind: RequestKind): Admission | undefined;
  /** Requests that went this way so far. */
  sent(): number;
}

/** Writes a claim, and answers whether it stands; one that does not is dropped. */
const createAttempt = ({ tape: ledger, rate, clock, leaseMs }: FastPathOptions) => {
  let lines = 0;
  const stands = (own: string, kind: RequestKind, timely: boolean): boolean => {
    const fresh = ledger?.read() ?? [];
    lines += fresh.length;
    const places = kind === 'write' ? Math.min(rate.writes, rate.requests) : rate.requests;
    const disturbed = fresh.some((line) => line.startsWith('line ') || line.startsWith('hold '));
    return timely && !disturbed && lines <= places && fresh.includes(own.trimEnd());
  };
  return (id: string, kind: RequestKind): boolean => {
    const claim = { type: 'claim', id, at: clock.now(), kind, bulk: false, leaseMs, home: '-' } as const;
    const own = formatRecord(claim);
    const timely = ledger?.append(own) === true;
    if (stands(own, kind, timely)) return true;
    ledger?.append(formatRecord({ type: 'drop', id }));
    return false;
  };
};

const orNone = (action: () => boolean): boolean => {
  try {
    return action();
  } catch {
    // The whole budget meets the same fault, and knows what to do.
    return false;
  }
};

/**
 * The first half of what shared-budget.ts does: write a claim, read what stands before it. In place of adding up
 * the records it counts the lines: there are never more claims before this one than lines. So where there are
 * fewer lines than the allowance, the claim stands; a request leaves two lines, so that holds until about half of
 * it is used. Whoever waits or was refused ends the short way too.
 */
export const createFastPath = (options: FastPathOptions): FastPath => {
  const { tape: ledger, rate, clock, run } = options;
  let count = 0;
  let open = ledger !== undefined;
  // More are one of many, and those only the whole budget tells apart.
  const most = countSingleRequests(rate);
  const attempt = createAttempt(options);
  return {
    sent: () => count,
    claim(kind) {
      if (!open || count >= most) return undefined;
      const id = `${run}.${count + 1}`;
      open = orNone(() => attempt(id, kind));
      if (!open) return undefined;
      count += 1;
      return doneOnce((refusal) => {
        orNone(() => {
          for (const record of createEndRecords(id, kind, clock.now(), refusal))
            ledger?.append(formatRecord(record));
          return true;
        });
      });
    },
  };
};
