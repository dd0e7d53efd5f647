import { isRecord } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { UsageError } from '../outcome.ts';
import { formatSealedLines, parseSealedLines, type SealedHead } from '../parsing/sealed-lines.ts';
import type { SeenRecord } from './seen.ts';

/** What a check saw, as a file of JSON lines (`parsing/sealed-lines.ts`): its head, then a line for each record. */

/** What a later check has to have in common with it. */
export interface CheckedScope {
  /** Origin of the service, or `embedded`. */
  readonly base_url: string;
  readonly workspace_id: number | null;
  /** First and last day. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  /** Ids of members, in order; null: all. */
  readonly members: readonly string[] | null;
}

export interface SavedCheckHead extends CheckedScope, SealedHead {
  readonly ttctl_close: 1;
  /** ISO 8601. */
  readonly created_at: string;
  /** Version of the program. */
  readonly ttctl: string;
}

export interface SavedCheck {
  readonly head: SavedCheckHead;
  readonly rows: readonly SeenRecord[];
}

export const formatSavedCheck = (
  head: Omit<SavedCheckHead, 'sha256' | 'rows' | 'ttctl_close'>,
  rows: readonly SeenRecord[],
): string => formatSealedLines({ ttctl_close: 1, ...head, rows: rows.length }, rows);

const createError = (place: string, message: string, reason?: string): UsageError =>
  new UsageError(`${place}: ${message}`, {
    code: 'bad_saved_check',
    reason,
    hint: 'Create it again with: ttctl close check --period <period> --save <file>',
  });

const isText = (value: unknown): value is string => typeof value === 'string';

const isHead = (value: unknown): value is SavedCheckHead =>
  isRecord(value) &&
  ['created_at', 'ttctl', 'base_url', 'from', 'to', 'timezone'].every((name) => isText(value[name])) &&
  (value['members'] === null || (Array.isArray(value['members']) && value['members'].every(isText))) &&
  typeof value['rows'] === 'number';

const KINDS: ReadonlySet<unknown> = new Set<SeenRecord['kind']>([
  'timesheet',
  'leave',
  'time-request',
  'expense',
]);

const isRow = (value: unknown): value is SeenRecord =>
  isRecord(value) &&
  KINDS.has(value['kind']) &&
  [value['id'], value['from'], value['to']].every(isText) &&
  isRecord(value['member']) &&
  isRecord(value['fields']);

/**
 * Pure.
 * @throws UsageError for what is no saved check, is damaged or was edited
 */
export const parseSavedCheck = (text: string, file: string): SavedCheck =>
  parseSealedLines(text, file, { noun: 'saved check', version: 'ttctl_close', isHead, isRow, createError });

const SCOPE_WORDS: Readonly<Record<keyof CheckedScope, string>> = {
  base_url: 'service',
  workspace_id: 'workspace',
  from: 'first day',
  to: 'last day',
  timezone: 'time zone',
  members: 'members',
};

const formatScope = (value: unknown): string =>
  value === null ? 'all' : Array.isArray(value) ? value.join(', ') : toText(value);

/** Records of other days or members would all look changed. @throws UsageError */
export const requireSameScope = ({ head }: SavedCheck, scope: CheckedScope, file: string): void => {
  const names = Object.keys(SCOPE_WORDS) as (keyof CheckedScope)[];
  const other = names.filter((name) => formatScope(head[name]) !== formatScope(scope[name]));
  if (other.length === 0) return;
  throw new UsageError(`${file} was saved by a check with other settings`, {
    code: 'other_check',
    reason: other
      .map((name) => `${SCOPE_WORDS[name]}: ${formatScope(head[name])}, now ${formatScope(scope[name])}`)
      .join('\n'),
    hint: 'Use the --period, --member and --timezone that it was saved with.',
  });
};
