/** What a fault is, and what is said of it. */

export const FAULT_BODIES = {
  truncated: 'the response is cut off in the middle',
  broken: 'JSON that cannot be parsed',
  html: 'an HTML page of a proxy',
  empty: 'an empty body',
  'wrong-type': 'data of the wrong type',
  failure: 'success: false with a status of success',
  deep: 'deeply nested JSON',
} as const;

export type FaultBody = keyof typeof FAULT_BODIES;

/** Calls of one operation that go wrong: the first so many, never a share of them. */
export interface Fault {
  id: number;
  /** `PUT /timesheets/{timesheetId}/approve` */
  route: string;
  /** How many calls, and how many of them are still to come. */
  times: number;
  left: number;
  /** What is answered in place of the operation's own answer. */
  status: number | null;
  /** Seconds; with 429 and 503. */
  retry_after: number | null;
  /** The work is done, and then the call fails. */
  after_commit: boolean;
  latency_ms: number;
  /** The connection is cut before or after the work is done. */
  drop: 'before' | 'after' | null;
  body: FaultBody | null;
}

/** Whether the operation does its work under the fault. */
export const isCommitted = ({ status, after_commit, drop, body }: Fault): boolean =>
  after_commit || drop === 'after' || (status === null && drop === null && body !== 'failure');

/** `500 after commit, delayed 3 s` */
export const describeFault = (fault: Fault): string => {
  const { status, retry_after, after_commit, latency_ms, drop, body } = fault;
  const words = [
    status === null ? undefined : String(status),
    retry_after === null ? undefined : `retry after ${retry_after} s`,
    after_commit ? 'after commit' : undefined,
    drop === null ? undefined : `dropped ${drop} the work`,
    body === null ? undefined : `${body} body`,
    latency_ms === 0 ? undefined : `delayed ${latency_ms / 1000} s`,
  ];
  return words.filter((word) => word !== undefined).join(', ');
};
