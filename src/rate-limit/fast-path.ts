import type { Clock } from '../clock.ts';
import type { Rate } from '../http/budget.ts';
import type { Admission, RequestKind } from '../http/pacing.ts';
import type { Tape } from './ledger-file.ts';
import { createEndRecords, doneOnce, formatRecord } from './ledger-record.ts';
import { countSingleRequests } from './windows.ts';

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
