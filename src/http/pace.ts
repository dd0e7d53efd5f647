import { ApiError, EXIT } from '../outcome.ts';
import { answerTime, laterHint, retryAfterMs, waitSeconds } from './retry-after.ts';
import { type HttpRequest, type HttpResponse, type Transport, writes } from './transport.ts';

export type Kind = 'read' | 'write';

/** The service answered 429. */
export interface Refusal {
  /** What it asked to wait; nothing when it did not say. */
  readonly retryAfterMs: number | undefined;
}

/** Leave to send one request. */
export interface Admission {
  /** To be called once, when the answer is there or the request has failed: the windows count from then. */
  done(refusal?: Refusal): void;
}

/** The service refused a request of this credential, of whatever process, and asked for a longer wait than may be. */
export class HeldBack extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super('waiting after a rate limit error');
    this.ms = ms;
  }
}

/** The allowance of one credential (docs/requirements.md, CLI-6). */
export interface Budget {
  /**
   * Resolves when the request may go out, first come first served. Fails with `Cancelled` when interrupted,
   * with `HeldBack` where a refusal asks for a longer wait than one request may take.
   * @param bulk whether it is one of very many: those let single commands pass (docs/requirements.md, CLI-6)
   */
  admit(kind: Kind, bulk?: boolean): Promise<Admission>;
}

export interface PacingOptions {
  /** Asked for each request. Absent: it is not. */
  readonly isBulk?: () => boolean;
}

/** Lets requests out as the budget allows, so that a 429 is avoided. What is sent again is counted again. */
export const pacing =
  (
    next: Transport,
    budgetOf: (request: HttpRequest) => Budget | Promise<Budget>,
    { isBulk = () => false }: PacingOptions = {},
  ): Transport =>
  async (request) => {
    const budget = await budgetOf(request);
    const kind = writes(request.method) ? 'write' : 'read';
    const admission = await budget.admit(kind, isBulk()).catch((error: unknown) => {
      throw error instanceof HeldBack ? unsent(request, error.ms) : error;
    });
    let refusal: Refusal | undefined;
    try {
      const answer = await next(request);
      refusal = refusalOf(answer);
      return answer;
    } finally {
      admission.done(refusal);
    }
  };

/** What a 429 to this very request would have said. */
const unsent = ({ method, path }: HttpRequest, ms: number): ApiError =>
  new ApiError('not sent: an earlier request was rate limited', 429, {
    code: 'rate_limited',
    exit: EXIT.tryLater,
    reason: `It asked to wait; ${waitSeconds(ms)} s of that are left.`,
    hint: laterHint(ms),
    details: { request: `${method} ${path}`, retry_after: waitSeconds(ms) },
  });

const refusalOf = ({ status, headers }: HttpResponse): Refusal | undefined =>
  status === 429 ? { retryAfterMs: retryAfterMs(headers['retry-after'], answerTime(headers)) } : undefined;
