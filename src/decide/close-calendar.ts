import { isArchived, isInState } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { isRunning, member, PROJECT_VIEWER } from '../api/records.ts';
import { toText } from '../json.ts';
import { addDays, type DayPeriod, getToday } from '../parsing/calendar.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { toJoined } from '../resources/joins.ts';
import {
  type InboxItem,
  type InboxKind,
  isApproved,
  parseInstant,
  toInboxItem,
  toRecordDay,
} from './item.ts';
import { groupBy } from './lists.ts';

/** Who is expected on which days of a period, and what became of each of these days. Pure. */

/** `undefined`: the list could not be read, or was not needed. */
export type CloseLists = Readonly<
  Record<
    'members' | 'contracts' | 'timesheets' | 'leaves' | 'timeRequests' | 'expenses' | 'balances' | 'policies',
    readonly Row[] | undefined
  >
>;

export interface CloseScope {
  readonly period: DayPeriod;
  readonly today: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Ids of the members that are asked about; undefined: all. */
  readonly members: ReadonlySet<string> | undefined;
}

export interface CloseRecord extends InboxItem {
  readonly from: string;
  readonly to: string;
}

/** A member as every list has it: `member.email`, `member.role`. */
export interface Person extends Row {
  readonly id: unknown;
  readonly name: string | null;
  readonly email: string | null;
}

export function toPerson(row: Row): Person {
  return toJoined('member', row) as Person;
}

export function isSelected({ members }: CloseScope, id: unknown): boolean {
  return members === undefined || members.has(toText(id));
}

export function hasDays(item: InboxItem): item is CloseRecord {
  return item.from !== null && item.to !== null;
}

/** Those of the period and of the members that are asked about, as a server may ignore a filter; and those whose days cannot be read. */
export function listItems(
  kind: InboxKind,
  rows: readonly Row[] = [],
  scope: CloseScope,
): readonly InboxItem[] {
  const { period, timeZone } = scope;
  return rows
    .map((row): InboxItem => {
      const item = toInboxItem(kind, row);
      const [start, end] = [parseInstant(item.start), parseInstant(item.end)];
      if (start === null || end === null) return item;
      // The days of a time request are those in the zone; an end at midnight is of the day before.
      return { ...item, from: getToday(start, timeZone), to: getToday(Math.max(start, end - 1), timeZone) };
    })
    .filter((item) => isSelected(scope, item.userId))
    .filter((item) => !hasDays(item) || (item.from <= period.to && item.to >= period.from));
}

/** Monday to Friday; none where the last day is before the first. */
export function listWorkdays({ from, to }: DayPeriod): readonly string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1))
    if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) days.push(day);
  return days;
}

export function contains({ from, to }: DayPeriod, day: string): boolean {
  return from <= day && day <= to;
}

export function clip({ from, to }: DayPeriod, period: DayPeriod): DayPeriod {
  return {
    from: from < period.from ? period.from : from,
    to: to > period.to ? period.to : to,
  };
}

/** The workdays of the period that are over, from when a person was hired until the person was archived. */
function listExpectedDays(row: Row, { period, today }: CloseScope): readonly string[] {
  // An archived member was one of the active until then. Who only looks at projects is expected nowhere.
  const isActive = row.status == null || isInState(member, row, member.states[0]) || isArchived(row);
  if (row.current_role === PROJECT_VIEWER || !isActive) return [];
  const employed = {
    from: toRecordDay(row.hired_at) ?? toRecordDay(row.created_at) ?? period.from,
    to: toRecordDay(row.deleted_at) ?? period.to,
  };
  const { from, to } = clip(employed, period);
  const yesterday = addDays(today, -1);
  return listWorkdays({ from, to: to < yesterday ? to : yesterday });
}

/** A day that is in a timesheet is `covered`, whatever the timesheet's state; else approved leave counts. */
type DayState = 'covered' | 'on_leave' | 'missing';

export interface CloseView {
  readonly lists: CloseLists;
  readonly scope: CloseScope;
  readonly commandLine: CommandLine;
  readonly timesheets: readonly InboxItem[];
  readonly leaves: readonly InboxItem[];
  readonly timeRequests: readonly InboxItem[];
  readonly members: ReadonlyMap<string, Row>;
  /** Of each member that is asked about every day on which the person is expected, in order, by the member's id. */
  readonly calendar: ReadonlyMap<string, ReadonlyMap<string, DayState>>;
  isOnLeave(userId: unknown, day: string): boolean;
}

/** Where contracts could not be read, a person is expected without one. */
export function createCloseView(lists: CloseLists, scope: CloseScope, commandLine: CommandLine): CloseView {
  const timesheets = listItems('timesheet', lists.timesheets, scope);
  const leaves = listItems('leave', lists.leaves, scope);
  const sheetsByUser = groupBy(timesheets.filter(hasDays), ({ userId }) => userId);
  const approved = leaves.filter(({ record }) => isApproved('leave', record)).filter(hasDays);
  const leavesByUser = groupBy(approved, ({ userId }) => userId);
  const isIn = (records: readonly CloseRecord[] = [], day: string): boolean =>
    records.some((record) => contains(record, day));
  const contracted =
    lists.contracts && new Set(lists.contracts.filter(isRunning).map((c) => toText(c.user_id)));
  const calendar = (lists.members ?? [])
    .filter(({ id }) => isSelected(scope, id))
    .map((row) => {
      const id = toText(row.id);
      const days = (contracted?.has(id) ?? true) ? listExpectedDays(row, scope) : [];
      const getState = (day: string): DayState => {
        if (isIn(sheetsByUser.get(id), day)) return 'covered';
        return isIn(leavesByUser.get(id), day) ? 'on_leave' : 'missing';
      };
      return [id, new Map(days.map((day) => [day, getState(day)]))] as const;
    });
  return {
    ...{ lists, scope, commandLine, timesheets, leaves },
    timeRequests: listItems('time-request', lists.timeRequests, scope),
    members: new Map((lists.members ?? []).map((row) => [toText(row.id), row])),
    calendar: new Map(calendar),
    isOnLeave: (userId, day) => isIn(leavesByUser.get(toText(userId)), day),
  };
}
