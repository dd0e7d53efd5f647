import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { ApiError, EXIT } from '../errors.ts';
import { MAX_BYTES } from '../parsing/text.ts';
import { getHolderState, getSelf, type Holder, withLock } from '../storage/lock.ts';
import { readSmall } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { type OnWait, pause, type Rate, toCancelled } from './links.ts';
import { formatRetryHint, type HttpRequest, isWrite, readRetryAfter, type Transport } from './transport.ts';

export interface BudgetsOptions {
  readonly rate: Rate;
  /** The ledgers' own directory; made when it is missing. Undefined: no state directory. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** How long one request may be held back for what the service refused; 0: not at all (`--max-wait`). */
  readonly maxWaitMs?: number;
  readonly onWait?: OnWait;
  readonly interrupt?: AbortSignal;
  /** For `--debug`: what is left after each request, and why the ledger cannot be used. Nothing fails for it. */
  readonly log?: ((text: string) => void) | undefined;
}

/**
 * Lets requests out as the budget of their credential allows, so that a 429 is avoided. What is sent again is counted
 * again.
 * @param isBulk asked for each request: whether it is one of very many, which let single commands pass
 */
export function withPacing(
  next: Transport,
  findBudget: (request: Pick<HttpRequest, 'base' | 'headers'>) => Budget,
  isBulk: () => boolean = () => false,
): Transport {
  return async (request) => {
    const done = await findBudget(request).admit(request, isBulk());
    let refusedMs: number | undefined;
    try {
      const response = await next(request);
      if (response.status === 429) refusedMs = readRetryAfter(response.headers);
      return response;
    } finally {
      await done(refusedMs);
    }
  };
}

/** The budgets of one run, one for each service and token. Without a directory the process keeps to them by itself. */
export function openBudgets(
  options: BudgetsOptions,
): (request: Pick<HttpRequest, 'base' | 'headers'>) => Budget {
  const budgets = new Map<string, Budget>();
  return ({ base, headers }) => {
    // 64 bits of service and token, so few that no token can be got back from them.
    const key = `${new URL(base).origin}\n${headers['authorization'] ?? ''}`;
    const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
    const budget = budgets.get(name) ?? new Budget(name, options);
    budgets.set(name, budget);
    return budget;
  };
}

interface RateWindow {
  readonly limit: number;
  readonly lengthMs: number;
  /** Places that a bulk run leaves to single commands. */
  readonly reserve: number;
}

export function createRateWindows(rate: Rate): readonly [requests: RateWindow, writes: RateWindow] {
  const { requests, perSeconds, writes, writesPerSeconds } = rate;
  // 4 of 150 requests, 2 of 20 writes: a bulk run still uses more than 97 % of the minute. Of fewer than 10 it costs too much.
  const reserve = requests < 10 ? 0 : Math.max(1, Math.floor(requests * 0.027));
  const writeReserve = writes < 10 ? 0 : Math.max(1, Math.floor(writes * 0.1));
  return [
    { limit: requests, lengthMs: perSeconds * 1000, reserve },
    { limit: writes, lengthMs: writesPerSeconds * 1000, reserve: writeReserve },
  ];
}

/** What all processes sent for one credential lately: one JSON file under a lock. Times are milliseconds since the epoch. */
export interface Ledger {
  readonly version: 2;
  /** The service refused a request: nobody sends before then. */
  heldUntil: number;
  requests: SentRequest[];
}

interface SentRequest {
  readonly id: string;
  readonly isWrite: boolean;
  readonly by?: Holder;
  /** Then it counts as ended where its process cannot be looked at: no request takes longer. */
  readonly until?: number;
  end?: number;
}

/** A request that was given up may reach the service a little later. */
const GRACE_MS = 5000;
/** How soon to look again while requests of others are under way: their end is not known. */
const POLL_MS = 50;
/** Nobody wants to read of shorter waits: at full load each request waits for some milliseconds. */
const MIN_REPORTED_MS = 1000;
/** A refusal holds back the others for no longer than the service's own longest wait (docs/service.md, Errors). */
const LONGEST_HOLD_MS = 60_000;
/** The ledger of a token that is no longer used. */
const UNUSED_MS = 2 * 24 * 3_600_000;

/**
 * The allowance of one credential over all processes of a user: a request goes out when the ledger has a place for it, and
 * is written into it at the same moment. Where there can be no file, the process goes on by itself with what it knows.
 */
export class Budget {
  readonly #options: BudgetsOptions;
  readonly #windows: ReturnType<typeof createRateWindows>;
  readonly #file: string;
  readonly #run: string;
  #ledger: Ledger = { version: 2, heldUntil: 0, requests: [] };
  #isShared = true;
  #count = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: string, options: BudgetsOptions) {
    const { directory, clock, rate } = options;
    this.#options = options;
    this.#windows = createRateWindows(rate);
    this.#file = join(directory ?? '', `${name}.json`);
    this.#run = `${getSelf().pid.toString(36)}-${Math.floor(clock.random() * 36 ** 6).toString(36)}`;
    try {
      if (directory === undefined) throw new Error('there is no state directory');
      makePrivateDirectory(directory);
    } catch (error) {
      this.#goOnAlone(error);
      return;
    }
    try {
      for (const other of existsSync(this.#file) ? [] : readdirSync(directory)) {
        const path = join(directory, other);
        const usedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? clock.now();
        if (/^[0-9a-f]{16}\./.test(other) && clock.now() - usedMs > UNUSED_MS)
          rmSync(path, { recursive: true, force: true });
      }
    } catch {
      // Tidying only: what cannot be removed keeps nobody from sharing.
    }
  }

  /**
   * Resolves when the request may go out: first come, first served. What it gives is called when the answer is there or
   * the request has failed, for the windows count from then, with what a refusal asks to wait.
   * @throws Cancelled; ApiError where a refusal to an earlier request asks for a longer wait than one request may take
   */
  admit(
    request: Pick<HttpRequest, 'method' | 'path'>,
    bulk = false,
  ): Promise<(refusedMs?: number) => Promise<void>> {
    this.#count += 1;
    const id = `${this.#run}-${this.#count}`;
    // A run that sends more than the reserve holds is no single command: a list of many pages.
    const isBulk = bulk || this.#count > Math.max(1, this.#windows[0].reserve);
    const admission = this.#turn.then(() => this.#enter(request, id, isBulk));
    this.#turn = admission.catch(() => {});
    return admission;
  }

  /** What is left at this moment, with what other processes use: `132 of 150 this minute, 18 of 20 writes this second`. */
  getRemaining(): { readonly text: string; readonly waitMs: number } {
    if (this.#isShared) this.#ledger = readLedger(this.#file);
    this.#settle();
    const texts = this.#windows.map(({ limit, lengthMs }, i) => {
      const left = Math.max(0, limit - this.#listCounted(i).length);
      const span = { 1000: 'this second', 60000: 'this minute' }[lengthMs] ?? `in ${lengthMs / 1000} s`;
      return `${left} of ${limit}${i === 1 ? ' writes' : ''} ${span}`;
    });
    return { text: texts.join(', '), waitMs: this.#computeWaitMs(false, false) };
  }

  async #enter({ method, path }: Pick<HttpRequest, 'method' | 'path'>, id: string, isBulk: boolean) {
    const { clock, interrupt, onWait, timeoutMs, maxWaitMs = Number.POSITIVE_INFINITY } = this.#options;
    const sent = { id, isWrite: isWrite(method) };
    let tellAt = clock.now() + MIN_REPORTED_MS;
    for (let attempt = 1; ; attempt += 1) {
      if (interrupt?.aborted) throw toCancelled(interrupt);
      const { waitMs, heldMs } = await this.#update(() => {
        const now = clock.now();
        const wait = this.#computeWaitMs(sent.isWrite, isBulk && this.#isShared);
        const until = now + timeoutMs + GRACE_MS;
        if (wait === 0) this.#ledger.requests.push({ ...sent, by: getSelf(), until });
        return { waitMs: wait, heldMs: this.#ledger.heldUntil - now };
      }, interrupt);
      if (waitMs === 0) return (refusedMs = 0) => this.#leave(sent, refusedMs);
      // A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
      if (heldMs > maxWaitMs) {
        const seconds = Math.ceil(heldMs / 1000);
        throw new ApiError('not sent: an earlier request was rate limited', 429, {
          code: 'rate_limited',
          exit: EXIT.tryLater,
          reason: `The service asked clients to wait; ${seconds} s left.`,
          hint: formatRetryHint(seconds),
          details: { request: `${method} ${path}`, retry_after: seconds },
        });
      }
      const ms = Number.isFinite(waitMs) ? waitMs : POLL_MS * (0.5 + clock.random());
      // Others may be faster each time: many short waits are a long one.
      if (ms >= MIN_REPORTED_MS || clock.now() >= tellAt) {
        tellAt = Number.POSITIVE_INFINITY;
        onWait?.({ ms: Math.max(ms, MIN_REPORTED_MS), why: 'budget', attempt });
      }
      await pause(clock, ms, interrupt);
    }
  }

  async #leave(sent: Pick<SentRequest, 'id' | 'isWrite'>, refusedMs: number): Promise<void> {
    const end = this.#options.clock.now();
    await this.#update(() => {
      const others = this.#ledger.requests.filter(({ id }) => id !== sent.id);
      this.#ledger.requests = [...others, { ...sent, end }];
      if (refusedMs > 0)
        this.#ledger.heldUntil = Math.max(this.#ledger.heldUntil, end + Math.min(refusedMs, LONGEST_HOLD_MS));
    });
    this.#options.log?.(this.getRemaining().text);
  }

  /** Changes the ledger while nobody else does. Fails with `Cancelled` alone. @param work is run once */
  #update<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    const results: T[] = [];
    const change = (): void => {
      this.#settle();
      results.push(work());
    };
    const changeFile = async (): Promise<void> => {
      this.#ledger = readLedger(this.#file);
      change();
      // Whole or not at all, but not for ever: it is not worth waiting for the disk.
      writeDurably(this.#file, JSON.stringify(this.#ledger), { calls: { flush: () => {} } });
    };
    // One after the other: a process need not wait for its own lock.
    const changed = this.#last.then(async () => {
      try {
        if (this.#isShared) await withLock(this.#file, this.#options.clock, changeFile, signal && { signal });
      } catch (error) {
        if (signal?.aborted) throw toCancelled(signal);
        this.#goOnAlone(error);
      }
      if (results.length === 0) change();
      return results[0] as T;
    });
    this.#last = changed.catch(() => {});
    return changed;
  }

  #goOnAlone(error: unknown): void {
    this.#isShared = false;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log?.(`no ledger shared with other processes (${reason})`);
  }

  /**
   * Lets go of what counts no more. A request of a process that died ends now, one of another host by its time; what lies
   * ahead counts as now, for the clock may have been set back.
   */
  #settle(): void {
    const ledger = this.#ledger;
    const now = this.#options.clock.now();
    if (ledger.heldUntil - now > LONGEST_HOLD_MS) ledger.heldUntil = now;
    for (const request of ledger.requests) {
      const { by, until = now, end } = request;
      const state = by && getHolderState(by);
      if (end !== undefined) request.end = Math.min(end, now);
      else if (state === 'dead') request.end = now;
      else if (state !== 'alive' && until <= now) request.end = until;
    }
    const [requests, writes] = this.#windows;
    const longestMs = Math.max(requests.lengthMs, writes.lengthMs);
    ledger.requests = ledger.requests.filter(({ end }) => end === undefined || end + longestMs >= now);
  }

  /** What counts in a window: the first has all requests, the second the writes. */
  #listCounted(index: number): readonly SentRequest[] {
    const since = this.#options.clock.now() - (this.#windows[index]?.lengthMs ?? 0);
    return this.#ledger.requests.filter(
      (request) => (index === 0 || request.isWrite) && (request.end === undefined || request.end >= since),
    );
  }

  /**
   * Milliseconds until a request may go; 0: now; infinite: not before one under way has ended. A request counts until the
   * window's length after the *end* of its answer, because the service may have counted it at any moment before.
   * @param isBulk whether it leaves the reserve to single commands
   */
  #computeWaitMs(isWrite: boolean, isBulk: boolean): number {
    const now = this.#options.clock.now();
    let wait = Math.max(0, this.#ledger.heldUntil - now);
    for (const [i, { limit, lengthMs, reserve }] of this.#windows.entries()) {
      if (i === 1 && !isWrite) continue;
      const counted = this.#listCounted(i);
      const excess = counted.length - limit + (isBulk ? reserve : 0);
      if (excess < 0) continue;
      const ends = counted.flatMap(({ end }) => (end === undefined ? [] : [end])).sort((a, b) => a - b);
      // One more than the length: at exactly the length apart both may still be counted.
      wait = Math.max(wait, (ends[excess] ?? Number.POSITIVE_INFINITY) + lengthMs + 1 - now);
    }
    return wait;
  }
}

/** One that is lost, damaged or not ours is an empty one: what it would have prevented is refused with 429. */
function readLedger(file: string): Ledger {
  try {
    const ledger = JSON.parse(readSmall(file, MAX_BYTES) ?? '{}');
    if (ledger.version === 2) return ledger;
  } catch {
    // It is written anew.
  }
  return { version: 2, heldUntil: 0, requests: [] };
}
