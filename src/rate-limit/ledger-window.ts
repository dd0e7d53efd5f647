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

/** A request that waits to be sent. */
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
  getWaitMs(request: AdmissionRequest, now: number): number;
  /** Whether the request may go: fewer than the limit count of those claimed before it. */
  isAdmitted(id: string, now: number): boolean;
  has(id: string): boolean;
  /** Until when the own place in line is good; 0: in none. */
  getPlaceExpiry(): number;
  /** Requests of other runs that have not ended, by what is known. */
  listOthersUnderWay(now: number): readonly LedgerEntry[];
  /** Milliseconds for which nothing may go, for the service refused a request. */
  getHoldMs(now: number): number;
  getRemaining(now: number): RemainingAllowance;
}

const AFTER_ALL = Number.POSITIVE_INFINITY;

const listCounted = (
  entries: LedgerEntries,
  window: RateWindow,
  now: number,
  before: number,
): LedgerEntry[] =>
  [...entries.requests.values()].filter(
    ({ kind, order, end }) =>
      order < before && window.counts(kind) && (end === undefined || end + window.lengthMs >= now),
  );

const getLimit = (window: RateWindow, bulk: boolean): number => window.limit - (bulk ? window.reserve : 0);

/** How many runs come first. A single command goes before a bulk run; among equals, first come first served. */
const countRunsAhead = ({ waitingRuns, own }: LedgerEntries, { bulk }: AdmissionRequest): number => {
  const ownOrder = waitingRuns.get(own)?.order ?? AFTER_ALL;
  const first = [...waitingRuns].filter(
    ([run, other]) => run !== own && (other.bulk === bulk ? other.order < ownOrder : bulk),
  );
  return first.length;
};

const getWindowWait = (
  entries: LedgerEntries,
  window: RateWindow,
  request: AdmissionRequest,
  now: number,
): number => {
  const counted = listCounted(entries, window, now, AFTER_ALL);
  const excess = counted.length + countRunsAhead(entries, request) - getLimit(window, request.bulk);
  if (excess < 0) return 0;
  const ends = counted.flatMap(({ end }) => (end === undefined ? [] : [end])).sort((a, b) => a - b);
  const freedAt = ends[excess];
  // One more than the length: at exactly the length apart both may still be counted.
  return freedAt === undefined ? Number.POSITIVE_INFINITY : freedAt + window.lengthMs + 1 - now;
};

/** Requests of other runs that are under way. */
const listOthersUnderWay = ({ requests }: LedgerEntries, own: string, now: number): readonly LedgerEntry[] =>
  [...requests.values()].filter(
    ({ run, end, leaseEnd: lease }) => run !== own && end === undefined && lease > now,
  );

/**
 * @param own the run of this process
 * @param sent how many requests it sent by the fast path
 */
export const createLedgerWindow = (
  windows: readonly [RateWindow, RateWindow],
  own: string,
  sent: number,
): LedgerWindow => {
  const entries = createLedgerEntries(own, sent);
  const longest = Math.max(windows[0].lengthMs, windows[1].lengthMs);
  const windowsFor = (kind: RequestKind) => windows.filter((window) => window.counts(kind));
  const countRemaining = (window: RateWindow, now: number): number =>
    Math.max(0, window.limit - listCounted(entries, window, now, AFTER_ALL).length);
  const getWaitMs = (request: AdmissionRequest, now: number): number => {
    expireEntries(entries, now, longest);
    const waits = windowsFor(request.kind).map((window) => getWindowWait(entries, window, request, now));
    return waits.reduce((most, wait) => Math.max(most, wait), Math.max(0, entries.heldUntil - now));
  };
  return {
    apply: (record, now) => applyRecord(entries, record, now),
    getWaitMs,
    getHoldMs(now) {
      expireEntries(entries, now, longest);
      return Math.max(0, entries.heldUntil - now);
    },
    isAdmitted(id, now) {
      expireEntries(entries, now, longest);
      const claim = entries.requests.get(id);
      if (claim === undefined || entries.heldUntil > now) return false;
      return windowsFor(claim.kind).every(
        (window) => listCounted(entries, window, now, claim.order).length < getLimit(window, claim.bulk),
      );
    },
    has: (id) => entries.requests.has(id),
    getPlaceExpiry: () => entries.waitingRuns.get(own)?.until ?? 0,
    listOthersUnderWay: (now) => listOthersUnderWay(entries, own, now),
    getRemaining(now) {
      expireEntries(entries, now, longest);
      const [requests, writes] = windows.map((window) => countRemaining(window, now)) as [number, number];
      return { requests, writes, waitMs: getWaitMs({ kind: 'read', bulk: false }, now) };
    },
  };
};

/**
 * A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
 * @throws HeldBackError where the waits on holds, with the one that is left, come to more
 */
export const createMaxWaitCheck =
  (maxWaitMs = Number.POSITIVE_INFINITY) =>
  (request: AdmissionRequest, heldMs: number, now: number): void => {
    if (heldMs <= 0) return;
    request.heldSince ??= now;
    if (now - request.heldSince + heldMs > maxWaitMs) throw new HeldBackError(heldMs);
  };
