import type { Row } from '../../api/page.ts';
import { isRecord, toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { isDay } from '../../parsing/calendar.ts';

/** Timesheets, leaves and time requests as one thing: something that waits for a decision. */

export const INBOX_KINDS = ['timesheet', 'leave', 'time-request'] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

export interface InboxItem {
  readonly kind: InboxKind;
  readonly id: string;
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
  /** Of a leave. */
  readonly paid: boolean | null;
  readonly note: string | null;
  /** Since when it waits: milliseconds since the epoch, and as sent. */
  readonly since: number | null;
  readonly sinceText: string | null;
}

const HOUR_MS = 3_600_000;

const presentText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

const numberOf = (value: unknown): number | null => {
  const number = Number(toNumber(value));
  return Number.isFinite(number) ? number : null;
};

const dayOf = (value: unknown): string | null => {
  const day = presentText(value)?.slice(0, 10) ?? '';
  return isDay(day) ? day : null;
};

/** Milliseconds since the epoch; a time without an offset is UTC, which the service writes elsewhere. */
export const parseInstant = (value: unknown): number | null => {
  const text = presentText(value)?.trim().replace(' ', 'T');
  if (text === undefined) return null;
  const zoned = /(Z|[+-]\d\d(:?\d\d)?)$/.test(text.slice(10)) || text.length <= 10 ? text : `${text}Z`;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? null : ms;
};

const inside = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

const NOTHING = {
  memberName: null,
  start: null,
  end: null,
  days: null,
  policyId: null,
  projectId: null,
  paid: null,
  note: null,
} as const;

const waitingSince = (value: unknown) => ({ since: parseInstant(value), sinceText: presentText(value) });

/** Newer generations of the service give minutes, and the person as an object (docs/service.md, Timesheets). */
const sheetItem = (row: Row): InboxItem => {
  const minutes = numberOf(row.total_minutes);
  return {
    ...NOTHING,
    kind: 'timesheet',
    id: toText(row.id),
    userId: row.user_id ?? inside(row.member, 'id') ?? null,
    memberName: presentText(inside(row.member, 'name')),
    from: dayOf(row.date_from),
    to: dayOf(row.date_to),
    hours: numberOf(row.total_hours) ?? (minutes === null ? null : minutes / 60),
    ...waitingSince(row.submitted_on),
  };
};

const leaveItem = (row: Row): InboxItem => ({
  ...NOTHING,
  kind: 'leave',
  id: toText(row.id),
  userId: row.user_id ?? null,
  from: dayOf(row.start_date),
  to: dayOf(row.end_date) ?? dayOf(row.start_date),
  hours: numberOf(inside(row.total, 'hours')),
  days: numberOf(inside(row.total, 'days')),
  policyId: row.policy_id ?? null,
  paid: row.is_paid === 'yes' || row.is_paid === true ? true : row.is_paid == null ? null : false,
  note: presentText(row.note),
  ...waitingSince(row.created_on),
});

const timeItem = (row: Row): InboxItem => {
  const [start, end] = [parseInstant(row.start), parseInstant(row.end)];
  return {
    ...NOTHING,
    kind: 'time-request',
    id: toText(row.id),
    userId: row.user_id ?? null,
    from: dayOf(row.start),
    to: dayOf(row.end) ?? dayOf(row.start),
    start: presentText(row.start),
    end: presentText(row.end),
    hours: start === null || end === null ? null : (end - start) / HOUR_MS,
    projectId: row.project_id ?? null,
    note: presentText(row.notes),
    ...waitingSince(row.created_at),
  };
};

const READERS: Readonly<Record<InboxKind, (row: Row) => InboxItem>> = {
  timesheet: sheetItem,
  leave: leaveItem,
  'time-request': timeItem,
};

/** A record of the service as an item; what it lacks is null. */
export const toInboxItem = (kind: InboxKind, row: Row): InboxItem => READERS[kind](row);

/** By when it began to wait; where that is not known, by what it is about. */
const order = ({ since, from }: InboxItem): number => since ?? parseInstant(from) ?? Number.POSITIVE_INFINITY;

/** The oldest first; those that are equally old as they came. */
export const sortOldestFirst = (items: readonly InboxItem[]): readonly InboxItem[] =>
  [...items].sort((a, b) => (order(a) === order(b) ? 0 : order(a) - order(b)));

export const getItemKey = ({ kind, id }: InboxItem): string => `${kind}:${id}`;
