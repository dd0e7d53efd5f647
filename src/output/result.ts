import type { Row } from '../api/page.ts';
import type { PlannedRequest } from '../http/transport.ts';

/** What has become of a write, and how results are printed. Types only. */

export interface Result {
  readonly target: string;
  /** `unchanged`: the record is already as the write would make it, so nothing was sent. */
  readonly status: 'done' | 'unchanged' | 'failed' | 'unknown' | 'skipped' | 'planned';
  readonly operation: string;
  /** The target in a few words, where they are known: whose it is, of when, how much. */
  readonly label?: string | undefined;
  readonly message?: string;
  readonly data?: unknown;
  /** Of a dry run: what it sends, and the fields that this changes, by the names of the record. */
  readonly request?: PlannedRequest;
  readonly before?: Row;
  /** Null: the record will be gone. */
  readonly after?: Row | null;
  /**
   * The codes of what has to be heeded, and their words; null: not known. Of decisions that are only planned, and of
   * what the service accepted: `differs` (its answer shows another value), `not_checked` (a rate could not be read).
   */
  readonly warnings?: readonly string[] | null;
  readonly warning_messages?: readonly string[] | null;
  readonly error?: Row;
}

export interface ResultsInfo {
  /** How many different targets there are. Of one alone, the error that ends the run tells why it failed. */
  readonly count?: number;
  /** What a write changes, in words: `hours a week: 40 → 32`. */
  readonly changes?: (result: Result) => Promise<string>;
  /** Whether people are shown the request of a dry run beside what it changes. */
  readonly requests?: boolean;
  /** What stands in the summary alone: rows that were not begun when the run ended. */
  readonly unsaid?: (result: Result) => boolean;
}
