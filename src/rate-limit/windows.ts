import type { Clock } from '../clock.ts';
import type { Admission, Rate, RequestKind } from '../http/pacing.ts';
import type { Ledger } from './ledger-file.ts';
import { createEndRecords, doneOnce, formatRecord } from './ledger-record.ts';

/** One of the two limits of the service. */
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

/**
 * So many requests a run sends as a single command. One that has sent more than the reserve holds is none any more:
 * a list of many pages.
 */
export const countSingleRequests = (rate: Rate): number => Math.max(1, createRateWindows(rate)[0].reserve);

export interface FastPathOptions {
  /** Absent: there is no fast path. */
  readonly ledger: Ledger | undefined;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly run: string;
  readonly leaseMs: number;
}

/** Admits the first requests of a process while there are few others, at next to no cost. */
export interface FastPath {
  /** Undefined: not by this path; the full budget (shared-budget.ts) decides. */
  claim(kind: RequestKind): Admission | undefined;
  /** Requests that this path admitted so far. */
  sent(): number;
}

/** Writes a claim, and returns whether it is admitted; one that is not is dropped. */
const createClaimWriter = ({ ledger, rate, clock, leaseMs }: FastPathOptions) => {
  let lines = 0;
  const isAdmitted = (ownLine: string, kind: RequestKind, timely: boolean): boolean => {
    const newLines = ledger?.read() ?? [];
    lines += newLines.length;
    const limit = kind === 'write' ? Math.min(rate.writes, rate.requests) : rate.requests;
    const hasWaitOrHold = newLines.some((line) => line.startsWith('line ') || line.startsWith('hold '));
    return timely && !hasWaitOrHold && lines <= limit && newLines.includes(ownLine.trimEnd());
  };
  return (id: string, kind: RequestKind): boolean => {
    const claim = { type: 'claim', id, at: clock.now(), kind, bulk: false, leaseMs, home: '-' } as const;
    const ownLine = formatRecord(claim);
    const timely = ledger?.append(ownLine) === true;
    if (isAdmitted(ownLine, kind, timely)) return true;
    ledger?.append(formatRecord({ type: 'drop', id }));
    return false;
  };
};

const tryOrFalse = (action: () => boolean): boolean => {
  try {
    return action();
  } catch {
    // The full budget meets the same fault, and handles it.
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
  const { ledger, rate, clock, run } = options;
  let count = 0;
  let open = ledger !== undefined;
  // A run that sends more is no single command, and the full budget alone knows bulk runs.
  const maxRequests = countSingleRequests(rate);
  const writeClaim = createClaimWriter(options);
  return {
    sent: () => count,
    claim(kind) {
      if (!open || count >= maxRequests) return undefined;
      const id = `${run}.${count + 1}`;
      open = tryOrFalse(() => writeClaim(id, kind));
      if (!open) return undefined;
      count += 1;
      return doneOnce((refusal) => {
        tryOrFalse(() => {
          for (const record of createEndRecords(id, kind, clock.now(), refusal))
            ledger?.append(formatRecord(record));
          return true;
        });
      });
    },
  };
};
