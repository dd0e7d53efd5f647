import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { type Rate, type RequestKind, toCancelled } from '../http/pacing.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { getHolderState, type Holder } from '../storage/holder.ts';
import { withLock } from '../storage/lock.ts';
import { readSmall } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';

interface RateWindow {
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

const span = (seconds: number): string => {
  if (seconds === 60) return 'this minute';
  return seconds === 1 ? 'this second' : `in ${seconds} s`;
};

/** `132 of 150 this minute, 18 of 20 writes this second` */
export const formatRemaining = (rate: Rate, left: RemainingAllowance): string =>
  `${left.requests} of ${rate.requests} ${span(rate.perSeconds)}, ` +
  `${left.writes} of ${rate.writes} writes ${span(rate.writesPerSeconds)}`;

/** What all processes sent for one credential lately. Times are milliseconds since the epoch. */
export interface Ledger {
  readonly version: 1;
  /** The service refused a request: nobody sends before then. */
  heldUntil: number;
  requests: SentRequest[];
  /** The processes of requests that have not ended, by the name of the run. */
  runs: Record<string, Holder>;
}

interface SentRequest {
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

const createLedger = (): Ledger => ({ version: 1, heldUntil: 0, requests: [], runs: {} });

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

interface SharedLedger {
  /** Changes it while nobody else does. Fails with `Cancelled` alone. @param work is run once */
  update<T>(work: (ledger: Ledger) => T, signal?: AbortSignal): Promise<T>;
  read(): Ledger;
  /** Whether other processes see it. */
  isShared(): boolean;
}

interface SharedLedgerOptions {
  /** Of the ledgers of all credentials; made when it is missing. Undefined: no state directory. */
  readonly directory: string | undefined;
  /** Of the credential: 16 hexadecimal digits. */
  readonly name: string;
  readonly clock: Clock;
  readonly onFailure: (reason: string) => void;
}

/** One JSON file under a lock. Where that cannot be, the process goes on by itself with what it knows. */
export function openSharedLedger({ directory, name, clock, onFailure }: SharedLedgerOptions): SharedLedger {
  const file = join(directory ?? '', `${name}.json`);
  let isShared = true;
  let known = createLedger();
  const goOnAlone = (error: unknown): void => {
    isShared = false;
    onFailure(error instanceof Error ? error.message : String(error));
  };
  try {
    if (directory === undefined) throw new Error('there is no state directory');
    makePrivateDirectory(directory);
    if (!existsSync(file)) sweep(directory, clock.now());
  } catch (error) {
    goOnAlone(error);
  }
  const change = async <T>(work: (ledger: Ledger) => T, signal?: AbortSignal): Promise<T> => {
    if (!isShared) return work(known);
    let changed: { readonly result: T } | undefined;
    const changeFile = async (): Promise<T> => {
      known = readLedger(file);
      changed = { result: work(known) };
      // Whole or not at all, but not for ever: it is not worth waiting for the disk.
      writeDurably(file, JSON.stringify(known), { calls: { flush: () => {} } });
      return changed.result;
    };
    try {
      return await withLock(file, clock, changeFile, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted === true) throw toCancelled(signal);
      goOnAlone(error);
      return changed === undefined ? work(known) : changed.result;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    isShared: () => isShared,
    read() {
      try {
        if (isShared) known = readLedger(file);
      } catch (error) {
        goOnAlone(error);
      }
      return known;
    },
    update(work, signal) {
      // One after the other: a process need not wait for its own lock.
      const changed = last.then(() => change(work, signal));
      last = changed.catch(() => {});
      return changed;
    },
  };
}

/** One that is lost, damaged or not ours is an empty one: what it would have prevented is refused with 429. */
function readLedger(file: string): Ledger {
  try {
    const ledger = JSON.parse(readSmall(file, MAX_LEDGER_BYTES) ?? '{}');
    return ledger.version === 1 ? ledger : createLedger();
  } catch {
    return createLedger();
  }
}

/** More than any rate needs. */
const MAX_LEDGER_BYTES = 16 << 20;

/** Far longer than any window. */
const UNUSED_MS = 2 * 24 * 3_600_000;

/** Removes the ledgers of credentials that are no longer used. */
function sweep(directory: string, now: number): void {
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (/^[0-9a-f]{16}\./.test(name) && now - statSync(path).mtimeMs > UNUSED_MS)
        rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // Tidying only.
  }
}
