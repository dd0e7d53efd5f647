import { HeldBackError, type RequestKind } from '../http/pacing.ts';
import {
  applyRecord,
  createLedgerEntries,
  expireEntries,
  type LedgerEntries,
  type LedgerEntry,
} from './ledger-entries.ts';
import type { LedgerRecord } from './ledger-record.ts';
import type { RateWindow, RemainingAllowance } from './windows.ts';

/** A request that wants to go out. */
export interface AdmissionRequest {
  readonly kind: RequestKind;
  readonly bulk: boolean;
  /** Since when it waits on holds, in milliseconds since the epoch; set by whoever lets it wait. */
  heldSince?: number;
}

/** What a ledger says, as one process sees it. Times are milliseconds since the epoch. */
export interface LedgerWindow {
  /** `now`: the time before the record was read. */
  apply(record: LedgerRecord, now: number): void;
  /** Milliseconds until such a request may go; 0: now; infinite: not before one under way has ended. */
  wait(ask: AdmissionRequest, now: number): number;
  /** Whether the claim stands: fewer than the allowance count of those claimed before it. */
  stands(id: string, now: number): boolean;
  has(id: string): boolean;
  /** Until when the own place in line is good; 0: in none. */
  inLineUntil(): number;
  /** Requests of other runs that have not ended, by what is known. */
  othersUnderWay(now: number): readonly LedgerEntry[];
  /** Milliseconds for which nothing may go, for the service refused a request. */
  held(now: number): number;
  left(now: number): RemainingAllowance;
}

const FROM_THE_END = Number.POSITIVE_INFINITY;

const counted = (entries: LedgerEntries, window: RateWindow, now: number, before: number): LedgerEntry[] =>
  [...entries.requests.values()].filter(
    ({ kind, place, end }) =>
      place < before && window.counts(kind) && (end === undefined || end + window.lengthMs >= now),
  );

const allowance = (window: RateWindow, bulk: boolean): number => window.places - (bulk ? window.reserve : 0);

/** How many runs come first. A single command goes before a bulk run; among equals, first come first served. */
const ahead = ({ line, own }: LedgerEntries, { bulk }: AdmissionRequest): number => {
  const place = line.get(own)?.place ?? FROM_THE_END;
  const first = [...line].filter(
    ([run, other]) => run !== own && (other.bulk === bulk ? other.place < place : bulk),
  );
  return first.length;
};

const waitIn = (entries: LedgerEntries, window: RateWindow, ask: AdmissionRequest, now: number): number => {
  const taken = counted(entries, window, now, FROM_THE_END);
  const excess = taken.length + ahead(entries, ask) - allowance(window, ask.bulk);
  if (excess < 0) return 0;
  const ends = taken.flatMap(({ end }) => (end === undefined ? [] : [end])).sort((a, b) => a - b);
  const freed = ends[excess];
  // One more than the length: at exactly the length apart both may still be counted.
  return freed === undefined ? Number.POSITIVE_INFINITY : freed + window.lengthMs + 1 - now;
};

/** Requests of other runs that are under way. */
const listOthersUnderWay = ({ requests }: LedgerEntries, own: string, now: number): readonly LedgerEntry[] =>
  [...requests.values()].filter(({ run, end, lease }) => run !== own && end === undefined && lease > now);

/**
 * @param own the run of this process
 * @param sent how many requests it sent by the short way
 */
export const createLedgerWindow = (
  windows: readonly [RateWindow, RateWindow],
  own: string,
  sent: number,
): LedgerWindow => {
  const entries = createLedgerEntries(own, sent);
  const longest = Math.max(...windows.map(({ lengthMs }) => lengthMs));
  const windowsFor = (kind: RequestKind) => windows.filter((window) => window.counts(kind));
  const leftIn = (window: RateWindow, now: number): number =>
    Math.max(0, window.places - counted(entries, window, now, FROM_THE_END).length);
  const wait = (ask: AdmissionRequest, now: number): number => {
    expireEntries(entries, now, longest);
    const waits = windowsFor(ask.kind).map((window) => waitIn(entries, window, ask, now));
    return Math.max(0, entries.heldUntil - now, ...waits);
  };
  return {
    apply: (record, now) => applyRecord(entries, record, now),
    wait,
    held(now) {
      expireEntries(entries, now, longest);
      return Math.max(0, entries.heldUntil - now);
    },
    stands(id, now) {
      expireEntries(entries, now, longest);
      const claim = entries.requests.get(id);
      if (claim === undefined || entries.heldUntil > now) return false;
      return windowsFor(claim.kind).every(
        (window) => counted(entries, window, now, claim.place).length < allowance(window, claim.bulk),
      );
    },
    has: (id) => entries.requests.has(id),
    inLineUntil: () => entries.line.get(own)?.until ?? 0,
    othersUnderWay: (now) => listOthersUnderWay(entries, own, now),
    left(now) {
      expireEntries(entries, now, longest);
      const [requests, writes] = windows.map((window) => leftIn(window, now)) as [number, number];
      return { requests, writes, waitMs: wait({ kind: 'read', bulk: false }, now) };
    },
  };
};

/**
 * A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
 * @throws HeldBackError where the waits on holds, with the one that is left, come to more
 */
export const createMaxWait =
  (patienceMs = Number.POSITIVE_INFINITY) =>
  (ask: AdmissionRequest, heldMs: number, now: number): void => {
    if (heldMs <= 0) return;
    ask.heldSince ??= now;
    if (now - ask.heldSince + heldMs > patienceMs) throw new HeldBackError(heldMs);
  };
