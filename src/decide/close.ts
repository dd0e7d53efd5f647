import { APPROVED, findState, isArchived, isInState, REJECTED, SUBMITTED } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { findContractProblem, isRunning, member, PROJECT_VIEWER, timesheet } from '../api/records.ts';
import { isRecord, toText } from '../json.ts';
import { addDays, type DayPeriod, formatHours, formatMoney, getToday } from '../parsing/calendar.ts';
import { type CommandLine, placeholder } from '../parsing/shell-word.ts';
import { toJoined } from '../resources/joins.ts';
import {
  countDaysBetween,
  formatDay,
  formatDays,
  type InboxItem,
  type InboxKind,
  isApproved,
  isWaiting,
  parseBalance,
  parseInstant,
  resourceOf,
  toInboxItem,
  toRecordDay,
} from './item.ts';
import { groupBy, readLimit } from './load.ts';
import { findUnreadableItem } from './warnings.ts';

/** Who is expected on which days of a period, and everything that keeps the period from being closed. Pure. */

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

/** The help of `ttctl close check` says what each means. */
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
  'not_checked',
] as const;

/** Its keys are stable, for scripts. */
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
  readonly message: string;
  /** The command that mends it, or shows what a person has to mend. */
  readonly fix: string;
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

type Dated = InboxItem & DayPeriod;

export function hasDays(item: InboxItem): item is Dated {
  return item.from !== null && item.to !== null;
}

/** A day that is in a timesheet is `covered`, whatever the timesheet's state; else approved leave counts. */
type DayState = 'covered' | 'on_leave' | 'missing';

export type CloseView = ReturnType<typeof createCloseView>;

/** Where contracts could not be read, a person is expected without one. */
export function createCloseView(lists: CloseLists, scope: CloseScope, commandLine: CommandLine) {
  const { period, timeZone, today } = scope;
  // Those of the period and of the members that are asked about, as a server may ignore a filter; and those whose days
  // cannot be read.
  const listItems = (kind: InboxKind, rows: readonly Row[] = []): readonly InboxItem[] =>
    rows
      .map((row): InboxItem => {
        const item = toInboxItem(kind, row);
        const [start, end] = [parseInstant(item.start), parseInstant(item.end)];
        if (start === null || end === null) return item;
        // The days of a time request are those in the zone; an end at midnight is of the day before.
        return { ...item, from: getToday(start, timeZone), to: getToday(Math.max(start, end - 1), timeZone) };
      })
      .filter((item) => isSelected(scope, item.userId))
      .filter((item) => !hasDays(item) || (item.from <= period.to && item.to >= period.from));
  const [timesheets, leaves] = [listItems('timesheet', lists.timesheets), listItems('leave', lists.leaves)];
  const sheetsByUser = groupBy(timesheets.filter(hasDays), ({ userId }) => userId);
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
        from: toRecordDay(row.hired_at) ?? toRecordDay(row.created_at) ?? period.from,
        to: toRecordDay(row.deleted_at) ?? period.to,
      };
      const over = { from: period.from, to: [period.to, addDays(today, -1)].sort()[0] ?? '' };
      const days = isExpected ? listWorkdays(clip(employed, over)) : [];
      const getDayState = (day: string): DayState => {
        if (isIn(sheetsByUser.get(id), day)) return 'covered';
        return isIn(leavesByUser.get(id), day) ? 'on_leave' : 'missing';
      };
      return [id, new Map(days.map((day) => [day, getDayState(day)]))] as const;
    });
  return {
    ...{ lists, scope, commandLine, timesheets, leaves },
    timeRequests: listItems('time-request', lists.timeRequests),
    members: new Map((lists.members ?? []).map((row) => [toText(row.id), row])),
    /** Of each member that is asked about every day on which the person is expected, in order, by the member's id. */
    calendar: new Map<string, ReadonlyMap<string, DayState>>(calendar),
    isOnLeave: (userId: unknown, day: string) => isIn(leavesByUser.get(toText(userId)), day),
  };
}

function isSelected({ members }: CloseScope, id: unknown): boolean {
  return members === undefined || members.has(toText(id));
}

/** Monday to Friday; none where the last day is before the first. */
function listWorkdays({ from, to }: DayPeriod): readonly string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1))
    if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) days.push(day);
  return days;
}

function contains({ from, to }: DayPeriod, day: string): boolean {
  return from <= day && day <= to;
}

function clip({ from, to }: DayPeriod, period: DayPeriod): DayPeriod {
  return { from: from < period.from ? period.from : from, to: to > period.to ? period.to : to };
}

/** @param facts where it is not about the whole period */
type Add = (
  person: Person,
  code: CloseFinding['code'],
  message: string,
  fix: string,
  facts?: Partial<CloseFinding>,
) => void;

/** By person, then by day: so the findings of a person stand together. */
export function findCloseFindings(view: CloseView): readonly CloseFinding[] {
  const found: (readonly [key: string, finding: CloseFinding])[] = [];
  const { from, to } = view.scope.period;
  const add: Add = (person, code, message, fix, facts) => {
    const finding = { code, member: person, from, to, days: null, partial: false, message, fix, ...facts };
    const rank = String(CLOSE_CODES.indexOf(code)).padStart(2, '0');
    const name = (person.name ?? '\uffff').toLowerCase();
    found.push([[name, String(person.id), finding.from, rank].join('\0'), finding]);
  };
  findMissing(view, add);
  findOfRecords(view, add);
  findBalances(view, add);
  findExpenses(view, add);
  findUnreadable(view, add);
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, finding]) => finding);
}

function findPerson({ members }: CloseView, id: unknown, name: string | null = null): Person {
  const row = members.get(toText(id));
  return row === undefined ? { ...toPerson({ id }), id: id ?? null, name } : toPerson(row);
}

/** As `--member` takes it. */
function toMemberWord({ email, id }: Person): unknown {
  return email ?? id;
}

/** Workdays one after the other, of which a person has no timesheet and no leave, are one finding. */
function findMissing(view: CloseView, add: Add): void {
  const { lists, commandLine, calendar } = view;
  // Without the leaves nobody knows who should have handed in what.
  if (lists.timesheets === undefined || lists.leaves === undefined) return;
  for (const [id, states] of calendar) {
    const days = [...states];
    const isMissing = (at: number): boolean => days[at]?.[1] === 'missing';
    const person = findPerson(view, id);
    const fix = commandLine`ttctl time-requests create --member ${toMemberWord(person)}`;
    for (const [first, [from]] of days.entries()) {
      if (!isMissing(first) || isMissing(first - 1)) continue;
      let last = first;
      while (isMissing(last + 1)) last += 1;
      const count = last - first + 1;
      const message = `No timesheet for ${count === 1 ? 'this workday' : `${count} workdays`}`;
      add(person, 'no_timesheet', message, fix, { from, to: days[last]?.[0] ?? from, days: count });
    }
  }
}

const NOUNS = { timesheet: 'Timesheet', leave: 'Leave', 'time-request': 'Time request' } as const;
const WAITING = {
  timesheet: 'waiting',
  leave: 'leave_pending',
  'time-request': 'time_request_pending',
} as const;

function isSheetIn({ record }: InboxItem, ...states: readonly (typeof timesheet.states)[number][]) {
  return states.some((state) => isInState(timesheet, record, state));
}

/** What is left to be done with a record, and hours that should not be. */
function findOfRecords(view: CloseView, add: Add): void {
  const { timesheets, leaves, timeRequests, members, scope } = view;
  for (const item of [...timesheets, ...leaves, ...timeRequests].filter(hasDays)) {
    const { kind, hours, days, from, to } = item;
    const amount = kind === 'leave' && days !== null ? `${days} d` : hours === null ? '' : formatHours(hours);
    const label = `${NOUNS[kind]} ${formatDays(from, to, scope.today)}${amount && ` (${amount})`}`;
    const inside = clip(item, scope.period);
    const person = findPerson(view, item.userId, item.memberName);
    const partial = inside.from !== from || inside.to !== to;
    const facts = { ...inside, days: listWorkdays(inside).length, partial };
    const row = members.get(toText(item.userId)) ?? {};
    const open = findOpen(view, item, inside);
    if (open !== undefined && isArchived(row)) {
      const day = formatDay(toText(row.deleted_at).slice(0, 10), scope.today);
      const message = `${label} ${open.says}; the member was archived ${day}`;
      add(person, 'archived_with_open_items', message, open.fix, facts);
    } else if (open !== undefined) add(person, open.code, `${label} ${open.says}`, open.fix, facts);
    if (kind === 'timesheet')
      checkHours(view, item, (code, says, fix) => add(person, code, `${label} ${says}`, fix, facts));
  }
}

/** @param inside its days in the period */
function findOpen(view: CloseView, item: Dated, inside: DayPeriod) {
  const { commandLine, lists, scope, calendar, isOnLeave } = view;
  const { kind, id, record, userId } = item;
  if (isWaiting(kind, record)) {
    const fix = commandLine`ttctl ${resourceOf(kind).noun} approve ${id}`;
    return { code: WAITING[kind], says: 'is waiting for a decision', fix };
  }
  const workdays = listWorkdays(inside);
  const isAway = workdays.length > 0 && workdays.every((day) => isOnLeave(userId, day));
  if (kind !== 'timesheet' || isAway) return undefined;
  if (isSheetIn(item, REJECTED)) {
    const reason = toText(record.reject_reason ?? '');
    const fix = commandLine`ttctl timesheets list --id ${id}`;
    return { code: 'rejected', says: `was rejected${reason && `: ${reason}`}`, fix } as const;
  }
  if (lists.leaves === undefined || !isSheetIn(item, 'open') || inside.to >= scope.today) return undefined;
  const expected = [...(calendar.get(toText(userId))?.keys() ?? [])];
  const isExpected = expected.some((day) => contains(inside, day) && !isOnLeave(userId, day));
  if (!isExpected && (item.hours ?? 0) <= 0) return undefined;
  const fix = commandLine`ttctl timesheets submit ${id}`;
  return { code: 'not_submitted', says: 'is not submitted', fix } as const;
}

/** Hours are rounded by the service. */
const TOLERANCE = 0.005;

/** Hours beyond the weekly limit, and hours on days on which leave was approved. */
function checkHours(
  { commandLine, members, isOnLeave }: CloseView,
  sheet: Dated,
  add: (code: CloseFinding['code'], says: string, fix: string) => void,
): void {
  const { hours, userId, id, from, to } = sheet;
  const row = members.get(toText(userId));
  const limit = (row && readLimit(row)) ?? Number.POSITIVE_INFINITY;
  if (hours === null || !isSheetIn(sheet, SUBMITTED, APPROVED)) return;
  const word = toMemberWord(toPerson(row ?? { id: userId }));
  // Only while it waits can a timesheet be sent back.
  const sendBack = isSheetIn(sheet, SUBMITTED) ? commandLine`ttctl timesheets reject ${id}` : undefined;
  const workdays = listWorkdays(sheet);
  const days = countDaysBetween(from, to) + 1;
  // A part of a week by its days or by its workdays, whichever is more: Monday to Saturday are a whole week of work.
  const weeks = Math.max(days / 7, workdays.length / 5);
  const allowed = limit * weeks;
  if (hours > allowed + TOLERANCE) {
    const per = days === 7 ? `${formatHours(limit)} a week` : `${formatHours(allowed)} for ${days} days`;
    const enough = Math.ceil(hours / weeks);
    const fix = sendBack ?? commandLine`ttctl members update ${word} --weekly-hours-limit ${enough}`;
    add('over_limit', `is ${formatHours(hours - allowed)} over the limit of ${per}`, fix);
  }
  const away = workdays.filter((day) => isOnLeave(userId, day)).length;
  const share = 1 - away / workdays.length;
  if (away > 0 && hours > (share === 0 ? 0 : allowed * share) + TOLERANCE) {
    const says = `has hours, but approved leave covers ${away} of its ${workdays.length} workdays`;
    const leaves = commandLine`ttctl leaves list --member ${word} --date-from ${from} --date-to ${to}`;
    add('sheet_on_leave', says, sendBack ?? leaves);
  }
}

/** Whether a balance is below zero: only then it matters which policies allow that. */
export function hasNegativeBalance(rows: readonly Row[] | undefined): boolean {
  return (rows ?? []).flatMap(listBalances).some(({ amount }) => amount < 0);
}

/** `amount`: NaN where it cannot be read. */
function listBalances({ leave_information: all }: Row) {
  const entries: readonly unknown[] = Array.isArray(all) ? all : [undefined];
  return entries.map((one) => {
    const { leave_type: policy, balance } = isRecord(one) ? one : {};
    return { policy, balance, amount: parseBalance(balance)?.amount ?? Number.NaN };
  });
}

function findBalances(view: CloseView, add: Add): void {
  const { lists, scope, commandLine } = view;
  const { from, to } = scope.period;
  const [first, last] = [`${from.slice(0, 4)}-01-01`, `${to.slice(0, 4)}-12-31`];
  const policies = (lists.policies ?? []).filter((row) => row.allow_negative_balance === true);
  const allowed = new Set(policies.map(({ name }) => name));
  for (const row of (lists.balances ?? []).filter(({ user_id: id }) => isSelected(scope, id))) {
    const person = findPerson(view, row.user_id);
    const word = toMemberWord(person);
    const fix = commandLine`ttctl leaves balances --member ${word} --date-from ${first} --date-to ${last}`;
    const balances = listBalances(row);
    for (const { policy, balance, amount } of balances)
      if (amount < 0 && !allowed.has(policy))
        add(person, 'negative_balance', `${toText(policy ?? '?')} is at ${toText(balance)}`, fix);
    if (balances.some(({ amount }) => Number.isNaN(amount)))
      add(person, 'not_checked', 'The leave balance cannot be read', fix);
  }
}

/** An expense has no id of its member: of namesakes it is nobody's in particular. */
function findExpenses(view: CloseView, add: Add): void {
  const { lists, scope, commandLine } = view;
  const people = groupBy((lists.members ?? []).map(toPerson), ({ name }) => name);
  for (const row of lists.expenses ?? []) {
    const spender = toText(row.member ?? '');
    const namesakes = people.get(spender) ?? [];
    if (scope.members !== undefined && !namesakes.some(({ id }) => isSelected(scope, id))) continue;
    const [one, ...others] = namesakes;
    const person = one !== undefined && others.length === 0 ? one : findPerson(view, null, spender);
    const name = toText(row.expense_name ?? '');
    const day = toRecordDay(row.expense_date);
    if (day === undefined) {
      const fix = commandLine`ttctl expenses list --id ${row.id}`;
      add(person, 'not_checked', `The date of expense ${name} cannot be read`, fix);
    } else if (toText(row.project ?? '') === '' && contains(scope.period, day)) {
      const fix = commandLine`ttctl expenses update ${row.id} --project ${placeholder('project')}`;
      const message = `Expense ${name} (${formatMoney(row.amount) ?? row.amount}) has no project`;
      add(person, 'expense_without_project', message, fix, { from: day, to: day });
    }
  }
}

/** Of what nothing can be said: left out, it would let the period look closed. */
function findUnreadable(view: CloseView, add: Add): void {
  const { lists, scope, commandLine, timesheets, leaves, timeRequests } = view;
  for (const item of [...timesheets, ...leaves, ...timeRequests]) {
    const { kind, id, userId, memberName } = item;
    const problem = findUnreadableItem(item);
    const fix = commandLine`ttctl ${resourceOf(kind).noun} list --id ${id}`;
    if (problem !== undefined)
      add(findPerson(view, userId, memberName), 'not_checked', `${NOUNS[kind]} ${id}: ${problem}`, fix);
  }
  // Of whom the limit matters.
  const counted = timesheets.filter((sheet) => isSheetIn(sheet, SUBMITTED, APPROVED));
  const limited = new Set(counted.map(({ userId }) => toText(userId)));
  for (const row of (lists.members ?? []).filter(({ id }) => isSelected(scope, id))) {
    const person = toPerson(row);
    // A status of members that are expected whatever it says does not matter.
    const isAnyStatus = row.status == null || row.current_role === PROJECT_VIEWER || isArchived(row);
    const isUnclear =
      (readLimit(row) === null && limited.has(toText(row.id))) ||
      (!isAnyStatus && findState(member, row) === undefined);
    const fix = commandLine`ttctl members get ${toMemberWord(person)}`;
    if (isUnclear)
      add(person, 'not_checked', 'The weekly limit or the status of the member cannot be read', fix);
  }
  for (const row of lists.contracts ?? []) {
    const problem =
      row.user_id == null || isSelected(scope, row.user_id) ? findContractProblem(row) : undefined;
    const fix = commandLine`ttctl contracts get ${row.id}`;
    if (problem !== undefined)
      add(findPerson(view, row.user_id), 'not_checked', `Contract ${toText(row.id)}: ${problem}`, fix);
  }
}
