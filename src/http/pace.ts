import { answerTime, retryAfterMs } from './retry-after.ts';
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

/** The allowance of one credential (contract, section 6). */
export interface Budget {
  /**
   * Resolves when the request may go out, first come first served. Fails with `Cancelled` when interrupted.
   * @param bulk whether it is one of very many: those let single commands pass (contract, section 6)
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
    const admission = await budget.admit(writes(request.method) ? 'write' : 'read', isBulk());
    let refusal: Refusal | undefined;
    try {
      const answer = await next(request);
      refusal = refusalOf(answer);
      return answer;
    } finally {
      admission.done(refusal);
    }
  };

const refusalOf = ({ status, headers }: HttpResponse): Refusal | undefined =>
  status === 429 ? { retryAfterMs: retryAfterMs(headers['retry-after'], answerTime(headers)) } : undefined;
