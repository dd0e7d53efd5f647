import type { RequestKind } from '../http/pacing.ts';
import { type LedgerRecord, LONGEST_HOLD_MS, parseRequestNumber, parseRunName } from './ledger-record.ts';

/** What the records of a ledger add up to. Times are milliseconds since the epoch. */

export interface LedgerEntry {
  readonly id: string;
  readonly run: string;
  readonly kind: RequestKind;
  /** Order of the claims. */
  readonly place: number;
  readonly bulk: boolean;
  /** Where its process runs; `-`: not known. */
  readonly home: string;
  /** From then on it counts as ended: its process has died. */
  readonly lease: number;
  end: number | undefined;
}

interface WaitingRun {
  readonly place: number;
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
  readonly line: Map<string, WaitingRun>;
  heldUntil: number;
  lastPlace: number;
}

const LONGEST_LEASE_MS = 3_600_000;

export const createLedgerEntries = (own: string, sent: number): LedgerEntries => ({
  own,
  sent,
  requests: new Map(),
  line: new Map(),
  heldUntil: Number.NEGATIVE_INFINITY,
  lastPlace: 0,
});

const nextPlace = (entries: LedgerEntries): number => {
  entries.lastPlace += 1;
  return entries.lastPlace;
};

type Claim = Extract<LedgerRecord, { type: 'claim' }>;

const claim = (entries: LedgerEntries, record: Claim, now: number): void => {
  const { id, at, kind, bulk, home, leaseMs } = record;
  const run = parseRunName(id);
  entries.line.delete(run);
  if (entries.requests.has(id)) return;
  const dies = Math.min(at, now) + Math.min(leaseMs, LONGEST_LEASE_MS);
  // Of those under way here the end will be told, however long they take.
  const lives = run === entries.own && parseRequestNumber(id) > entries.sent;
  const lease = lives ? Number.POSITIVE_INFINITY : dies;
  entries.requests.set(id, { id, run, kind, bulk, home, place: nextPlace(entries), lease, end: undefined });
};

type End = Extract<LedgerRecord, { type: 'end' }>;

const end = (entries: LedgerEntries, { id, at, kind }: End, now: number): void => {
  const ended = Math.min(at, now);
  const known = entries.requests.get(id);
  if (known !== undefined) known.end ??= ended;
  // Its claim stands on a strip that is gone.
  else {
    const entry = { id, run: parseRunName(id), kind, bulk: false, home: '-', place: nextPlace(entries) };
    entries.requests.set(id, { ...entry, lease: ended, end: ended });
  }
};

type Line = Extract<LedgerRecord, { type: 'line' }>;

const line = (entries: LedgerEntries, { run, until, bulk }: Line): void => {
  const known = entries.line.get(run);
  if (known !== undefined) known.until = until;
  else entries.line.set(run, { place: nextPlace(entries), bulk, until });
};

/** Takes in a record. Nothing counts as later than `now`, for the clock may have been set back. */
export const applyRecord = (entries: LedgerEntries, record: LedgerRecord, now: number): void => {
  if (record.type === 'claim') claim(entries, record, now);
  else if (record.type === 'end') end(entries, record, now);
  else if (record.type === 'drop') entries.requests.delete(record.id);
  else if (record.type === 'line') line(entries, record);
  else if (record.until - now <= LONGEST_HOLD_MS)
    entries.heldUntil = Math.max(entries.heldUntil, record.until);
};

const settleRequest = (entry: LedgerEntry, now: number): void => {
  if (entry.end === undefined && entry.lease <= now) entry.end = entry.lease;
  if (entry.end !== undefined && entry.end > now) entry.end = now;
};

/** Lets go of what counts no more, and of times that lie ahead: the clock was set back. */
export const expireEntries = (entries: LedgerEntries, now: number, longestMs: number): void => {
  if (entries.heldUntil - now > LONGEST_HOLD_MS) entries.heldUntil = now;
  for (const entry of entries.requests.values()) {
    settleRequest(entry, now);
    if (entry.end !== undefined && entry.end + longestMs < now) entries.requests.delete(entry.id);
  }
  for (const [run, { until }] of entries.line)
    if (until < now || until - now > LONGEST_HOLD_MS) entries.line.delete(run);
};
