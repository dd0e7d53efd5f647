/** What a handler answers, before the dialect and the envelope. */

export interface AnswerPagination {
  readonly total: number;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number;
  readonly from: number | null;
  readonly to: number | null;
}

export interface HandlerAnswer {
  /** What a create answers where the dialect says `documented`; absent: 200, always. */
  readonly created?: 200 | 201;
  readonly message?: string;
  /** Absent: the answer has no `data` at all. */
  readonly data?: unknown;
  readonly pagination?: AnswerPagination;
  /** The whole body, in place of the envelope: the list of webhooks (docs/service.md, Envelope). */
  readonly bare?: Readonly<Record<string, unknown>>;
}

export const answerData = (data: unknown, message?: string): HandlerAnswer =>
  message === undefined ? { data } : { data, message };

/** `data` is null; in one dialect an empty object. */
export const answerDone = (message: string): HandlerAnswer => ({ data: null, message });

export const answerCreated = (status: 200 | 201, data: unknown, message: string): HandlerAnswer => ({
  created: status,
  data,
  message,
});
