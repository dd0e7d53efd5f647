import { APPROVED, findState, type RecordFacts } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { leave, timeRequest, timesheet } from '../api/records.ts';
import { isRecord, toNumber, toText } from '../json.ts';
import { formatBriefDay, formatBriefDays, toDay } from '../parsing/calendar.ts';

/** Timesheets, leaves and time requests as one thing: something that waits for a decision; and how people read of it. */

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

export const FINAL = 'Decisions cannot be undone.';

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
  const [start, end, minutes] = [
    parseInstant(row.start),
    parseInstant(row.end),
    toFiniteNumber(row.total_minutes),
  ];
  const length = start === null || end === null ? null : (end - start) / HOUR_MS;
  const created = kind === 'timesheet' ? row.submitted_on : (row.created_on ?? row.created_at);
  return {
    ...{ kind, record: row, id: toText(row.id), userId: getUserId(row) },
    memberName: toNonEmptyText(getMember(row.member, 'name')),
    from: toDay(row.date_from ?? row.start_date ?? row.start) ?? null,
    to: toDay(row.date_to ?? row.end_date ?? row.end ?? row.start_date ?? row.start) ?? null,
    start: toNonEmptyText(row.start),
    end: toNonEmptyText(row.end),
    hours:
      toFiniteNumber(row.total_hours ?? getMember(row.total, 'hours')) ??
      // Newer generations give minutes.
      (minutes === null ? length : minutes / 60),
    days: toFiniteNumber(getMember(row.total, 'days')),
    policyId: row.policy_id ?? null,
    projectId: row.project_id ?? null,
    paid: row.is_paid == null ? null : row.is_paid === 'yes' || row.is_paid === true,
    note: toNonEmptyText(row.note ?? row.notes),
    since: parseInstant(created),
    sinceText: toNonEmptyText(created),
  };
}

function toFiniteNumber(value: unknown): number | null {
  const number = Number(toNumber(value));
  return Number.isFinite(number) ? number : null;
}

/** The oldest first, by when it began to wait, else by what it is about; those that are equally old as they came. */
export function sortOldestFirst(items: readonly InboxItem[]): readonly InboxItem[] {
  const getKey = ({ since, from }: InboxItem) => since ?? parseInstant(from) ?? Number.POSITIVE_INFINITY;
  return [...items].sort((a, b) => (getKey(a) === getKey(b) ? 0 : getKey(a) - getKey(b)));
}

export function getItemKey({ kind, id }: InboxItem): string {
  return `${kind}:${id}`;
}

/** Of `10 days`, `7.5 hours`; undefined for anything else. */
export function parseBalance(
  text: unknown,
): { readonly amount: number; readonly unit: 'days' | 'hours' } | undefined {
  const [, amount, unit] = /^(-?\d{1,15}(?:\.\d+)?) *([dh])/i.exec(toText(text ?? '')) ?? [];
  if (amount === undefined) return undefined;
  return { amount: Number(amount), unit: unit?.toLowerCase() === 'h' ? 'hours' : 'days' };
}

/** What is known of some people, read in as few requests as can be. */
export interface RowList {
  readonly rows: readonly Row[];
  /** Why they are not all, for people: they may not be read, or are too many. */
  readonly problem?: string;
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

export function getState(kind: InboxKind, row: Row): string | undefined {
  return findState(resourceOf(kind), row);
}

export function isWaiting(kind: InboxKind, row: Row): boolean {
  return getState(kind, row) === WAITING[kind];
}

export function isApproved(kind: InboxKind, row: Row): boolean {
  return getState(kind, row) === APPROVED;
}

export function formatKind(kind: InboxKind): string {
  return kind.replace('-', ' ');
}

export function formatCount(count: number, unit: string): string {
  const rounded = Math.round(count * 100) / 100;
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Nov 9`, with the year where it is not that of today. */
export function formatDay(day: string, today: string): string {
  return formatBriefDay(day, Date.parse(today));
}

/** `Nov 9–15`, `Dec 28 2026–Jan 2 2027`: as tables have it. */
export function formatDays(from: string, to: string, today: string): string {
  return formatBriefDays([from, to], Date.parse(today), '–');
}

export function formatWeekday(day: string, today: string): string {
  return `${WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''} ${formatDay(day, today)}`;
}

export function countDaysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / (24 * HOUR_MS));
}
