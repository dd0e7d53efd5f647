import type { Clock } from '../clock.ts';
import { ApiError, Cancelled, EXIT } from '../errors.ts';
import { type HttpRequest, type HttpResponse, isWrite, type Transport } from './transport.ts';
import { formatRetryHint, parseRetryAfter, readServerTime, toWaitSeconds } from './wire.ts';

/** What an aborted interrupt means: the `Cancelled` that was given as its reason, else Ctrl-C (exit 130). */
export const toCancelled = (interrupt: AbortSignal): Cancelled =>
  interrupt.reason instanceof Cancelled ? interrupt.reason : new Cancelled('interrupted', EXIT.interrupted);

/** Waits `ms` on the clock. Fails with `Cancelled` as soon as the run is interrupted. */
export const pause = async (clock: Clock, ms: number, interrupt?: AbortSignal): Promise<void> => {
  if (interrupt?.aborted) throw toCancelled(interrupt);
  try {
    await clock.sleep(ms, interrupt);
  } catch (error) {
    throw interrupt?.aborted ? toCancelled(interrupt) : error;
  }
};

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

export interface PacingTransportOptions {
  /** Asked for each request. Absent: it is not. */
  readonly isBulk?: () => boolean;
}

/** Lets requests out as the budget allows, so that a 429 is avoided. What is sent again is counted again. */
export const withPacing =
  (
    next: Transport,
    getBudget: (request: HttpRequest) => RateBudget | Promise<RateBudget>,
    { isBulk = () => false }: PacingTransportOptions = {},
  ): Transport =>
  async (request) => {
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

/** What a 429 to this very request would have said. */
const createHeldBackError = ({ method, path }: HttpRequest, ms: number): ApiError =>
  new ApiError('not sent: an earlier request was rate limited', 429, {
    code: 'rate_limited',
    exit: EXIT.tryLater,
    reason: `The service asked clients to wait; ${toWaitSeconds(ms)} s left.`,
    hint: formatRetryHint(ms),
    details: { request: `${method} ${path}`, retry_after: toWaitSeconds(ms) },
  });

const readRefusal = ({ status, headers }: HttpResponse): RateLimitRefusal | undefined =>
  status === 429
    ? { retryAfterMs: parseRetryAfter(headers['retry-after'], readServerTime(headers)) }
    : undefined;

/** `150/60,20/1`: requests in so many seconds, writes in so many seconds. */
export interface Rate {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}

/** `off`: nothing is counted and nothing waits. */
export const UNLIMITED: RateBudget = { admit: () => Promise.resolve({ done: () => {} }) };
