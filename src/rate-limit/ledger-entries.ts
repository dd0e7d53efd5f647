import type { RequestKind } from '../http/pacing.ts';
import { type LedgerRecord, LONGEST_HOLD_MS, parseRequestNumber, parseRunName } from './ledger-record.ts';

/** What the records of a ledger add up to. Times are milliseconds since the epoch. */

export interface LedgerEntry {
  readonly id: string;
  readonly run: string;
  readonly kind: RequestKind;
  /** Order of the claims. */
  readonly order: number;
  readonly bulk: boolean;
  /** Where its process runs; `-`: not known. */
  readonly home: string;
  /** From then on it counts as ended: its process has died. */
  readonly leaseEnd: number;
  end: number | undefined;
}

interface WaitingRun {
  readonly order: number;
  readonly bulk: boolean;
  until: number;
}

export interface LedgerEntries {
  /** The run of this process. */
  readonly own: string;
  /** Requests of this process up to this number were sent by the fast path (windows.ts). */
  readonly sent: number;
  readonly requests: Map<string, LedgerEntry>;
  /** Runs that wait. */
  readonly waitingRuns: Map<string, WaitingRun>;
  heldUntil: number;
  lastOrder: number;
}

const LONGEST_LEASE_MS = 3_600_000;

export const createLedgerEntries = (own: string, sent: number): LedgerEntries => ({
  own,
  sent,
  requests: new Map(),
  waitingRuns: new Map(),
  heldUntil: Number.NEGATIVE_INFINITY,
  lastOrder: 0,
});

const getNextOrder = (entries: LedgerEntries): number => {
  entries.lastOrder += 1;
  return entries.lastOrder;
};

type ClaimRecord = Extract<LedgerRecord, { type: 'claim' }>;

const applyClaim = (entries: LedgerEntries, record: ClaimRecord, now: number): void => {
  const { id, at, kind, bulk, home, leaseMs } = record;
  const run = parseRunName(id);
  entries.waitingRuns.delete(run);
  if (entries.requests.has(id)) return;
  const ownLeaseEnd = Math.min(at, now) + Math.min(leaseMs, LONGEST_LEASE_MS);
  // This process records the end of its own requests, however long they take.
  const isOwnRequest = run === entries.own && parseRequestNumber(id) > entries.sent;
  const leaseEnd = isOwnRequest ? Number.POSITIVE_INFINITY : ownLeaseEnd;
  entries.requests.set(id, {
    id,
    run,
    kind,
    bulk,
    home,
    order: getNextOrder(entries),
    leaseEnd,
    end: undefined,
  });
};

type EndRecord = Extract<LedgerRecord, { type: 'end' }>;

const applyEnd = (entries: LedgerEntries, { id, at, kind }: EndRecord, now: number): void => {
  const endedAt = Math.min(at, now);
  const known = entries.requests.get(id);
  if (known !== undefined) known.end ??= endedAt;
  // Its claim is in a segment that has been removed.
  else {
    const entry = { id, run: parseRunName(id), kind, bulk: false, home: '-', order: getNextOrder(entries) };
    entries.requests.set(id, { ...entry, leaseEnd: endedAt, end: endedAt });
  }
};

type WaitRecord = Extract<LedgerRecord, { type: 'line' }>;

const applyWait = (entries: LedgerEntries, { run, until, bulk }: WaitRecord): void => {
  const known = entries.waitingRuns.get(run);
  if (known !== undefined) known.until = until;
  else entries.waitingRuns.set(run, { order: getNextOrder(entries), bulk, until });
};

/** Takes in a record. Nothing counts as later than `now`, for the clock may have been set back. */
export const applyRecord = (entries: LedgerEntries, record: LedgerRecord, now: number): void => {
  if (record.type === 'claim') applyClaim(entries, record, now);
  else if (record.type === 'end') applyEnd(entries, record, now);
  else if (record.type === 'drop') entries.requests.delete(record.id);
  else if (record.type === 'line') applyWait(entries, record);
  else if (record.until - now <= LONGEST_HOLD_MS)
    entries.heldUntil = Math.max(entries.heldUntil, record.until);
};

const endExpiredRequest = (entry: LedgerEntry, now: number): void => {
  if (entry.end === undefined && entry.leaseEnd <= now) entry.end = entry.leaseEnd;
  if (entry.end !== undefined && entry.end > now) entry.end = now;
};

/** Lets go of what counts no more, and of times that lie ahead: the clock was set back. */
export const expireEntries = (entries: LedgerEntries, now: number, longestMs: number): void => {
  if (entries.heldUntil - now > LONGEST_HOLD_MS) entries.heldUntil = now;
  for (const entry of entries.requests.values()) {
    endExpiredRequest(entry, now);
    if (entry.end !== undefined && entry.end + longestMs < now) entries.requests.delete(entry.id);
  }
  for (const [run, { until }] of entries.waitingRuns)
    if (until < now || until - now > LONGEST_HOLD_MS) entries.waitingRuns.delete(run);
};
