import type { Row } from '../api/page.ts';
import { toText } from '../json/stringify.ts';
import { type DayPeriod, getToday, isDay, parseWrittenDay } from '../parsing/calendar.ts';
import { type InboxItem, parseInstant, toInboxItem } from '../pending/item.ts';
import { formatPersonName } from '../resources/kinds.ts';
import { isInState } from '../resources/resource.ts';
import { timesheet } from '../resources/timesheet.ts';

/** The records that a month is closed on, in one form whatever generation of the service sent them. Pure. */

/** `undefined`: the list could not be read, or was not needed. */
export type CloseLists = Readonly<
  Record<
    'members' | 'contracts' | 'timesheets' | 'leaves' | 'timeRequests' | 'expenses' | 'balances' | 'policies',
    readonly Row[] | undefined
  >
>;

export interface CloseScope {
  readonly period: DayPeriod;
  /** Day it is in the zone. */
  readonly today: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Ids of the members that are asked about; undefined: all. */
  readonly members: ReadonlySet<string> | undefined;
}

/** A member as a finding names it. */
export interface Person {
  readonly id: unknown;
  readonly name: string | null;
  readonly email: string | null;
}

export const toPerson = (row: Row): Person => ({
  id: row.id ?? null,
  name: formatPersonName(row) ?? null,
  email: row.email == null ? null : toText(row.email),
});

/** A timesheet, a leave or a time request. */
export interface CloseRecord extends InboxItem {
  readonly from: string;
  readonly to: string;
  readonly row: Row;
}

/** The days of a time request are those in the zone; an end at midnight is of the day before. */
export const placeInZone = (item: InboxItem, timeZone: string): InboxItem => {
  const [start, end] = [parseInstant(item.start), parseInstant(item.end)];
  if (start === null || end === null) return item;
  return { ...item, from: getToday(start, timeZone), to: getToday(Math.max(start, end - 1), timeZone) };
};

export const isSelected = ({ members }: CloseScope, id: unknown): boolean =>
  members === undefined || members.has(toText(id));

export const isInPeriod = ({ from, to }: InboxItem, { period }: CloseScope): boolean =>
  from !== null && to !== null && from <= period.to && to >= period.from;

/** Those of the period and of the members that are asked about: a server may ignore a filter. */
export const toCloseRecords = (
  kind: InboxItem['kind'],
  rows: readonly Row[] | undefined,
  scope: CloseScope,
): readonly CloseRecord[] =>
  (rows ?? []).flatMap((row) => {
    const item = placeInZone(toInboxItem(kind, row), scope.timeZone);
    const { from, to, userId } = item;
    const isInside = isInPeriod(item, scope) && isSelected(scope, userId);
    return isInside && from !== null && to !== null ? [{ ...item, from, to, row }] : [];
  });

export const SUBMITTED = timesheet.transitions.approve.from;
export const APPROVED = timesheet.transitions.approve.to;
export const REJECTED = timesheet.transitions.reject.to;

export const isSheetIn = ({ row }: CloseRecord, ...states: readonly (typeof timesheet.states)[number][]) =>
  states.some((state) => isInState(timesheet, row, state));

/** `Jan 15, 2024` or ISO 8601 to a day; undefined for anything else. */
export const toRecordDay = (value: unknown): string | undefined => {
  const text = toText(value ?? '');
  const day = text.slice(0, 10);
  return isDay(day) ? day : parseWrittenDay(text);
};
