import type { Row } from '../api/page.ts';
import { boolean, type Fields, integer, text, withDisplay } from '../resources/resource.ts';
import type { Person } from './records.ts';

/** What keeps a period from being closed. The help of `ttctl close check` says what each code means. */

export const CLOSE_CODES = [
  'no_timesheet',
  'not_submitted',
  'rejected',
  'waiting',
  'over_limit',
  'sheet_on_leave',
  'leave_pending',
  'time_request_pending',
  'negative_balance',
  'archived_with_open_items',
  'expense_without_project',
] as const;

export interface CloseFinding {
  readonly code: (typeof CLOSE_CODES)[number];
  readonly member: Person;
  /** First and last day that it is about, within the period. */
  readonly from: string;
  readonly to: string;
  /** Workdays among them; null where it is not about days. */
  readonly days: number | null;
  /** Whether the record goes on beyond the period. */
  readonly partial: boolean;
  /** For people. */
  readonly message: string;
  /** The command that mends it, or shows what a person has to mend. */
  readonly fix: string;
}

/** Stable keys, for scripts. */
export const CLOSE_FIELDS = ['code', 'member', 'from', 'to', 'days', 'partial', 'message', 'fix'] as const;

/** What a condition can read of a finding, beside its member. */
export const CLOSE_ROW: Fields = {
  code: withDisplay(text, { values: CLOSE_CODES }),
  from: text,
  to: text,
  days: integer,
  partial: boolean,
  message: text,
  fix: text,
};

export const toFindingRow = (finding: CloseFinding): Row =>
  Object.fromEntries(CLOSE_FIELDS.map((field) => [field, finding[field]]));

const getSortKeys = ({ member, from, code }: CloseFinding) => [
  (member.name ?? '\uffff').toLowerCase(),
  String(member.id),
  from,
  String(CLOSE_CODES.indexOf(code)).padStart(2, '0'),
];

/** By person, then by day: so the findings of a person stand together. */
export const sortFindings = (findings: readonly CloseFinding[]): readonly CloseFinding[] =>
  findings
    .map((finding) => ({ finding, key: getSortKeys(finding).join('\0') }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ finding }) => finding);
