import { findRecord } from './state.ts';
import type { RecordMap, Workspace } from './world.ts';

/** What a handler answers, and how it refuses. */

export interface Pagination {
  readonly total: number;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** What a handler answers, as documented: dialect and envelope are put around it (`dialect.ts`). */
export interface HandlerAnswer {
  /** Absent: 200. */
  readonly status?: 201;
  readonly message?: string;
  /** Absent: the answer has no `data` at all. */
  readonly data?: unknown;
  readonly pagination?: Pagination;
  /** What the webhooks of the workspace hear, under the names in `events` of the route; absent: nothing. */
  readonly event?: { readonly workspace: Workspace; readonly data: object };
}

interface RefusalDetails {
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The field that is wrong. */
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

/** A record that is not in the state that the operation needs: 400 (assumed: docs/service.md, Errors). */
export function wrongState(message: string): Refusal {
  return new Refusal(400, message);
}

export function notFound(kind: string, id: string | number): Refusal {
  return new Refusal(404, `No ${kind} ${id} in this workspace.`);
}

/** The record of this workspace. @throws Refusal (404) */
export function requireRecord<T>(records: RecordMap<T>, kind: string, id: string | number = ''): T {
  const record = findRecord(records, id);
  if (record === undefined) throw notFound(kind, id);
  return record;
}
