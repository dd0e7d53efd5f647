import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { getHolderState, getSelf, type Holder, withLock } from '../storage/lock.ts';
import { readSmall } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import {
  type Admission,
  HeldBackError,
  type OnWait,
  pause,
  type Rate,
  type RateBudget,
  type RateLimitRefusal,
  type RequestKind,
  toCancelled,
} from './links.ts';

/** What a request shows of the credential that it is counted for. */
interface Credential {
  /** Any address of the service. */
  readonly base: string;
  /** The token, or the header that carries it. Absent: none. */
  readonly secret: string | undefined;
}

export interface BudgetsOptions {
  readonly rate: Rate;
  /** The ledgers' own directory; made when it is missing. Undefined: no state directory. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  /** The longest that one request may take. */
  readonly timeoutMs: number;
  /** How long one request may be held back for what the service refused; 0: not at all (`--max-wait`). */
  readonly maxWaitMs?: number;
  readonly onWait?: OnWait;
  readonly interrupt?: AbortSignal;
  /** For `--debug`: why the ledger cannot be used. Nothing fails for it. */
  readonly onLedgerFailure?: (reason: string) => void;
}

/** The budgets of one run, one for each credential that it uses. Without a directory the process keeps to them by itself. */
export function openBudgets(options: BudgetsOptions): (credential: Credential) => Budget {
  const budgets = new Map<string, Budget>();
  return ({ base, secret = '' }) => {
    // 64 bits of service and token, so few that no token can be got back from them.
    const key = `${new URL(base).origin}\n${secret}`;
    const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
    const budget = budgets.get(name) ?? new Budget(name, options);
    budgets.set(name, budget);
    return budget;
  };
}

/** What may still go out at this moment. */
interface RemainingAllowance {
  readonly requests: number;
  readonly writes: number;
  /** Milliseconds until a read may go; 0: now; infinite: not before one under way has ended. */
  readonly waitMs: number;
}

/** `132 of 150 this minute, 18 of 20 writes this second` */
export function formatRemaining(rate: Rate, left: RemainingAllowance): string {
  return (
    `${left.requests} of ${rate.requests} ${formatSpan(rate.perSeconds)}, ` +
    `${left.writes} of ${rate.writes} writes ${formatSpan(rate.writesPerSeconds)}`
  );
}

function formatSpan(seconds: number): string {
  if (seconds === 60) return 'this minute';
  return seconds === 1 ? 'this second' : `in ${seconds} s`;
}

/** A request that was given up may reach the service a little later. */
const GRACE_MS = 5000;
/** How soon to look again while requests of others are under way: their end is not known. */
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;
/** Nobody wants to read of shorter waits: at full load each request waits for some milliseconds. */
const MIN_REPORTED_MS = 1000;

/**
 * The allowance of one credential over all processes of a user: a request goes out when the ledger has a place for it,
 * and is written into it at the same moment.
 */
export class Budget implements RateBudget {
  readonly #options: BudgetsOptions;
  readonly #windows: readonly [requests: RateWindow, writes: RateWindow];
  readonly #ledger: SharedLedger;
  readonly #run: string;
  #count = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(name: string, options: BudgetsOptions) {
    this.#options = options;
    this.#windows = createRateWindows(options.rate);
    this.#ledger = new SharedLedger(name, options);
    this.#run = `${getSelf().pid.toString(36)}-${Math.floor(options.clock.random() * 36 ** 6).toString(36)}`;
  }

  /** First come, first served: one request of a process looks for its place at a time. */
  admit(kind: RequestKind, bulk = false): Promise<Admission> {
    this.#count += 1;
    const number = this.#count;
    const admission = this.#turn.then(() => this.#enter(kind, number, bulk));
    this.#turn = admission.catch(() => {});
    return admission;
  }

  /** What is left at this moment, with what other processes use; for `--debug` and `doctor`. */
  getRemaining(): RemainingAllowance {
    const content = this.#ledger.read();
    const now = this.#options.clock.now();
    const [requests, writes] = this.#windows;
    this.#settle(content, now);
    return {
      requests: countRemaining(content, requests, now),
      writes: countRemaining(content, writes, now),
      waitMs: computeWaitMs(content, this.#windows, { kind: 'read', bulk: false }, now),
    };
  }

  async #enter(kind: RequestKind, number: number, bulk: boolean): Promise<Admission> {
    const { clock, interrupt, onWait, maxWaitMs = Number.POSITIVE_INFINITY } = this.#options;
    const begun = clock.now();
    let heldSince: number | undefined;
    let isTold = false;
    let pollMs = FIRST_POLL_MS;
    for (let attempt = 1; ; attempt += 1) {
      if (interrupt?.aborted) throw toCancelled(interrupt);
      const { waitMs, heldMs } = await this.#takePlace(kind, number, bulk);
      if (waitMs === 0) return { done: (refusal) => this.#leave(kind, number, refusal) };
      // A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
      if (heldMs > 0) heldSince ??= clock.now();
      if (heldSince !== undefined && heldMs > 0 && clock.now() - heldSince + heldMs > maxWaitMs)
        throw new HeldBackError(heldMs);
      const ms = Number.isFinite(waitMs) ? waitMs : pollMs * (0.5 + clock.random());
      pollMs = Math.min(pollMs * 1.5, LONGEST_POLL_MS);
      // Others may be faster each time: many short waits are a long one.
      if (ms >= MIN_REPORTED_MS || (!isTold && clock.now() - begun >= MIN_REPORTED_MS)) {
        isTold = true;
        onWait?.({ ms: Math.max(ms, MIN_REPORTED_MS), why: 'budget', attempt });
      }
      await pause(clock, ms, interrupt);
    }
  }

  /** Takes a place in the ledger, where there is one. */
  #takePlace(kind: RequestKind, number: number, bulk: boolean) {
    const { clock, timeoutMs, interrupt } = this.#options;
    // A run that sends more than the reserve holds is no single command: a list of many pages.
    const isMany = bulk || number > Math.max(1, this.#windows[0].reserve);
    return this.#ledger.update((content) => {
      const now = clock.now();
      this.#settle(content, now);
      const isBulk = isMany && this.#ledger.isShared;
      const waitMs = computeWaitMs(content, this.#windows, { kind, bulk: isBulk }, now);
      if (waitMs === 0) {
        content.requests.push({ run: this.#run, number, kind, until: now + timeoutMs + GRACE_MS });
        content.runs[this.#run] = getSelf();
      }
      return { waitMs, heldMs: Math.max(0, content.heldUntil - now) };
    }, interrupt);
  }

  #leave(kind: RequestKind, number: number, refusal: RateLimitRefusal | undefined): Promise<void> {
    const run = this.#run;
    const end = this.#options.clock.now();
    return this.#ledger.update((content) => {
      const request = content.requests.find((one) => one.run === run && one.number === number);
      if (request === undefined) content.requests.push({ run, number, kind, until: end, end });
      else request.end = end;
      const holdMs = Math.min(refusal?.retryAfterMs ?? 0, LONGEST_HOLD_MS);
      if (holdMs > 0) content.heldUntil = Math.max(content.heldUntil, end + holdMs);
    });
  }

  #settle(content: Ledger, now: number): void {
    const [requests, writes] = this.#windows;
    const longestMs = Math.max(requests.lengthMs, writes.lengthMs);
    settleLedger(content, now, { own: this.#run, longestMs });
  }
}

interface RateWindow {
  readonly limit: number;
  readonly lengthMs: number;
  /** Places that a bulk run leaves to single commands. */
  readonly reserve: number;
  readonly counts: (kind: RequestKind) => boolean;
}

export function createRateWindows(rate: Rate): readonly [requests: RateWindow, writes: RateWindow] {
  const requests = { limit: rate.requests, lengthMs: rate.perSeconds * 1000, counts: () => true };
  const lengthMs = rate.writesPerSeconds * 1000;
  const writes = { limit: rate.writes, lengthMs, counts: (kind: RequestKind) => kind === 'write' };
  return [
    { ...requests, reserve: computeReserve(rate.requests, 0.027) },
    { ...writes, reserve: computeReserve(rate.writes, 0.1) },
  ];
}

/** Below this a reserve would cost a bulk run too much. */
const MIN_LIMIT_WITH_RESERVE = 10;

/** 4 of 150 requests, 2 of 20 writes: a bulk run still uses more than 97 % of the minute. */
function computeReserve(limit: number, share: number): number {
  return limit < MIN_LIMIT_WITH_RESERVE ? 0 : Math.max(1, Math.floor(limit * share));
}

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
const LONGEST_HOLD_MS = 60_000;

/** No `--timeout` is longer. */
const LONGEST_REQUEST_MS = 3_600_000;

/**
 * Lets go of what counts no more. A request of a process that died ends now, one of another host by its time; what lies
 * ahead counts as now, for the clock may have been set back.
 * @param own the run of this process
 */
function settleLedger(
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

function listCounted(ledger: Ledger, window: RateWindow, now: number): readonly SentRequest[] {
  return ledger.requests.filter(
    ({ kind, end }) => window.counts(kind) && (end === undefined || end + window.lengthMs >= now),
  );
}

function countRemaining(ledger: Ledger, window: RateWindow, now: number): number {
  return Math.max(0, window.limit - listCounted(ledger, window, now).length);
}

/**
 * Milliseconds until a request may go; 0: now; infinite: not before one under way has ended. A request counts until the
 * window's length after the *end* of its answer, because the service may have counted it at any moment before.
 * @param bulk whether it leaves the reserve to single commands
 */
function computeWaitMs(
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

/** One JSON file under a lock. Where that cannot be, the process goes on by itself with what it knows. */
class SharedLedger {
  /** Whether other processes see it. */
  isShared = true;
  readonly #file: string;
  readonly #options: BudgetsOptions;
  #known = createLedger();
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: string, options: BudgetsOptions) {
    const { directory, clock } = options;
    this.#options = options;
    this.#file = join(directory ?? '', `${name}.json`);
    try {
      if (directory === undefined) throw new Error('there is no state directory');
      makePrivateDirectory(directory);
      if (!existsSync(this.#file)) sweep(directory, clock.now());
    } catch (error) {
      this.#goOnAlone(error);
    }
  }

  read(): Ledger {
    try {
      if (this.isShared) this.#known = readLedger(this.#file);
    } catch (error) {
      this.#goOnAlone(error);
    }
    return this.#known;
  }

  /** Changes it while nobody else does. Fails with `Cancelled` alone. @param work is run once */
  update<T>(work: (ledger: Ledger) => T, signal?: AbortSignal): Promise<T> {
    // One after the other: a process need not wait for its own lock.
    const changed = this.#last.then(() => this.#change(work, signal));
    this.#last = changed.catch(() => {});
    return changed;
  }

  async #change<T>(work: (ledger: Ledger) => T, signal?: AbortSignal): Promise<T> {
    if (!this.isShared) return work(this.#known);
    let changed: { readonly result: T } | undefined;
    const changeFile = async (): Promise<T> => {
      this.#known = readLedger(this.#file);
      changed = { result: work(this.#known) };
      // Whole or not at all, but not for ever: it is not worth waiting for the disk.
      writeDurably(this.#file, JSON.stringify(this.#known), { calls: { flush: () => {} } });
      return changed.result;
    };
    try {
      return await withLock(this.#file, this.#options.clock, changeFile, signal && { signal });
    } catch (error) {
      if (signal?.aborted === true) throw toCancelled(signal);
      this.#goOnAlone(error);
      return changed === undefined ? work(this.#known) : changed.result;
    }
  }

  #goOnAlone(error: unknown): void {
    this.isShared = false;
    this.#options.onLedgerFailure?.(error instanceof Error ? error.message : String(error));
  }
}

function createLedger(): Ledger {
  return { version: 1, heldUntil: 0, requests: [], runs: {} };
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
