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

export interface SandboxResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type SandboxApp = (request: SandboxRequest) => SandboxResponse;
