import type { Row } from '../api/page.ts';
import { toText } from '../json/stringify.ts';
import { addDays, type DayPeriod } from '../parsing/calendar.ts';
import { isApproved } from '../pending/load-inbox.ts';
import { groupBy } from '../pending/related.ts';
import { isRunning } from '../resources/contract.ts';
import { member, PROJECT_VIEWER } from '../resources/member.ts';
import { isArchived, isInState } from '../resources/resource.ts';
import {
  type CloseLists,
  type CloseRecord,
  type CloseScope,
  isSelected,
  type Person,
  toCloseRecords,
  toPerson,
  toRecordDay,
} from './records.ts';

/** Who is expected on which days of a period, and what became of each of these days. Pure. */

/** A day that is in a timesheet is `covered`, whatever the timesheet's state; else approved leave counts. */
type DayState = 'covered' | 'on_leave' | 'missing';

export interface PersonCalendar {
  readonly person: Person;
  /** Every day on which the person is expected, in order. */
  readonly days: ReadonlyMap<string, DayState>;
}

const isWorkday = (day: string): boolean => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());

/** Monday to Friday; none where the last day is before the first. */
export const listWorkdays = ({ from, to }: DayPeriod): readonly string[] => {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) if (isWorkday(day)) days.push(day);
  return days;
};

export const contains = ({ from, to }: DayPeriod, day: string): boolean => from <= day && day <= to;

/** The part of some days that is in the period. */
export const clip = ({ from, to }: DayPeriod, period: DayPeriod): DayPeriod => ({
  from: from < period.from ? period.from : from,
  to: to > period.to ? period.to : to,
});

/** An archived member was one of the active until then. Who only looks at projects is expected nowhere. */
const isExpectedAtAll = (row: Row): boolean =>
  row.current_role !== PROJECT_VIEWER &&
  (row.status == null || isInState(member, row, member.states[0]) || isArchived(row));

/** The workdays of the period that are over, from when a person was hired until the person was archived. */
const listExpectedDays = (row: Row, { period, today }: CloseScope): readonly string[] => {
  if (!isExpectedAtAll(row)) return [];
  const employed = {
    from: toRecordDay(row.hired_at) ?? toRecordDay(row.created_at) ?? period.from,
    to: toRecordDay(row.deleted_at) ?? period.to,
  };
  const { from, to } = clip(employed, period);
  const yesterday = addDays(today, -1);
  return listWorkdays({ from, to: to < yesterday ? to : yesterday });
};

export const isApprovedLeave = ({ row }: CloseRecord): boolean => isApproved('leave', row);

const isIn = (records: readonly CloseRecord[] | undefined, day: string): boolean =>
  records?.some((record) => contains(record, day)) ?? false;

/** One for each member that is asked about. Where contracts could not be read, a person is expected without one. */
export const buildCalendar = (lists: CloseLists, scope: CloseScope): readonly PersonCalendar[] => {
  const sheets = groupBy(toCloseRecords('timesheet', lists.timesheets, scope), ({ userId }) => userId);
  const leaves = groupBy(
    toCloseRecords('leave', lists.leaves, scope).filter(isApprovedLeave),
    ({ userId }) => userId,
  );
  const contracted =
    lists.contracts && new Set(lists.contracts.filter(isRunning).map((c) => toText(c.user_id)));
  return (lists.members ?? [])
    .filter(({ id }) => isSelected(scope, id))
    .map((row) => {
      const id = toText(row.id);
      const isExpected = contracted?.has(id) ?? true;
      const getState = (day: string): DayState => {
        if (isIn(sheets.get(id), day)) return 'covered';
        return isIn(leaves.get(id), day) ? 'on_leave' : 'missing';
      };
      const days = isExpected ? listExpectedDays(row, scope) : [];
      return { person: toPerson(row), days: new Map(days.map((day) => [day, getState(day)])) };
    });
};
