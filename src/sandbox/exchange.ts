/** What the sandbox is asked and what it answers: plain records, so that no socket is needed. */

export interface SandboxRequest {
  readonly method: string;
  /** Without the base path; segments percent-encoded: `/timesheets/8c1f/approve`. */
  readonly path: string;
  /** Ordered, decoded. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came; empty when there is none. */
  readonly body: string;
}

/** What happens to an answer on its way, where a fault was asked for. */
export interface WireFault {
  readonly latency_ms: number;
  /** Where the connection is cut: before the answer, or in the middle of its body. */
  readonly cut?: 'unanswered' | 'middle';
}

export interface SandboxResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Id of the fault that the call met. The state has changed then, whatever the status. */
  readonly fault?: number;
  readonly wire?: WireFault;
}
