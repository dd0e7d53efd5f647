/** What a handler answers, before the dialect and the envelope. */

export interface Pagination {
  readonly total: number;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number;
  readonly from: number | null;
  readonly to: number | null;
}

export interface Answer {
  /** What a create answers where the dialect says `documented`; absent: 200, always. */
  readonly created?: 200 | 201;
  readonly message?: string;
  /** Absent: the answer has no `data` at all. */
  readonly data?: unknown;
  readonly pagination?: Pagination;
  /** The whole body, in place of the envelope: the list of webhooks (docs/service.md, Envelope). */
  readonly bare?: Readonly<Record<string, unknown>>;
}

export const shown = (data: unknown, message?: string): Answer =>
  message === undefined ? { data } : { data, message };

/** `data` is null; in one dialect an empty object. */
export const done = (message: string): Answer => ({ data: null, message });

export const created = (status: 200 | 201, data: unknown, message: string): Answer => ({
  created: status,
  data,
  message,
});
