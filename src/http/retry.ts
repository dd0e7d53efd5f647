import type { Clock } from '../clock.ts';
import { NetworkError } from '../errors.ts';
import { TOO_MANY_FILES } from '../storage/write.ts';

import { type OnWait, pause } from './links.ts';
import {
  type Decide,
  type DecisionReason,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  type Method,
  parseRetryAfter,
  readServerTime,
  type Transport,
} from './transport.ts';

export interface RetryOptions {
  /** How long one request may wait in all, on refusals and faults together; 0: fail at once (`--max-wait`). */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly onWait?: OnWait;
  readonly decide?: Decide;
  readonly interrupt?: AbortSignal;
}

type AttemptOutcome = { readonly answer: HttpResponse } | { readonly error: unknown };

type OutcomeKind = 'final' | 'rate_limited' | 'not_sent' | 'fault';

interface Rule {
  readonly repeats: 'any method' | 'reads' | 'never';
  readonly why: 'rate_limit' | 'fault';
  /** How often at most; the wait is bounded in any case. */
  readonly retries: number;
}

/**
 * What is sent again. A write is sent again only when it surely was not carried out: the
 * service refused it for its limits, or nothing of it was sent. (401: `withAuthorization` in links.ts.)
 */
export const RETRY_RULES: Readonly<Record<OutcomeKind, Rule>> = {
  // 2xx, 3xx, 4xx, an answer that is too large; also what is no fault of the network.
  final: { repeats: 'never', why: 'fault', retries: 0 },
  rate_limited: { repeats: 'any method', why: 'rate_limit', retries: Number.POSITIVE_INFINITY },
  // DNS, connection refused, time-out while connecting.
  not_sent: { repeats: 'any method', why: 'fault', retries: 3 },
  // Reset, time-out, truncated, 5xx.
  fault: { repeats: 'reads', why: 'fault', retries: 3 },
};

/** What another attempt changes nothing about: a certificate, a proxy that refuses or that there is none. */
const FINAL_FAULTS: ReadonlySet<string> = new Set(['answer_too_large', TOO_MANY_FILES.code, 'tls', 'proxy']);

/** After so many requests in a row that failed for good, none is retried until an answer comes. */
const DOWN_AFTER = 3;

/**
 * Sends again what may be sent again, after waiting. A wait that does not fit into what is left of `maxWaitMs` is not
 * begun: the 429 or the fault is given back at once.
 */
export function withRetries(next: Transport, options: RetryOptions): Transport {
  const { maxWaitMs, clock, onWait, interrupt, decide = () => {} } = options;
  let failedInARow = 0;
  return async (request) => {
    let waited = 0;
    const tries = { rate_limit: 0, fault: 0 };
    for (;;) {
      const outcome = await next(request).then(
        (answer): AttemptOutcome => ({ answer }),
        (error: unknown): AttemptOutcome => ({ error }),
      );
      const kind = classifyOutcome(outcome);
      if (kind === 'final' || kind === 'rate_limited') failedInARow = 0;
      // What is final by itself is no decision.
      if (kind === 'final') return settle(outcome);
      const rule = RETRY_RULES[kind];
      const isRepeatable = mayRepeat(rule, request.method, tries[rule.why], failedInARow);
      const ms = isRepeatable ? computeWait(outcome, kind, tries[rule.why], clock) : Number.POSITIVE_INFINITY;
      if (maxWaitMs <= 0 || waited + ms > maxWaitMs) {
        decide({ decision: 'give_up', reason: explainGiveUp(kind, request, tries, isRepeatable) }, request);
        if (rule.why === 'fault') failedInARow += 1;
        return settle(outcome);
      }
      waited += ms;
      tries[rule.why] += 1;
      decide({ decision: 'retry', reason: kind, ms }, request);
      onWait?.({ ms, why: rule.why, attempt: tries[rule.why] });
      await pause(clock, ms, interrupt);
    }
  };
}

function classifyOutcome(outcome: AttemptOutcome): OutcomeKind {
  if ('answer' in outcome) {
    const { status } = outcome.answer;
    if (status === 429) return 'rate_limited';
    return status >= 500 ? 'fault' : 'final';
  }
  const { error } = outcome;
  if (!(error instanceof NetworkError) || FINAL_FAULTS.has(error.code)) return 'final';
  return error.sent ? 'fault' : 'not_sent';
}

function settle(outcome: AttemptOutcome): HttpResponse {
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
}

function mayRepeat(rule: Rule, method: Method, tries: number, failedInARow: number): boolean {
  if (rule.repeats === 'never' || tries >= rule.retries) return false;
  if (rule.repeats === 'reads' && isWrite(method)) return false;
  return rule.why === 'rate_limit' || failedInARow < DOWN_AFTER;
}

function explainGiveUp(
  kind: Exclude<OutcomeKind, 'final'>,
  { method }: HttpRequest,
  tries: Readonly<Record<Rule['why'], number>>,
  isRepeatable: boolean,
): DecisionReason {
  if (isRepeatable) return 'max_wait';
  if (kind === 'fault' && isWrite(method)) return 'unknown_outcome';
  const { why, retries } = RETRY_RULES[kind];
  return tries[why] >= retries ? 'retries' : 'service_down';
}

/** Milliseconds, whole. What the service asks for is never undercut. */
function computeWait(outcome: AttemptOutcome, kind: OutcomeKind, tries: number, clock: Clock): number {
  const headers = 'answer' in outcome ? outcome.answer.headers : {};
  const retryAfterMs = parseRetryAfter(headers['retry-after'], readServerTime(headers) ?? clock.now()) ?? 0;
  if (kind !== 'rate_limited')
    return Math.max(retryAfterMs, Math.ceil(clock.random() * computeBackoff(500, tries, 8000)));
  if (retryAfterMs > 0) return retryAfterMs;
  // No wait is named: from 0.5 to 1 s, doubling up to a minute, never none.
  return Math.ceil(computeBackoff(1000, tries, 60_000) * (0.5 + clock.random() / 2));
}

function computeBackoff(first: number, tries: number, maximum: number): number {
  return Math.min(first * 2 ** tries, maximum);
}
