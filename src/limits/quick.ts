import type { Clock } from '../clock.ts';
import type { Rate } from '../http/budget.ts';
import type { Admission, Kind } from '../http/pace.ts';
import { doneOnce, endOfRequest, formatRecord } from './record.ts';
import type { Tape } from './tape.ts';
import { singleRequests } from './windows.ts';

export interface QuickOptions {
  /** Absent: there is no short way. */
  readonly tape: Tape | undefined;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly run: string;
  readonly leaseMs: number;
}

/** Leave for the first requests of a process while little is going on, at next to no cost. */
export interface Quick {
  /** Undefined: not by this way; the whole budget (shared-budget.ts) has to look. */
  claim(kind: Kind): Admission | undefined;
  /** Requests that went this way so far. */
  sent(): number;
}

/** Writes a claim, and answers whether it stands; one that does not is dropped. */
const createAttempt = ({ tape, rate, clock, leaseMs }: QuickOptions) => {
  let lines = 0;
  const stands = (own: string, kind: Kind, timely: boolean): boolean => {
    const fresh = tape?.read() ?? [];
    lines += fresh.length;
    const places = kind === 'write' ? Math.min(rate.writes, rate.requests) : rate.requests;
    const disturbed = fresh.some((line) => line.startsWith('line ') || line.startsWith('hold '));
    return timely && !disturbed && lines <= places && fresh.includes(own.trimEnd());
  };
  return (id: string, kind: Kind): boolean => {
    const claim = { type: 'claim', id, at: clock.now(), kind, bulk: false, leaseMs, home: '-' } as const;
    const own = formatRecord(claim);
    const timely = tape?.append(own) === true;
    if (stands(own, kind, timely)) return true;
    tape?.append(formatRecord({ type: 'drop', id }));
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
export const createQuick = (options: QuickOptions): Quick => {
  const { tape, rate, clock, run } = options;
  let count = 0;
  let open = tape !== undefined;
  // More are one of many, and those only the whole budget tells apart.
  const most = singleRequests(rate);
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
          for (const record of endOfRequest(id, kind, clock.now(), refusal))
            tape?.append(formatRecord(record));
          return true;
        });
      });
    },
  };
};
