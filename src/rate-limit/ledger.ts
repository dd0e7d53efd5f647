import type { RequestKind } from '../http/pacing.ts';
import { getHolderState, type Holder } from '../storage/holder.ts';
import type { RateWindow } from './windows.ts';

/** What all processes sent for one credential lately. Times are milliseconds since the epoch. */
export interface Ledger {
  readonly version: 1;
  /** The service refused a request: nobody sends before then. */
  heldUntil: number;
  requests: SentRequest[];
  /** The processes of requests that have not ended, by the name of the run. */
  runs: Record<string, Holder>;
}

export interface SentRequest {
  readonly run: string;
  /** Within the run. */
  readonly number: number;
  readonly kind: RequestKind;
  /** From then on it counts as ended where its process cannot be looked at: no request takes longer. */
  until: number;
  /** When its answer had ended. */
  end?: number;
}

/** A refusal holds back the others for no longer than the service's own longest wait (docs/service.md, Errors). */
export const LONGEST_HOLD_MS = 60_000;

export const createLedger = (): Ledger => ({ version: 1, heldUntil: 0, requests: [], runs: {} });

/** No `--timeout` is longer. */
const LONGEST_REQUEST_MS = 3_600_000;

/**
 * Lets go of what counts no more. A request of a process that died ends now, one of another host by its time; what lies
 * ahead counts as now, for the clock may have been set back.
 * @param own the run of this process
 */
export function settleLedger(
  ledger: Ledger,
  now: number,
  { own, longestMs }: { readonly own: string; readonly longestMs: number },
): void {
  if (ledger.heldUntil - now > LONGEST_HOLD_MS) ledger.heldUntil = now;
  const states = new Map(
    Object.entries(ledger.runs).map(([run, holder]) => [run, run === own ? 'alive' : getHolderState(holder)]),
  );
  for (const request of ledger.requests) {
    const state = states.get(request.run);
    request.until = Math.min(request.until, now + LONGEST_REQUEST_MS);
    if (request.end !== undefined) request.end = Math.min(request.end, now);
    else if (state === 'dead') request.end = now;
    else if (state !== 'alive' && request.until <= now) request.end = request.until;
  }
  ledger.requests = ledger.requests.filter(({ end }) => end === undefined || end + longestMs >= now);
  const open = new Set(ledger.requests.filter(({ end }) => end === undefined).map(({ run }) => run));
  ledger.runs = Object.fromEntries(Object.entries(ledger.runs).filter(([run]) => open.has(run)));
}

const listCounted = (ledger: Ledger, window: RateWindow, now: number): readonly SentRequest[] =>
  ledger.requests.filter(
    ({ kind, end }) => window.counts(kind) && (end === undefined || end + window.lengthMs >= now),
  );

export const countRemaining = (ledger: Ledger, window: RateWindow, now: number): number =>
  Math.max(0, window.limit - listCounted(ledger, window, now).length);

/**
 * Milliseconds until a request may go; 0: now; infinite: not before one under way has ended. A request counts until the
 * window's length after the *end* of its answer, because the service may have counted it at any moment before.
 * @param bulk whether it leaves the reserve to single commands
 */
export function computeWaitMs(
  ledger: Ledger,
  windows: readonly RateWindow[],
  { kind, bulk }: { readonly kind: RequestKind; readonly bulk: boolean },
  now: number,
): number {
  let wait = Math.max(0, ledger.heldUntil - now);
  for (const window of windows.filter(({ counts }) => counts(kind))) {
    const counted = listCounted(ledger, window, now);
    const excess = counted.length - window.limit + (bulk ? window.reserve : 0);
    if (excess < 0) continue;
    const ends = counted.flatMap(({ end }) => (end === undefined ? [] : [end])).sort((a, b) => a - b);
    const freedAt = ends[excess];
    // One more than the length: at exactly the length apart both may still be counted.
    wait = Math.max(
      wait,
      freedAt === undefined ? Number.POSITIVE_INFINITY : freedAt + window.lengthMs + 1 - now,
    );
  }
  return wait;
}
