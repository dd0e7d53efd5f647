import type { Clock } from '../clock.ts';
import { NetworkError } from '../outcome.ts';
import { type OnWait, pause } from './pacing.ts';
import { type HttpRequest, type HttpResponse, isWrite, type Method, type Transport } from './transport.ts';
import { parseRetryAfter, readServerTime } from './wire.ts';

export interface RetryOptions {
  /** How long one request may wait in all, on refusals and faults together; 0: fail at once (`--max-wait`). */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly onWait?: OnWait;
  readonly interrupt?: AbortSignal;
}

/** What became of one try. */
type Outcome = { readonly answer: HttpResponse } | { readonly error: unknown };

type Ending = 'final' | 'rate_limited' | 'not_sent' | 'fault';

interface Rule {
  readonly again: 'any method' | 'reads' | 'never';
  readonly why: 'rate_limit' | 'fault';
  /** How often at most; the wait is bounded in any case. */
  readonly retries: number;
}

/**
 * What is sent again (docs/requirements.md, D3). A write is sent again only when it surely was not carried out: the
 * service refused it for its limits, or nothing of it was sent. (401 is the business of authorize.ts.)
 */
export const RETRY_RULES: Readonly<Record<Ending, Rule>> = {
  // 2xx, 3xx, 4xx, an answer that is too large; also what is no fault of the network.
  final: { again: 'never', why: 'fault', retries: 0 },
  rate_limited: { again: 'any method', why: 'rate_limit', retries: Number.POSITIVE_INFINITY },
  // DNS, connection refused, TLS, proxy, time-out while connecting.
  not_sent: { again: 'any method', why: 'fault', retries: 3 },
  // Reset, time-out, truncated, 5xx.
  fault: { again: 'reads', why: 'fault', retries: 3 },
};

const endingOf = (outcome: Outcome): Ending => {
  if ('answer' in outcome) {
    const { status } = outcome.answer;
    if (status === 429) return 'rate_limited';
    return status >= 500 ? 'fault' : 'final';
  }
  const { error } = outcome;
  if (!(error instanceof NetworkError) || error.code === 'answer_too_large') return 'final';
  return error.sent ? 'fault' : 'not_sent';
};

/** After so many requests in a row that failed for good, none is retried until an answer comes (docs/requirements.md, D4). */
const SERVICE_IS_DOWN = 3;

/**
 * Sends again what may be sent again, after waiting. A wait that does not fit into what is left of `maxWaitMs` is not
 * begun: the 429 or the fault is given back at once.
 */
export const withRetries = (next: Transport, options: RetryOptions): Transport => {
  let failedInARow = 0;
  return async (request) => {
    let waited = 0;
    const tries = { rate_limit: 0, fault: 0 };
    for (;;) {
      const outcome = await attempt(next, request);
      const ending = endingOf(outcome);
      const rule = RETRY_RULES[ending];
      if (ending === 'final' || ending === 'rate_limited') failedInARow = 0;
      const may = mayRepeat(rule, request.method, tries[rule.why], failedInARow);
      const ms = may ? waitFor(outcome, ending, tries[rule.why], options.clock) : Number.POSITIVE_INFINITY;
      if (options.maxWaitMs <= 0 || waited + ms > options.maxWaitMs) {
        if (rule.why === 'fault' && ending !== 'final') failedInARow += 1;
        return settle(outcome);
      }
      waited += ms;
      tries[rule.why] += 1;
      options.onWait?.({ ms, why: rule.why, attempt: tries[rule.why] });
      await pause(options.clock, ms, options.interrupt);
    }
  };
};

const attempt = async (next: Transport, request: HttpRequest): Promise<Outcome> => {
  try {
    return { answer: await next(request) };
  } catch (error) {
    return { error };
  }
};

const settle = (outcome: Outcome): HttpResponse => {
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
};

const mayRepeat = (rule: Rule, method: Method, tries: number, failedInARow: number): boolean => {
  if (rule.again === 'never' || tries >= rule.retries) return false;
  if (rule.again === 'reads' && isWrite(method)) return false;
  return rule.why === 'rate_limit' || failedInARow < SERVICE_IS_DOWN;
};

/** Milliseconds, whole. What the service asks for is never undercut. */
const waitFor = (outcome: Outcome, ending: Ending, tries: number, clock: Clock): number => {
  const headers = 'answer' in outcome ? outcome.answer.headers : {};
  const asked = parseRetryAfter(headers['retry-after'], readServerTime(headers) ?? clock.now()) ?? 0;
  if (ending !== 'rate_limited')
    return Math.max(asked, Math.ceil(clock.random() * doubling(500, tries, 8000)));
  if (asked > 0) return asked;
  // No wait is named: from 0.5 to 1 s, doubling up to a minute, never none.
  return Math.ceil(doubling(1000, tries, 60_000) * (0.5 + clock.random() / 2));
};

const doubling = (first: number, tries: number, most: number): number => Math.min(first * 2 ** tries, most);
