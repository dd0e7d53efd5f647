import type { Row } from '../api/page.ts';
import { toText } from '../json/stringify.ts';
import { formatHours } from '../parsing/duration.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { groupBy } from '../pending/related.ts';
import { formatDays } from '../pending/text.ts';
import { isArchived } from '../resources/resource.ts';
import { buildCalendar, clip, isApprovedLeave, listWorkdays, type PersonCalendar } from './calendar.ts';
import type { CloseFinding } from './finding.ts';
import {
  type CloseLists,
  type CloseRecord,
  type CloseScope,
  type Person,
  toCloseRecords,
  toPerson,
} from './records.ts';

/** What the checks look at: the records by person, and the calendar. Pure. */

export interface CloseView {
  readonly lists: CloseLists;
  readonly scope: CloseScope;
  /** Command lines that go where this run goes. */
  readonly commandLine: CommandLine;
  readonly calendar: readonly PersonCalendar[];
  readonly timesheets: readonly CloseRecord[];
  readonly leaves: readonly CloseRecord[];
  readonly timeRequests: readonly CloseRecord[];
  /** The member's own record. */
  findMember(userId: unknown): Row | undefined;
  findPerson(record: CloseRecord): Person;
  /** Days on which the person is expected. */
  findDays(userId: unknown): PersonCalendar['days'];
  listApprovedLeaves(userId: unknown): readonly CloseRecord[];
}

export const createCloseView = (
  lists: CloseLists,
  scope: CloseScope,
  commandLine: CommandLine,
): CloseView => {
  const calendar = buildCalendar(lists, scope);
  const members = new Map((lists.members ?? []).map((row) => [toText(row.id), row]));
  const days = new Map(calendar.map((one) => [toText(one.person.id), one.days]));
  const leaves = toCloseRecords('leave', lists.leaves, scope);
  const approved = groupBy(leaves.filter(isApprovedLeave), ({ userId }) => userId);
  return {
    lists,
    scope,
    commandLine,
    calendar,
    timesheets: toCloseRecords('timesheet', lists.timesheets, scope),
    leaves,
    timeRequests: toCloseRecords('time-request', lists.timeRequests, scope),
    findMember: (id) => members.get(toText(id)),
    findPerson({ userId, memberName }) {
      const row = members.get(toText(userId));
      return row === undefined ? { id: userId ?? null, name: memberName, email: null } : toPerson(row);
    },
    findDays: (id) => days.get(toText(id)) ?? new Map(),
    listApprovedLeaves: (id) => approved.get(toText(id)) ?? [],
  };
};

/** Whoever is archived gets one finding for all that is left open. */
export const isOfArchived = ({ findMember }: CloseView, { userId }: CloseRecord): boolean =>
  isArchived(findMember(userId) ?? {});

/** As `--member` takes it. */
export const toMemberWord = ({ email, id }: Person): unknown => email ?? id;

const NOUNS = { timesheet: 'Timesheet', leave: 'Leave', 'time-request': 'Time request' } as const;

/** `Timesheet Oct 5–11 (38:30)` */
export const labelRecord = (
  { kind, from, to, hours, days }: CloseRecord,
  { today }: Pick<CloseScope, 'today'>,
): string => {
  const amount = kind === 'leave' && days !== null ? `${days} d` : hours === null ? '' : formatHours(hours);
  return `${NOUNS[kind]} ${formatDays(from, to, today)}${amount === '' ? '' : ` (${amount})`}`;
};

/** A finding about the part of a record that is in the period. */
export const createFinding = (
  { scope, findPerson }: CloseView,
  record: CloseRecord,
  finding: Pick<CloseFinding, 'code' | 'message' | 'fix'>,
): CloseFinding => {
  const inside = clip(record, scope.period);
  return {
    ...finding,
    member: findPerson(record),
    ...inside,
    days: listWorkdays(inside).length,
    partial: inside.from !== record.from || inside.to !== record.to,
  };
};
