import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Redactor } from './redact.ts';
import {
  type Decide,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  REQUEST_ID,
  type Transport,
  toQueryRecord,
} from './transport.ts';

/**
 * Sends the bearer token. After a 401 a token that has changed is tried once, with any method: 401 means that the
 * request was not carried out. Else the 401 is given back.
 */
export function withAuthorization(
  next: Transport,
  credential: { token(): Promise<string>; renew(refused: string): Promise<string | undefined> },
  decide: Decide,
): Transport {
  return async (request) => {
    const token = await credential.token();
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const response = await next({ ...request, headers });
    if (response.status !== 401) return response;
    const renewed = await credential.renew(token);
    if (renewed === undefined || renewed === token) return response;
    decide({ decision: 'retry', reason: 'token_renewed' }, request);
    return next({ ...request, headers: { ...headers, authorization: `Bearer ${renewed}` } });
  };
}

/** Numbers the requests of one run, from 1. */
export class RequestNumbers {
  count = 0;
  readonly #run: string;
  readonly #clock: Clock;

  constructor(run: string, clock: Clock) {
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

/** @throws UsageError for a write to a profile that is set `read-only` */
export function refuseWrite(profile: string): never {
  throw new UsageError(`profile ${profile} is read-only`, {
    code: 'read_only_profile',
    hint: `Allow writes with: ${commandLine`ttctl profile set --profile ${profile} --no-read-only`}`,
  });
}

/** The answer to a write in a dry run: status 200 and what would have gone out, its secrets masked. */
export function planWrite({ method, path, query, body }: HttpRequest, redactor: Redactor): HttpResponse {
  const masked = redactor.json(toQueryRecord(query)) as Headers;
  const planned = { method, path, query: masked, body: redactor.json(body) };
  return { status: 200, headers: {}, body: '', planned };
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

/** `150/60,20/1`: requests in so many seconds, writes in so many seconds. */
export interface Rate {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}
