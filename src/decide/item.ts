import { APPROVED, findState, type RecordFacts } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { leave, timeRequest, timesheet } from '../api/records.ts';
import { isRecord, toNumber, toText } from '../json.ts';
import { isDay, parseWrittenDay } from '../parsing/calendar.ts';

/** Timesheets, leaves and time requests as one thing: something that waits for a decision. */

export const INBOX_KINDS = ['timesheet', 'leave', 'time-request'] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

export interface InboxItem {
  readonly kind: InboxKind;
  readonly id: string;
  readonly record: Row;
  /** As the service sent it; null where it did not. */
  readonly userId: unknown;
  /** Where the record itself names the person. */
  readonly memberName: string | null;
  /** First and last day; of a time request the days as they are written. */
  readonly from: string | null;
  readonly to: string | null;
  /** Of a time request: ISO 8601, as sent. */
  readonly start: string | null;
  readonly end: string | null;
  readonly hours: number | null;
  readonly days: number | null;
  readonly policyId: unknown;
  readonly projectId: unknown;
  readonly paid: boolean | null;
  readonly note: string | null;
  /** Since when it waits: milliseconds since the epoch, and as sent. */
  readonly since: number | null;
  readonly sinceText: string | null;
}

const HOUR_MS = 3_600_000;

/** Milliseconds since the epoch; a time without an offset is UTC, which the service writes elsewhere. */
export function parseInstant(value: unknown): number | null {
  const text = toNonEmptyText(value)?.trim().replace(' ', 'T');
  if (text === undefined) return null;
  const withOffset = /(Z|[+-]\d\d(:?\d\d)?)$/.test(text.slice(10)) || text.length <= 10 ? text : `${text}Z`;
  const ms = Date.parse(withOffset);
  return Number.isNaN(ms) ? null : ms;
}

function toNonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function getMember(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Newer generations of the service give the person as an object (docs/service.md, Timesheets). */
export function getUserId(row: Row): unknown {
  return row.user_id ?? getMember(row.member, 'id') ?? null;
}

/** A record of the service as an item; what it lacks is null. */
export function toInboxItem(kind: InboxKind, row: Row): InboxItem {
  const created =
    kind === 'timesheet' ? row.submitted_on : kind === 'leave' ? row.created_on : row.created_at;
  const common = {
    ...{ kind, record: row, id: toText(row.id), userId: getUserId(row), start: null, end: null, days: null },
    ...{ policyId: null, projectId: null, paid: null, note: null },
    memberName: toNonEmptyText(getMember(row.member, 'name')),
    since: parseInstant(created),
    sinceText: toNonEmptyText(created),
  };
  switch (kind) {
    case 'timesheet': {
      // Newer generations give minutes.
      const minutes = toFiniteNumber(row.total_minutes);
      const hours = toFiniteNumber(row.total_hours) ?? (minutes === null ? null : minutes / 60);
      return { ...common, from: toDay(row.date_from), to: toDay(row.date_to), hours };
    }
    case 'leave':
      return {
        ...common,
        from: toDay(row.start_date),
        to: toDay(row.end_date ?? row.start_date),
        hours: toFiniteNumber(getMember(row.total, 'hours')),
        days: toFiniteNumber(getMember(row.total, 'days')),
        policyId: row.policy_id ?? null,
        paid: row.is_paid == null ? null : row.is_paid === 'yes' || row.is_paid === true,
        note: toNonEmptyText(row.note),
      };
    case 'time-request': {
      const [start, end] = [parseInstant(row.start), parseInstant(row.end)];
      return {
        ...common,
        from: toDay(row.start),
        to: toDay(row.end ?? row.start),
        start: toNonEmptyText(row.start),
        end: toNonEmptyText(row.end),
        hours: start === null || end === null ? null : (end - start) / HOUR_MS,
        projectId: row.project_id ?? null,
        note: toNonEmptyText(row.notes),
      };
    }
  }
}

function toFiniteNumber(value: unknown): number | null {
  const number = Number(toNumber(value));
  return Number.isFinite(number) ? number : null;
}

function toDay(value: unknown): string | null {
  const day = toNonEmptyText(value)?.slice(0, 10) ?? '';
  return isDay(day) ? day : null;
}

/** The oldest first, by when it began to wait, else by what it is about; those that are equally old as they came. */
export function sortOldestFirst(items: readonly InboxItem[]): readonly InboxItem[] {
  const getKey = ({ since, from }: InboxItem) => since ?? parseInstant(from) ?? Number.POSITIVE_INFINITY;
  return [...items].sort((a, b) => (getKey(a) === getKey(b) ? 0 : getKey(a) - getKey(b)));
}

export function getItemKey({ kind, id }: InboxItem): string {
  return `${kind}:${id}`;
}

/** `Jan 15, 2024` or ISO 8601 to a day; undefined for anything else. */
export function toRecordDay(value: unknown): string | undefined {
  const text = toText(value ?? '');
  const day = text.slice(0, 10);
  return isDay(day) ? day : parseWrittenDay(text);
}

/** What has to be heeded, looked up where a person reads about the changes. */
export interface ChangeWarnings {
  /** Of each change in their order; null where it is not known whether there are any. */
  readonly warnings: readonly (readonly { readonly code: string; readonly text: string }[] | null)[];
  readonly rows: readonly (Row | undefined)[];
  /** What they are together: `38 clean, 2 over the limit`. */
  readonly summary: string;
}

const RESOURCES: Readonly<Record<InboxKind, RecordFacts>> = { timesheet, leave, 'time-request': timeRequest };

export function resourceOf(kind: InboxKind): RecordFacts {
  return RESOURCES[kind];
}

export const WAITING = { timesheet: 'submitted', leave: 'pending', 'time-request': 'pending' } as const;

/** The state that a record is in; undefined where it says none that is known. */
export function getState(kind: InboxKind, row: Row): string | undefined {
  return findState(resourceOf(kind), row);
}

export function isWaiting(kind: InboxKind, row: Row): boolean {
  return getState(kind, row) === WAITING[kind];
}

export function isApproved(kind: InboxKind, row: Row): boolean {
  return getState(kind, row) === APPROVED;
}
