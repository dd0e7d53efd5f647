import type { Clock } from '../clock.ts';
import type { Settings } from '../config/settings.ts';
import { NetworkError, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { TOO_MANY_FILES } from '../storage/write.ts';
import type { Redactor } from './redact.ts';
import {
  type Decide,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  readRetryAfter,
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

/**
 * What is sent again: nothing but this. A write is sent again only when it surely was not carried out: the
 * service refused it for its limits, or nothing of it was sent. (401: `withAuthorization`.)
 * `retries`: how often at most; the wait is bounded in any case.
 */
export const RETRY_RULES = {
  rate_limited: { repeats: 'any method', why: 'rate_limit', retries: Number.POSITIVE_INFINITY },
  // DNS, connection refused, time-out while connecting.
  not_sent: { repeats: 'any method', why: 'fault', retries: 3 },
  // Reset, time-out, truncated, 5xx.
  fault: { repeats: 'reads', why: 'fault', retries: 3 },
} as const;

/** What another attempt changes nothing about: a certificate, a proxy that refuses or that there is none. */
const FINAL_FAULTS: ReadonlySet<string> = new Set(['answer_too_large', TOO_MANY_FILES.code, 'tls', 'proxy']);

/** After so many requests in a row that failed for good, none is retried until an answer comes. */
const DOWN_AFTER = 3;

/**
 * Sends again what may be sent again, after waiting.
 * @param options `maxWaitMs`: how long one request may wait in all, on refusals and faults together (`--max-wait`); a wait
 *   that does not fit into what is left of it is not begun, and 0 fails at once
 */
export function withRetries(
  next: Transport,
  options: {
    readonly maxWaitMs: number;
    readonly clock: Clock;
    readonly onWait: OnWait;
    readonly decide: Decide;
    readonly interrupt?: AbortSignal;
  },
): Transport {
  const { maxWaitMs, clock, onWait, interrupt, decide } = options;
  let failedInARow = 0;
  return async (request) => {
    let waited = 0;
    const tries = { rate_limit: 0, fault: 0 };
    let outcome = await attempt(next, request);
    for (; outcome.kind !== undefined; outcome = await attempt(next, request)) {
      const { answer, kind } = outcome;
      const { why } = RETRY_RULES[kind];
      if (why === 'rate_limit') failedInARow = 0;
      const ms = computeWait(why, answer?.headers ?? {}, tries[why], clock);
      const patienceMs = maxWaitMs <= 0 ? -1 : maxWaitMs - waited;
      const reason = explainEnd(kind, request, tries[why], failedInARow, ms > patienceMs);
      if (reason !== undefined) {
        decide({ decision: 'give_up', reason }, request);
        if (why === 'fault') failedInARow += 1;
        break;
      }
      waited += ms;
      tries[why] += 1;
      decide({ decision: 'retry', reason: kind, ms }, request);
      onWait({ ms, why, attempt: tries[why] });
      await clock.sleep(ms, interrupt);
    }
    if (outcome.kind === undefined) failedInARow = 0;
    if (outcome.answer === undefined) throw outcome.error;
    return outcome.answer;
  };
}

async function attempt(
  next: Transport,
  request: HttpRequest,
): Promise<{ answer?: HttpResponse; error?: unknown; kind?: keyof typeof RETRY_RULES }> {
  try {
    const answer = await next(request);
    if (answer.status === 429) return { answer, kind: 'rate_limited' };
    return answer.status >= 500 ? { answer, kind: 'fault' } : { answer };
  } catch (error) {
    if (!(error instanceof NetworkError) || FINAL_FAULTS.has(error.code)) return { error };
    return { error, kind: error.sent ? 'fault' : 'not_sent' };
  }
}

function explainEnd(
  kind: keyof typeof RETRY_RULES,
  { method }: HttpRequest,
  tries: number,
  failedInARow: number,
  isTooLong: boolean,
) {
  const { repeats, why, retries } = RETRY_RULES[kind];
  if (repeats === 'reads' && isWrite(method)) return 'unknown_outcome';
  if (tries >= retries) return 'retries';
  if (why === 'fault' && failedInARow >= DOWN_AFTER) return 'service_down';
  return isTooLong ? 'max_wait' : undefined;
}

function computeWait(why: 'rate_limit' | 'fault', headers: Headers, tries: number, clock: Clock): number {
  const askedMs = readRetryAfter(headers) ?? 0;
  if (why === 'fault') return Math.max(askedMs, Math.ceil(clock.random() * Math.min(500 * 2 ** tries, 8000)));
  if (askedMs > 0) return askedMs;
  // No wait is named: from 0.5 to 1 s, doubling up to a minute, never none.
  return Math.ceil(Math.min(1000 * 2 ** tries, 60_000) * (0.5 + clock.random() / 2));
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

type WriteSettings = Pick<Settings, 'profile' | 'readOnly' | 'allow'>;

export function refuseWrite(settings: WriteSettings): never {
  const profile = settings.profile.value;
  const set = commandLine`ttctl profile set --profile ${profile}`;
  const isOwn = settings.readOnly.name === settings.allow?.name;
  throw new UsageError(describeReadOnly(settings), {
    code: 'read_only_profile',
    hint: isOwn ? `Change this with: ${set} --allow <commands>` : `Allow writes with: ${set} --no-read-only`,
  });
}

export function describeReadOnly({ profile, readOnly, allow }: WriteSettings): string {
  const name = `profile ${profile.value}`;
  if (allow === undefined || readOnly.name !== allow.name) return `${name} is read-only`;
  return `${name} allows no writes but those of: ${allow.value.replaceAll(',', ', ')}`;
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
