import { APPROVED, findState, isArchived, isInState, REJECTED, SUBMITTED } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import {
  findContractProblem,
  isRunning,
  member as memberResource,
  PROJECT_VIEWER,
  timesheet,
} from '../api/records.ts';
import { isRecord, toText } from '../json.ts';
import { formatHours, formatMoney } from '../parsing/calendar.ts';
import { placeholder } from '../parsing/shell-word.ts';
import {
  type CloseRecord,
  type CloseView,
  clip,
  contains,
  hasDays,
  isSelected,
  listWorkdays,
  type Person,
  toPerson,
} from './close-calendar.ts';
import { getState, type InboxItem, isWaiting, resourceOf, toRecordDay } from './item.ts';
import { groupBy } from './lists.ts';
import { readLimit } from './load.ts';
import { countDaysBetween, formatCount, formatDay, formatDays } from './text.ts';
import { findUnreadableItem } from './warnings.ts';

/** Everything that keeps a period from being closed. Pure. */

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

type Words = Pick<CloseFinding, 'code' | 'message' | 'fix'>;

const NOUNS = { timesheet: 'Timesheet', leave: 'Leave', 'time-request': 'Time request' } as const;
const COUNTED = { timesheet: 'timesheet', leave: 'leave request', 'time-request': 'time request' } as const;
const WAITING = {
  timesheet: 'waiting',
  leave: 'leave_pending',
  'time-request': 'time_request_pending',
} as const;

/** Hours are rounded by the service. */
const TOLERANCE = 0.005;

/** Whether a balance is below zero: only then it matters which policies allow that. */
export function hasNegativeBalance(rows: readonly Row[] | undefined): boolean {
  return (rows ?? []).flatMap(listBalances).some((entry) => parseBalance(entry) < 0);
}

function listBalances({ leave_information: entries }: Row): readonly Row[] {
  return Array.isArray(entries) ? entries.filter(isRecord) : [];
}

function parseBalance({ balance }: Row): number {
  return Number.parseFloat(toText(balance));
}

function findBalances(view: CloseView): readonly CloseFinding[] {
  const { lists, scope, commandLine } = view;
  const { from, to } = scope.period;
  const [first, last] = [`${from.slice(0, 4)}-01-01`, `${to.slice(0, 4)}-12-31`];
  const allowed = new Set(
    (lists.policies ?? []).filter((row) => row.allow_negative_balance === true).map(({ name }) => name),
  );
  return (lists.balances ?? [])
    .filter(({ user_id: id }) => isSelected(scope, id))
    .flatMap((row) => {
      const member = findPerson(view, row.user_id);
      const fix = commandLine`ttctl leaves balances --member ${toMemberWord(member)} --date-from ${first} --date-to ${last}`;
      const negative = listBalances(row).filter(
        (entry) => parseBalance(entry) < 0 && !allowed.has(entry.leave_type),
      );
      const found = negative.map((entry) =>
        describe(view, member, {
          code: 'negative_balance',
          message: `${toText(entry.leave_type ?? '?')} is at ${toText(entry.balance)}`,
          fix,
        }),
      );
      const isRead =
        Array.isArray(row.leave_information) &&
        row.leave_information.every((entry) => isRecord(entry) && !Number.isNaN(parseBalance(entry)));
      const message = 'The leave balance cannot be read';
      return isRead ? found : [...found, describeUnchecked(view, member, message, fix)];
    });
}

/** By person, then by day: so the findings of a person stand together. */
export function findCloseFindings(view: CloseView): readonly CloseFinding[] {
  const found = [findMissing, findOfRecords, findBalances, findExpenses, findUnreadable];
  const keyed = found
    .flatMap((find) => find(view))
    .map((finding) => {
      const { member, from, code } = finding;
      const rank = String(CLOSE_CODES.indexOf(code)).padStart(2, '0');
      const name = (member.name ?? '\uffff').toLowerCase();
      return { finding, key: [name, String(member.id), from, rank].join('\0') };
    });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ finding }) => finding);
}

function findPerson({ members }: CloseView, id: unknown, name: string | null = null): Person {
  const row = members.get(toText(id));
  return row === undefined ? { ...toPerson({ id }), id: id ?? null, name } : toPerson(row);
}

/** As `--member` takes it. */
function toMemberWord({ email, id }: Person): unknown {
  return email ?? id;
}

/** What is about the whole period, or about a single day. */
function describe(
  view: CloseView,
  member: Person,
  words: Words,
  { from, to } = view.scope.period,
): CloseFinding {
  const { code, message, fix } = words;
  return { code, member, from, to, days: null, partial: false, message, fix };
}

/** Of what nothing can be said: left out, it would let the period look closed. */
function describeUnchecked(view: CloseView, member: Person, message: string, fix: string): CloseFinding {
  return describe(view, member, { code: 'not_checked', message, fix });
}

/** An expense has no id of its member: of namesakes it is nobody's in particular. */
function findExpenses(view: CloseView): readonly CloseFinding[] {
  const { lists, scope, commandLine } = view;
  const people = groupBy((lists.members ?? []).map(toPerson), ({ name }) => name);
  return (lists.expenses ?? []).flatMap((row): readonly CloseFinding[] => {
    const spender = toText(row.member ?? '');
    const namesakes = people.get(spender) ?? [];
    if (scope.members !== undefined && !namesakes.some(({ id }) => isSelected(scope, id))) return [];
    const [one, ...others] = namesakes;
    const member = one !== undefined && others.length === 0 ? one : findPerson(view, null, spender);
    const [name, amount] = [toText(row.expense_name ?? ''), toText(row.amount ?? 0)];
    const day = toRecordDay(row.expense_date);
    if (day === undefined) {
      const fix = commandLine`ttctl expenses list --id ${row.id}`;
      return [describeUnchecked(view, member, `The date of expense ${name} cannot be read`, fix)];
    }
    if ((row.project != null && row.project !== '') || !contains(scope.period, day)) return [];
    const category = row.category ?? placeholder('category');
    const words = {
      code: 'expense_without_project',
      message: `Expense ${name} (${formatMoney(amount) ?? amount}) has no project`,
      fix: commandLine`ttctl expenses update ${row.id} --name ${name} --date ${day} --amount ${amount} --category ${category} --project ${placeholder('project')}`,
    } as const;
    return [describe(view, member, words, { from: day, to: day })];
  });
}

function findUnreadable(view: CloseView): readonly CloseFinding[] {
  const { lists, scope, commandLine, timesheets, leaves, timeRequests } = view;
  const found: CloseFinding[] = [];
  const tell = (member: Person, message: string, fix: string): void =>
    void found.push(describeUnchecked(view, member, message, fix));
  for (const item of [...timesheets, ...leaves, ...timeRequests]) {
    const { kind, id, record, userId, memberName } = item;
    const isKnown = getState(kind, record) !== undefined;
    const problem = isKnown ? findUnreadableItem(item) : 'its status cannot be read';
    const fix = commandLine`ttctl ${resourceOf(kind).noun} list --id ${id}`;
    if (problem !== undefined)
      tell(findPerson(view, userId, memberName), `${NOUNS[kind]} ${id}: ${problem}`, fix);
  }
  const counted = timesheets.filter((sheet) => isSheetIn(sheet, SUBMITTED, APPROVED));
  const limited = new Set(counted.map(({ userId }) => toText(userId)));
  for (const row of (lists.members ?? []).filter(({ id }) => isSelected(scope, id))) {
    const person = toPerson(row);
    const fix = commandLine`ttctl members get ${toMemberWord(person)}`;
    if (readLimit(row) === null && limited.has(toText(row.id)))
      tell(person, 'The weekly limit is missing or cannot be read', fix);
    // A status of members that are expected whatever it says does not matter.
    const isMatter = row.status != null && !isArchived(row) && row.current_role !== PROJECT_VIEWER;
    if (isMatter && findState(memberResource, row) === undefined)
      tell(person, 'The status of the member cannot be read', fix);
  }
  const contracts = (lists.contracts ?? []).filter(
    ({ user_id: user }) => user == null || isSelected(scope, user),
  );
  for (const row of contracts) {
    const problem = findContractProblem(row);
    const fix = commandLine`ttctl contracts get ${row.id}`;
    if (problem !== undefined)
      tell(findPerson(view, row.user_id), `Contract ${toText(row.id)}: ${problem}`, fix);
  }
  return found;
}

function isSheetIn({ record }: InboxItem, ...states: readonly (typeof timesheet.states)[number][]) {
  return states.some((state) => isInState(timesheet, record, state));
}

/** Workdays one after the other, of which a person has no timesheet and no leave, are one finding. */
function findMissing(view: CloseView): readonly CloseFinding[] {
  const { lists, commandLine, calendar } = view;
  // Without the leaves nobody knows who should have handed in what.
  if (lists.timesheets === undefined || lists.leaves === undefined) return [];
  const contracts = groupBy((lists.contracts ?? []).filter(isRunning), ({ user_id: id }) => id);
  const found: CloseFinding[] = [];
  for (const [id, states] of calendar) {
    const days = [...states];
    const isMissing = (at: number): boolean => days[at]?.[1] === 'missing';
    const member = findPerson(view, id);
    const contract = contracts.get(id)?.[0]?.id;
    const word = toMemberWord(member);
    const fix =
      contract === undefined
        ? commandLine`ttctl time-requests create --member ${word}`
        : commandLine`ttctl time-requests create --member ${word} --contract ${contract}`;
    for (const [first, [from]] of days.entries()) {
      if (!isMissing(first) || isMissing(first - 1)) continue;
      let last = first;
      while (isMissing(last + 1)) last += 1;
      const count = last - first + 1;
      const message = `No timesheet for ${count === 1 ? 'this workday' : `${count} workdays`}`;
      const span = { from, to: days[last]?.[0] ?? from };
      found.push({ ...describe(view, member, { code: 'no_timesheet', message, fix }, span), days: count });
    }
  }
  return found;
}

/** What is left to be done with a record, and hours that should not be; of who is archived one finding for all. */
function findOfRecords(view: CloseView): readonly CloseFinding[] {
  const { timesheets, leaves, timeRequests, members } = view;
  const found: CloseFinding[] = [];
  const leftOpen: CloseRecord[] = [];
  for (const item of [...timesheets, ...leaves, ...timeRequests].filter(hasDays)) {
    const open = findOpen(view, item);
    if (open !== undefined && isArchived(members.get(toText(item.userId)) ?? {})) leftOpen.push(item);
    else if (open !== undefined) found.push(describeRecord(view, item, open));
  }
  const hours = timesheets.filter(hasDays).flatMap((sheet) => checkHours(view, sheet));
  const archived = [...groupBy(leftOpen, ({ userId }) => userId)];
  return [
    ...found,
    ...hours,
    ...archived.map(([id, items]) => describeArchived(view, members.get(id) ?? {}, items)),
  ];
}

function findOpen(view: CloseView, item: CloseRecord): Words | undefined {
  const { commandLine, lists, scope, calendar, isOnLeave } = view;
  const { kind, id, record, userId } = item;
  const label = labelRecord(item, view);
  if (isWaiting(kind, record)) {
    const fix = commandLine`ttctl ${resourceOf(kind).noun} approve ${id}`;
    return { code: WAITING[kind], message: `${label} is waiting for a decision`, fix };
  }
  const inside = clip(item, scope.period);
  const workdays = listWorkdays(inside);
  // Whoever is on leave on all its workdays need not hand it in.
  const isAway = workdays.length > 0 && workdays.every((day) => isOnLeave(userId, day));
  if (kind !== 'timesheet' || isAway) return undefined;
  if (isSheetIn(item, REJECTED)) {
    const reason = toText(record.reject_reason ?? '');
    const message = `${label} was rejected${reason === '' ? '' : `: ${reason}`}`;
    return { code: 'rejected', message, fix: commandLine`ttctl timesheets list --id ${id}` };
  }
  if (lists.leaves === undefined || !isSheetIn(item, 'open') || inside.to >= scope.today) return undefined;
  const expected = [...(calendar.get(toText(userId))?.keys() ?? [])];
  const isExpected = expected.some((day) => contains(inside, day) && !isOnLeave(userId, day));
  if (!isExpected && (item.hours ?? 0) <= 0) return undefined;
  const fix = commandLine`ttctl timesheets submit ${id}`;
  return { code: 'not_submitted', message: `${label} is not submitted`, fix };
}

/** `Timesheet Oct 5–11 (38:30)` */
function labelRecord({ kind, from, to, hours, days }: CloseRecord, { scope }: CloseView): string {
  const amount = kind === 'leave' && days !== null ? `${days} d` : hours === null ? '' : formatHours(hours);
  return `${NOUNS[kind]} ${formatDays(from, to, scope.today)}${amount === '' ? '' : ` (${amount})`}`;
}

/** What is about the part of a record that is in the period. */
function describeRecord(view: CloseView, record: CloseRecord, words: Words): CloseFinding {
  const inside = clip(record, view.scope.period);
  const member = findPerson(view, record.userId, record.memberName);
  return {
    ...describe(view, member, words, inside),
    days: listWorkdays(inside).length,
    partial: inside.from !== record.from || inside.to !== record.to,
  };
}

/** Hours beyond the weekly limit, and hours on days on which leave was approved. */
function checkHours(view: CloseView, sheet: CloseRecord): readonly CloseFinding[] {
  const { commandLine, members, isOnLeave } = view;
  const { hours, userId, id, from, to } = sheet;
  const row = members.get(toText(userId));
  const limit = (row && readLimit(row)) ?? Number.POSITIVE_INFINITY;
  if (hours === null || !isSheetIn(sheet, SUBMITTED, APPROVED)) return [];
  const member = toMemberWord(findPerson(view, userId));
  const label = labelRecord(sheet, view);
  // Only while it waits can a timesheet be sent back.
  const sendBack = isSheetIn(sheet, SUBMITTED) ? commandLine`ttctl timesheets reject ${id}` : undefined;
  const found: Words[] = [];
  const workdays = listWorkdays(sheet);
  const days = countDaysBetween(from, to) + 1;
  // A part of a week by its days or by its workdays, whichever is more: Monday to Saturday are a whole week of work.
  const weeks = Math.max(days / 7, workdays.length / 5);
  const allowed = limit * weeks;
  if (hours > allowed + TOLERANCE) {
    const per = days === 7 ? `${formatHours(limit)} a week` : `${formatHours(allowed)} for ${days} days`;
    const enough = Math.ceil(hours / weeks);
    found.push({
      code: 'over_limit',
      message: `${label} is ${formatHours(hours - allowed)} over the limit of ${per}`,
      fix: sendBack ?? commandLine`ttctl members update ${member} --weekly-hours-limit ${enough}`,
    });
  }
  const away = workdays.filter((day) => isOnLeave(userId, day)).length;
  const free = workdays.length - away;
  if (away > 0 && hours > (free === 0 ? 0 : (allowed * free) / workdays.length) + TOLERANCE)
    found.push({
      code: 'sheet_on_leave',
      message: `${label} has hours, but approved leave covers ${away} of its ${workdays.length} workdays`,
      fix: sendBack ?? commandLine`ttctl leaves list --member ${member} --date-from ${from} --date-to ${to}`,
    });
  return found.map((words) => describeRecord(view, sheet, words));
}

function describeArchived(view: CloseView, row: Row, items: readonly CloseRecord[]): CloseFinding {
  const { scope, commandLine } = view;
  const { period, today } = scope;
  const person = toPerson(row);
  const first = items.reduce((day, { from }) => (from < day ? from : day), '9999-12-31');
  const last = items.reduce((day, { to }) => (to > day ? to : day), '0000-01-01');
  const counts = [...groupBy(items, ({ kind }) => kind).values()].map((group) =>
    formatCount(group.length, COUNTED[group[0]?.kind ?? 'timesheet']),
  );
  const left = `Archived ${formatDay(toText(row.deleted_at).slice(0, 10), today)} with ${counts.join(' and ')} left open`;
  // An archived person decides nothing any more: what can be decided is, else what is open is handed in for them.
  const open = items.filter((item) => isSheetIn(item, 'open')).map(({ id }) => id);
  const fix = items.some(({ kind, record }) => isWaiting(kind, record))
    ? commandLine`ttctl inbox --member ${toMemberWord(person)} --date-from ${first} --date-to ${last}`
    : open.length > 0
      ? commandLine`ttctl timesheets submit ${open}`
      : commandLine`ttctl timesheets list --id ${items[0]?.id}`;
  const words = { code: 'archived_with_open_items', message: left, fix } as const;
  const partial = first < period.from || last > period.to;
  return { ...describe(view, person, words, clip({ from: first, to: last }, period)), partial };
}
