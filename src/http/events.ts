import type { Clock } from '../clock.ts';
import type { HttpRequest, RequestDecision } from './transport.ts';

/** What a log is told of the requests of a run, beside the requests themselves. */

/** The request that a decision is about; absent where it is about all of them. */
export type DecisionSubject = Partial<Pick<HttpRequest, 'method' | 'path' | 'headers' | 'about' | 'number'>>;

export type Decide = (decision: RequestDecision, subject?: DecisionSubject) => void;

/** Numbers the requests of one run, from 1. */
export interface RequestNumbers {
  /** How many there are so far. */
  readonly count: number;
  /** An id for a request that another process sends. */
  nextId(): string;
  /** Its number, and its `X-Request-Id` unless it has one. */
  assign(request: HttpRequest): HttpRequest;
}

export const REQUEST_ID = 'x-request-id';

/** @param run id of the run, called at the first request */
export const createRequestNumbers = (getRun: () => string, clock: Pick<Clock, 'now'>): RequestNumbers => {
  let count = 0;
  const nextId = (): string => {
    count += 1;
    return `${getRun()}-${count}`;
  };
  return {
    get count() {
      return count;
    },
    nextId,
    assign(request) {
      const headers = { [REQUEST_ID]: nextId(), ...request.headers };
      return { ...request, headers, number: { n: count, attempt: 0, since: clock.now() } };
    },
  };
};
