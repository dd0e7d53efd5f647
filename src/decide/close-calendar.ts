import { isArchived, isInState } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { isRunning, member, PROJECT_VIEWER } from '../api/records.ts';
import { toText } from '../json.ts';
import { addDays, type DayPeriod, getToday, toDay } from '../parsing/calendar.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { toJoined } from '../resources/joins.ts';
import { type InboxItem, isApproved, parseInstant, toInboxItem } from './item.ts';
import { groupBy } from './load.ts';

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
  readonly timeZone: string;
  /** Ids of the members that are asked about; undefined: all. */
  readonly members: ReadonlySet<string> | undefined;
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

export type Dated = InboxItem & DayPeriod;

export function hasDays(item: InboxItem): item is Dated {
  return item.from !== null && item.to !== null;
}

export type CloseView = ReturnType<typeof createCloseView>;

/** Where contracts could not be read, a person is expected without one. */
export function createCloseView(lists: CloseLists, scope: CloseScope, commandLine: CommandLine) {
  const { period, timeZone, today } = scope;
  const readItems = (kind: InboxItem['kind'], rows: readonly Row[] = []): readonly InboxItem[] =>
    rows
      .map((row): InboxItem => {
        const item = toInboxItem(kind, row);
        const [start, end] = [parseInstant(item.start), parseInstant(item.end)];
        if (start === null || end === null) return item;
        // The days of a time request are those in the zone; an end at midnight is of the day before.
        return { ...item, from: getToday(start, timeZone), to: getToday(Math.max(start, end - 1), timeZone) };
      })
      .filter((item) => isSelected(scope, item.userId));
  // Those of the period and of the members that are asked about, as a server may ignore a filter; and those whose days
  // cannot be read.
  const pickInside = (items: readonly InboxItem[]) =>
    items.filter((item) => !hasDays(item) || meets(item, period));
  const timesheets = pickInside(readItems('timesheet', lists.timesheets));
  const leaves = readItems('leave', lists.leaves);
  const sheetsByUser = groupBy(timesheets.filter(hasDays), ({ userId }) => userId);
  // Also those of the days of a timesheet that are not in the period.
  const approved = leaves.filter(({ record }) => isApproved('leave', record)).filter(hasDays);
  const leavesByUser = groupBy(approved, ({ userId }) => userId);
  const isIn = (items: readonly Dated[] = [], day: string) => items.some((item) => contains(item, day));
  const running = lists.contracts?.filter(isRunning).map((contract) => toText(contract.user_id));
  const contracted = running && new Set(running);
  const calendar = (lists.members ?? [])
    .filter(({ id }) => isSelected(scope, id))
    .map((row) => {
      const id = toText(row.id);
      // An archived member was one of the active until then. Who only looks at projects is expected nowhere.
      const isActive = row.status == null || isInState(member, row, member.states[0]) || isArchived(row);
      const isExpected = isActive && row.current_role !== PROJECT_VIEWER && (contracted?.has(id) ?? true);
      const employed = {
        from: toDay(row.hired_at) ?? toDay(row.created_at) ?? period.from,
        to: toDay(row.deleted_at) ?? period.to,
      };
      const over = { from: period.from, to: [period.to, addDays(today, -1)].sort()[0] ?? '' };
      const days = isExpected ? listWorkdays(clip(employed, over)) : [];
      // A day that is in a timesheet is covered, whatever the timesheet's state; else approved leave counts.
      const getDayState = (day: string) => {
        if (isIn(sheetsByUser.get(id), day)) return 'covered';
        return isIn(leavesByUser.get(id), day) ? 'on_leave' : 'missing';
      };
      return [id, new Map(days.map((day) => [day, getDayState(day)]))] as const;
    });
  return {
    ...{ lists, scope, commandLine, timesheets, leaves: pickInside(leaves) },
    timeRequests: pickInside(readItems('time-request', lists.timeRequests)),
    members: new Map((lists.members ?? []).map((row) => [toText(row.id), row])),
    /** Of each member that is asked about every day on which the person is expected, in order, by the member's id. */
    calendar: new Map(calendar),
    isOnLeave: (userId: unknown, day: string) => isIn(leavesByUser.get(toText(userId)), day),
  };
}

export function isSelected({ members }: CloseScope, id: unknown): boolean {
  return members === undefined || members.has(toText(id));
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

export function meets({ from, to }: DayPeriod, period: DayPeriod): boolean {
  return from <= period.to && to >= period.from;
}

export function clip({ from, to }: DayPeriod, period: DayPeriod): DayPeriod {
  return { from: from < period.from ? period.from : from, to: to > period.to ? period.to : to };
}

export function span(a: DayPeriod, b: DayPeriod): DayPeriod {
  return { from: a.from < b.from ? a.from : b.from, to: a.to > b.to ? a.to : b.to };
}

/** Days of leave that matter: those of the period, and of the timesheets that reach beyond it. */
export function getLeaveDays(period: DayPeriod, sheets: readonly Row[] = []) {
  const items = sheets.map((row) => toInboxItem('timesheet', row)).filter(hasDays);
  const { from, to } = items.filter((one) => meets(one, period)).reduce<DayPeriod>(span, period);
  return { date_from: from, date_to: to };
}
