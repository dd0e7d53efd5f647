/**
 * The records that travel along the transport chain. Every link takes a request and gives a response;
 * no link knows an operation.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Ordered pairs, not yet percent-encoded. */
export type HttpQuery = readonly (readonly [name: string, value: string])[];

/** Which request of a run it is; the same however often it is sent. Counted where it goes out. */
export interface RequestNumber {
  readonly n: number;
  attempt: number;
  /** Since when it has waited: milliseconds since the epoch. */
  since: number;
}

/** Why a request waits, is sent again or is given up, and what the records showed after a response was lost. */
export interface RequestDecision {
  readonly decision: 'wait' | 'retry' | 'give_up' | 'reconcile';
  readonly reason: DecisionReason;
  readonly ms?: number;
}

/** The request that a decision is about; absent where it is about all of them. */
export type DecisionSubject = Partial<Pick<HttpRequest, 'method' | 'path' | 'headers' | 'about' | 'number'>>;

export type Decide = (decision: RequestDecision, subject?: DecisionSubject) => void;

export const REQUEST_ID = 'x-request-id';

export type DecisionReason =
  | 'rate_limit'
  | 'rate_limited'
  | 'not_sent'
  | 'fault'
  | 'token_renewed'
  | 'max_wait'
  | 'retries'
  | 'service_down'
  | 'unknown_outcome'
  | ReconcileReason;

type ReconcileReason = 'done' | 'not_done' | 'unknown';

/** Told what the records showed of a write whose response was lost. */
export type TellReconciled = (write: RequestSubject, reason: ReconcileReason, requestId?: string) => void;

export interface HttpRequest {
  readonly method: Method;
  /** Absolute root without a trailing slash: `https://host/api/v2`. */
  readonly base: string;
  /** Begins with `/`; each segment is already percent-encoded. */
  readonly path: string;
  readonly query: HttpQuery;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value, sent as `application/json`. Absent: no body. */
  readonly body?: unknown;
  /** Sent as `application/x-www-form-urlencoded` in place of `body`. */
  readonly form?: HttpQuery;
  /** To be done just before it goes out, after all waiting; when it fails, nothing goes out. */
  readonly beforeSend?: () => Promise<void>;
  /** What logs say it is about. */
  readonly about?: RequestSubject;
  readonly number?: RequestNumber;
}

export interface RequestSubject {
  /** `timesheets.approve` */
  readonly operation: string;
  /** The record: as a write names it, else its id. */
  readonly target?: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; several values are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8. */
  readonly body: string;
  /** The body as it came, where its type is not JSON. */
  readonly bytes?: Uint8Array;
  /** Set by the dry-run link alone: the request was not sent, and this is what would have gone out. */
  readonly planned?: PlannedRequest;
}

export interface PlannedRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Fails with a `NetworkError` (errors.ts) when there is no whole answer. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** Anything but GET may change something at the service. */
export const isWrite = (method: Method): boolean => method !== 'GET';
