import type { Clock } from '../clock.ts';
import { ApiError, Cancelled, EXIT, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Redactor } from './redact.ts';
import {
  type Decide,
  formatRetryHint,
  type HttpQuery,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  parseRetryAfter,
  REQUEST_ID,
  readServerTime,
  type Transport,
  toWaitSeconds,
} from './transport.ts';

/**
 * Sends the bearer token. After a 401 a token that has changed is tried once, with any method: 401 means that the
 * request was not carried out. Else the 401 is given back.
 */
export function withAuthorization(
  next: Transport,
  credential: { token(): Promise<string>; renew(refused: string): Promise<string | undefined> },
  decide: Decide = () => {},
): Transport {
  return async (request) => {
    const token = await credential.token();
    const response = await next(withToken(request, token));
    if (response.status !== 401) return response;
    const renewed = await credential.renew(token);
    if (renewed === undefined || renewed === token) return response;
    decide({ decision: 'retry', reason: 'token_renewed' }, request);
    return next(withToken(request, renewed));
  };
}

export function formatBearer(token: string): string {
  return `Bearer ${token}`;
}

function withToken(request: HttpRequest, token: string): HttpRequest {
  return {
    ...request,
    headers: { ...request.headers, authorization: formatBearer(token) },
  };
}

/** Numbers the requests of one run, from 1. */
export class RequestNumbers {
  count = 0;
  readonly #run: string;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(run: string, clock: Pick<Clock, 'now'>) {
    this.#run = run;
    this.#clock = clock;
  }

  /** An id for a request that another process sends. */
  nextId(): string {
    this.count += 1;
    return `${this.#run}-${this.count}`;
  }

  /** Each request gets its number as it is asked for, and its `X-Request-Id` unless it has one. */
  link(next: Transport): Transport {
    return (request) => {
      const headers = { [REQUEST_ID]: this.nextId(), ...request.headers };
      return next({ ...request, headers, number: { n: this.count, attempt: 0, since: this.#clock.now() } });
    };
  }
}

/**
 * Waits for what a request wants done just before it goes out (a journal's line on the disk). The last link before
 * the wire: whatever else a request waits for, it has waited for.
 */
export function withBeforeSend(next: Transport): Transport {
  return async (request) => {
    await request.beforeSend?.();
    if (request.number !== undefined) request.number.attempt += 1;
    return next(request);
  };
}

/**
 * Shows which request is waited for: a response may take long.
 * @param options `timeoutMs`: after so long the request is given up
 */
export function withProgress(
  next: Transport,
  options: {
    readonly show: <T>(label: () => string, work: () => Promise<T>) => Promise<T>;
    readonly timeoutMs: number;
    readonly redactor: Redactor;
    readonly clock: Pick<Clock, 'now'>;
  },
): Transport {
  return (request) => {
    const { show, timeoutMs, redactor, clock } = options;
    const since = clock.now();
    const formatLabel = (): string => {
      const seconds = Math.floor((clock.now() - since) / 1000);
      const requestLine = redactor.text(`${request.method} ${request.path}`);
      return `waiting for the service, ${seconds} s (at most ${timeoutMs / 1000} s): ${requestLine}`;
    };
    return show(formatLabel, () => next(request));
  };
}

/** @throws UsageError for a write to a profile that is set `read-only` */
export function refuseWrite(profile: string): never {
  throw new UsageError(`profile ${profile} is read-only`, {
    code: 'read_only_profile',
    hint: `Allow writes with: ${commandLine`ttctl profile set --profile ${profile} --no-read-only`}`,
  });
}

/** The answer to a write in a dry run: status 200 and what would have gone out, its secrets masked. */
export function planWrite(request: HttpRequest, redactor: Pick<Redactor, 'json'>): HttpResponse {
  const { method, path, query, body } = request;
  const planned = {
    method,
    path,
    query: redactor.json(joinPairs(query)) as Readonly<Record<string, string>>,
    body: redactor.json(body),
  };
  return { status: 200, headers: {}, body: '', planned };
}

// A name that comes more than once keeps all its values.
function joinPairs(pairs: HttpQuery): Readonly<Record<string, string>> {
  const record = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = record.get(name);
    record.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(record);
}

/** What an aborted interrupt means: the `Cancelled` that was given as its reason, else Ctrl-C (exit 130). */
export function toCancelled(interrupt: AbortSignal): Cancelled {
  return interrupt.reason instanceof Cancelled
    ? interrupt.reason
    : new Cancelled('interrupted', EXIT.interrupted);
}

/** Waits `ms` on the clock. Fails with `Cancelled` as soon as the run is interrupted. */
export async function pause(clock: Clock, ms: number, interrupt?: AbortSignal): Promise<void> {
  if (interrupt?.aborted) throw toCancelled(interrupt);
  try {
    await clock.sleep(ms, interrupt);
  } catch (error) {
    throw interrupt?.aborted ? toCancelled(interrupt) : error;
  }
}

/** Told before each wait, so that a person sees why nothing happens (`waiting 12 s for the rate limit`). */
export interface WaitNotice {
  readonly ms: number;
  /** `rate_limit`: the service answered 429. `fault`: a fault that may pass. `budget`: our own keeping to the limits. */
  readonly why: 'rate_limit' | 'fault' | 'budget';
  /** Which wait of its kind this is for one request, from 1. */
  readonly attempt: number;
}

export type OnWait = (wait: WaitNotice) => void;

export type RequestKind = 'read' | 'write';

export interface RateLimitRefusal {
  /** What it asked to wait; nothing when it did not say. */
  readonly retryAfterMs: number | undefined;
}

/** Leave to send one request. */
export interface Admission {
  /** To be called once, when the answer is there or the request has failed: the windows count from then. */
  done(refusal?: RateLimitRefusal): void | Promise<void>;
}

/** The service refused a request of this credential, of whatever process, and asked for a longer wait than may be. */
export class HeldBackError extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super('waiting after a rate limit error');
    this.ms = ms;
  }
}

export interface RateBudget {
  /**
   * Resolves when the request may go out, first come first served. Fails with `Cancelled` when interrupted,
   * with `HeldBackError` where a refusal asks for a longer wait than one request may take.
   * @param bulk whether it is one of very many: those let single commands pass
   */
  admit(kind: RequestKind, bulk?: boolean): Promise<Admission>;
}

/**
 * Lets requests out as the budget allows, so that a 429 is avoided. What is sent again is counted again.
 * @param isBulk asked for each request
 */
export function withPacing(
  next: Transport,
  getBudget: (request: HttpRequest) => RateBudget | Promise<RateBudget>,
  isBulk: () => boolean = () => false,
): Transport {
  return async (request) => {
    const budget = await getBudget(request);
    const kind = isWrite(request.method) ? 'write' : 'read';
    const admission = await budget.admit(kind, isBulk()).catch((error: unknown) => {
      throw error instanceof HeldBackError ? createHeldBackError(request, error.ms) : error;
    });
    let refusal: RateLimitRefusal | undefined;
    try {
      const response = await next(request);
      refusal = readRefusal(response);
      return response;
    } finally {
      await admission.done(refusal);
    }
  };
}

/** What a 429 to this very request would have said. */
function createHeldBackError({ method, path }: HttpRequest, ms: number): ApiError {
  return new ApiError('not sent: an earlier request was rate limited', 429, {
    code: 'rate_limited',
    exit: EXIT.tryLater,
    reason: `The service asked clients to wait; ${toWaitSeconds(ms)} s left.`,
    hint: formatRetryHint(ms),
    details: { request: `${method} ${path}`, retry_after: toWaitSeconds(ms) },
  });
}

function readRefusal({ status, headers }: HttpResponse): RateLimitRefusal | undefined {
  return status === 429
    ? { retryAfterMs: parseRetryAfter(headers['retry-after'], readServerTime(headers)) }
    : undefined;
}

/** `150/60,20/1`: requests in so many seconds, writes in so many seconds. */
export interface Rate {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}

/** `off`: nothing is counted and nothing waits. */
export const UNLIMITED: RateBudget = { admit: () => Promise.resolve({ done: () => {} }) };
