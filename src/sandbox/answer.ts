/** What the sandbox is asked and what it answers: plain records, so that no socket is needed. */

export interface SandboxRequest {
  readonly method: string;
  /** Segments percent-encoded: `/api/v2/timesheets/8c1f/approve`. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that changed the state, with what it began from. */
export interface RepeatableRequest {
  readonly now: number;
  readonly generator: number;
  readonly next_id: number;
  readonly request: SandboxRequest;
}

/** What happens to an answer on its way, where a fault was asked for. */
export interface WireFault {
  readonly latency_ms: number;
  /** Where the connection is cut: before the answer, or in the middle of its body. */
  readonly cut?: 'unanswered' | 'middle';
}

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly wire?: WireFault;
}

/** What a handler answers, as documented: dialect and envelope are put around it (`dialect.ts`). */
export interface HandlerAnswer {
  readonly status?: 201;
  /** Absent: the answer has no `data` at all. */
  readonly data?: unknown;
  readonly pagination?: Record<'total' | 'per_page' | 'current_page' | 'last_page', number> &
    Record<'from' | 'to', number | null>;
  /** What the webhooks of the workspace hear, under the names in `events` of the route; absent: nothing. */
  readonly event?: object;
  /** Default: the workspace of the request. */
  readonly workspace_id?: number;
}

interface RefusalDetails {
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly field?: string;
  /** `error` of the envelope. */
  readonly detail?: string;
}

/** The answer is an error envelope with this status. Handlers throw it before they change anything. */
export class Refusal extends Error {
  readonly status: number;
  readonly facts: RefusalDetails;

  constructor(status: number, message: string, facts: RefusalDetails = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.facts = facts;
  }
}

/** A field that is missing or wrong: 400 (in one dialect 422). */
export function invalid(field: string, message = `The selected ${field} is invalid.`): Refusal {
  return new Refusal(400, message, { field });
}

export function wrongState(message: string): Refusal {
  return new Refusal(400, message);
}
