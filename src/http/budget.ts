import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { ApiError, EXIT, getMessage } from '../errors.ts';
import { MAX_BYTES } from '../parsing/text.ts';
import { getHolderState, getSelf, type Holder, withLock } from '../storage/lock.ts';
import { readSmall } from '../storage/own-files.ts';
import { removeQuietly } from '../storage/write.ts';
import type { OnWait, Rate } from './links.ts';
import { formatRetryHint, type HttpRequest, isWrite, readRetryAfter, type Transport } from './transport.ts';

export interface BudgetOptions {
  readonly rate: Rate;
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** How long one request may be held back for what the service refused; 0: not at all (`--max-wait`). */
  readonly maxWaitMs: number;
  readonly onWait: OnWait;
  readonly interrupt: AbortSignal;
  /** For `--debug`: what is left after each request, and why the ledger cannot be used. Nothing fails for it. */
  readonly log: ((text: string) => void) | undefined;
}

/**
 * Lets requests out as the budget of their credential allows, so that a 429 is avoided. What is sent again is counted
 * again.
 * @param isBulk asked for each request: whether it is one of very many, which let single commands pass
 */
export function withPacing(next: Transport, budget: Budget, isBulk: () => boolean): Transport {
  return async (request) => {
    const leave = await budget.admit(request, isBulk());
    let refusedMs: number | undefined;
    try {
      const response = await next(request);
      if (response.status === 429) refusedMs = readRetryAfter(response.headers);
      return response;
    } finally {
      await leave(refusedMs);
    }
  };
}

/** The windows of requests and of writes. `reserve`: places that a bulk run leaves to single commands. */
export function createRateWindows({ requests, perSeconds, writes, writesPerSeconds }: Rate) {
  // 4 of 150 requests, 2 of 20 writes: a bulk run still uses more than 97 % of the minute. Of fewer than 10 it costs too much.
  const reserve = requests < 10 ? 0 : Math.max(1, Math.floor(requests * 0.027));
  const writeReserve = writes < 10 ? 0 : Math.max(1, Math.floor(writes * 0.1));
  return [
    { limit: requests, lengthMs: perSeconds * 1000, reserve },
    { limit: writes, lengthMs: writesPerSeconds * 1000, reserve: writeReserve },
  ] as const;
}

/** What all processes of a user sent lately: one JSON file under a lock. Times are milliseconds since the epoch. */
export interface Ledger {
  readonly version: 3;
  readonly credentials: { [hash: string]: Usage };
}

interface Usage {
  readonly usedAt: number;
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
const UNUSED_MS = 24 * 3_600_000;

/**
 * The allowance of each credential over all processes of a user: a request goes out when the ledger has a place for it,
 * and is written into it at the same moment. Where there can be no file, the process goes on by itself with what it knows.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #windows: ReturnType<typeof createRateWindows>;
  readonly #file: string;
  readonly #run: string;
  #ledger: Ledger = { version: 3, credentials: {} };
  #isShared = true;
  #count = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: BudgetOptions) {
    const { directory, clock, rate } = options;
    this.#options = options;
    this.#windows = createRateWindows(rate);
    this.#file = join(directory ?? '', 'ledger.json');
    this.#run = `${getSelf().pid.toString(36)}-${Math.floor(clock.random() * 36 ** 6).toString(36)}`;
    if (directory === undefined) this.#goOnAlone(new Error('there is no state directory'));
  }

  /**
   * Resolves when the request may go out: first come, first served. What it gives is called when the answer is there or
   * the request has failed, for the windows count from then, with what a refusal asks to wait.
   * @throws Cancelled; ApiError where a refusal to an earlier request asks for a longer wait than one request may take
   */
  admit(request: HttpRequest, isBulk: boolean): Promise<(refusedMs?: number) => Promise<void>> {
    this.#count += 1;
    const sent = { id: `${this.#run}-${this.#count}`, isWrite: isWrite(request.method) };
    // A run that sends more than the reserve holds is no single command: a list of many pages.
    const isOneOfMany = isBulk || this.#count > Math.max(1, this.#windows[0].reserve);
    const admission = this.#turn.then(() => this.#enter(request, sent, isOneOfMany));
    this.#turn = admission.catch(() => {});
    return admission;
  }

  /** What is left at this moment, with what other processes use: `132 of 150 this minute, 18 of 20 writes this second`. */
  getRemaining(request: Pick<HttpRequest, 'base' | 'headers'>) {
    if (this.#isShared) this.#ledger = parseLedger(readSmall(this.#file, MAX_BYTES));
    const usage = this.#settle(request);
    const texts = this.#windows.map(({ limit, lengthMs }, i) => {
      const left = Math.max(0, limit - this.#listCounted(usage, i).length);
      const span = { 1000: 'this second', 60000: 'this minute' }[lengthMs] ?? `in ${lengthMs / 1000} s`;
      return `${left} of ${limit}${i === 1 ? ' writes' : ''} ${span}`;
    });
    return { text: texts.join(', '), waitMs: this.#computeWaitMs(usage, false, false) };
  }

  async #enter(request: HttpRequest, sent: SentRequest, isBulk: boolean) {
    const { clock, interrupt, onWait, timeoutMs, maxWaitMs } = this.#options;
    const since = clock.now();
    let isTold = false;
    for (let attempt = 1; ; attempt += 1) {
      interrupt.throwIfAborted();
      const { waitMs, heldMs } = await this.#update(
        request,
        (usage) => {
          const now = clock.now();
          const wait = this.#computeWaitMs(usage, sent.isWrite, isBulk && this.#isShared);
          const until = now + timeoutMs + GRACE_MS;
          if (wait === 0) usage.requests.push({ ...sent, by: getSelf(), until });
          return { waitMs: wait, heldMs: usage.heldUntil - now };
        },
        interrupt,
      );
      if (waitMs === 0) return (refusedMs = 0) => this.#leave(request, sent, refusedMs);
      // A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
      if (heldMs > maxWaitMs) {
        const seconds = Math.ceil(heldMs / 1000);
        throw new ApiError('not sent: an earlier request was rate limited', 429, {
          code: 'rate_limited',
          exit: EXIT.tryLater,
          reason: `The service asked clients to wait; ${seconds} s left.`,
          hint: formatRetryHint(seconds),
          details: { request: `${request.method} ${request.path}`, retry_after: seconds },
        });
      }
      const ms = Number.isFinite(waitMs) ? waitMs : POLL_MS * (0.5 + clock.random());
      // Others may be faster each time: many short waits are a long one.
      if (ms >= MIN_REPORTED_MS || (!isTold && clock.now() - since >= MIN_REPORTED_MS)) {
        isTold = true;
        onWait({ ms: Math.max(ms, MIN_REPORTED_MS), why: 'budget', attempt });
      }
      await clock.sleep(ms, interrupt);
    }
  }

  async #leave(request: HttpRequest, sent: SentRequest, refusedMs: number): Promise<void> {
    const end = this.#options.clock.now();
    await this.#update(request, (usage) => {
      usage.requests = [...usage.requests.filter(({ id }) => id !== sent.id), { ...sent, end }];
      const until = end + Math.min(refusedMs, LONGEST_HOLD_MS);
      if (refusedMs > 0) usage.heldUntil = Math.max(usage.heldUntil, until);
    });
    this.#options.log?.(this.getRemaining(request).text);
  }

  /** Changes the ledger while nobody else does. Fails with `Cancelled` alone. @param work is run once */
  #update<T>(request: HttpRequest, work: (usage: Usage) => T, signal?: AbortSignal): Promise<T> {
    const results: T[] = [];
    const changeFile = async (): Promise<void> => {
      const text = readSmall(this.#file, MAX_BYTES) ?? '';
      // A link, or what others could have written, is not written to.
      if (text === '') removeQuietly(this.#file);
      this.#ledger = parseLedger(text);
      results.push(work(this.#settle(request)));
      // Written over what is there: emptying a file first takes longer. Nothing waits for the disk; what is lost is refused with 429.
      const json = JSON.stringify(this.#ledger).padEnd(text.length);
      writeFileSync(this.#file, json, { mode: 0o600, flag: text === '' ? 'w' : 'r+' });
    };
    // One after the other: a process need not wait for its own lock.
    const changed = this.#last.then(async () => {
      try {
        if (this.#isShared) await withLock(this.#file, this.#options.clock, changeFile, signal && { signal });
      } catch (error) {
        signal?.throwIfAborted();
        this.#goOnAlone(error);
      }
      if (results.length === 0) results.push(work(this.#settle(request)));
      return results[0] as T;
    });
    this.#last = changed.catch(() => {});
    return changed;
  }

  #goOnAlone(error: unknown): void {
    this.#isShared = false;
    this.#options.log?.(`no ledger shared with other processes (${getMessage(error)})`);
  }

  /**
   * Lets go of what counts no more. A request of a process that died ends now, one of another host by its time; what lies
   * ahead counts as now, for the clock may have been set back.
   * @returns what is left of the credential of a request
   */
  #settle({ base, headers }: Pick<HttpRequest, 'base' | 'headers'>): Usage {
    const now = this.#options.clock.now();
    const { credentials } = this.#ledger;
    for (const [hash, { usedAt }] of Object.entries(credentials))
      if (now - usedAt > UNUSED_MS) delete credentials[hash];
    // 32 bits of service and token (FNV-1a): no token can be got back from so few, and two that fall together share a budget.
    let bits = 0x811c9dc5;
    for (const character of `${new URL(base).origin}\n${headers.authorization ?? ''}`)
      bits = Math.imul(bits ^ (character.codePointAt(0) ?? 0), 0x01000193);
    const hash = (bits >>> 0).toString(16).padStart(8, '0');
    const { heldUntil, requests } = credentials[hash] ?? { heldUntil: 0, requests: [] };
    for (const request of requests) {
      const { id, by, until = now, end } = request;
      const state = id.startsWith(`${this.#run}-`) ? 'alive' : by && getHolderState(by);
      if (end !== undefined) request.end = Math.min(end, now);
      else if (state === 'dead') request.end = now;
      else if (state !== 'alive' && until <= now) request.end = until;
    }
    const longestMs = Math.max(this.#windows[0].lengthMs, this.#windows[1].lengthMs);
    const usage: Usage = {
      usedAt: now,
      heldUntil: heldUntil - now > LONGEST_HOLD_MS ? now : heldUntil,
      requests: requests.filter(({ end }) => end === undefined || end + longestMs >= now),
    };
    credentials[hash] = usage;
    return usage;
  }

  /** What counts in a window: the first has all requests, the second the writes. */
  #listCounted({ requests }: Usage, index: number): readonly SentRequest[] {
    const since = this.#options.clock.now() - (this.#windows[index]?.lengthMs ?? 0);
    return requests.filter(
      ({ isWrite, end }) => (index === 0 || isWrite) && (end === undefined || end >= since),
    );
  }

  /**
   * Milliseconds until a request may go; 0: now; infinite: not before one under way has ended. A request counts until the
   * window's length after the *end* of its answer, because the service may have counted it at any moment before.
   * @param isBulk whether it leaves the reserve to single commands
   */
  #computeWaitMs(usage: Usage, isWrite: boolean, isBulk: boolean): number {
    const now = this.#options.clock.now();
    let wait = Math.max(0, usage.heldUntil - now);
    for (const [i, { limit, lengthMs, reserve }] of this.#windows.entries()) {
      if (i === 1 && !isWrite) continue;
      const counted = this.#listCounted(usage, i);
      const excess = counted.length - limit + (isBulk ? reserve : 0);
      if (excess < 0) continue;
      const ends = counted.flatMap(({ end }) => end ?? []).sort((a, b) => a - b);
      // One more than the length: at exactly the length apart both may still be counted.
      wait = Math.max(wait, (ends[excess] ?? Number.POSITIVE_INFINITY) + lengthMs + 1 - now);
    }
    return wait;
  }
}

/** One that is lost, damaged or not ours is an empty one: what it would have prevented is refused with 429. */
function parseLedger(text = ''): Ledger {
  try {
    const ledger: Ledger = JSON.parse(text);
    const isWhole = (one: Usage): boolean => one.heldUntil >= 0 && Array.isArray(one.requests);
    if (ledger.version === 3 && Object.values(ledger.credentials).every(isWhole)) return ledger;
  } catch {
    // It is written anew.
  }
  return { version: 3, credentials: {} };
}
