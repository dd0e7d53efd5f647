import { APPROVED, findState, isArchived, isInState, REJECTED, SUBMITTED } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { findContractProblem, member, PROJECT_VIEWER, timesheet } from '../api/records.ts';
import { isRecord, toText } from '../json.ts';
import { type DayPeriod, formatHours, formatMoney, toDay } from '../parsing/calendar.ts';
import { placeholder } from '../parsing/shell-word.ts';
import {
  type CloseView,
  clip,
  contains,
  type Dated,
  hasDays,
  isSelected,
  listWorkdays,
  meets,
  type Person,
  span,
  toPerson,
} from './close-calendar.ts';
import {
  countDaysBetween,
  formatDay,
  formatDays,
  type InboxItem,
  isApproved,
  isWaiting,
  parseBalance,
  resourceOf,
} from './item.ts';
import { groupBy, readLimit } from './load.ts';
import { findUnreadableItem, overlaps } from './warnings.ts';

/** The help of `ttctl close check` says what each means. */
export const CLOSE_CODES = [
  'no_timesheet',
  'not_submitted',
  'rejected',
  'waiting',
  'over_limit',
  'sheet_on_leave',
  'overlap',
  'leave_pending',
  'time_request_pending',
  'negative_balance',
  'archived_with_open_items',
  'expense_without_project',
  'duplicate_expense',
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

/** Who has not handed in what, by person and day: for `timesheets missing` and `status`. */
export function findLate(view: CloseView) {
  const reasons: readonly string[] = ['no_timesheet', 'not_submitted', 'rejected'];
  return findCloseFindings(view).flatMap(({ code: reason, member: { id, name, email }, from, to }) =>
    reasons.includes(reason) ? [{ id, name, email, from, to, reason }] : [],
  );
}

function findPerson({ members }: CloseView, id: unknown, name: string | null = null): Person {
  const row = members.get(toText(id));
  return row === undefined ? { ...toPerson({ id }), id: id ?? null, name } : toPerson(row);
}

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

/** What is left to be done with a record, and what should not be: one finding, with the fix of what is worst. */
function findOfRecords(view: CloseView, add: Add): void {
  const { timesheets, leaves, timeRequests, members, scope } = view;
  const findOverlap = createOverlapFinder(view);
  for (const item of [...timesheets, ...leaves, ...timeRequests].filter(hasDays)) {
    const { kind, from, to, hours, days } = item;
    const inside = clip(item, scope.period);
    const row = members.get(toText(item.userId)) ?? {};
    const open = findOpen(view, item, inside);
    const wrong = [findOverlap(item), ...(kind === 'timesheet' ? checkHours(view, item) : [])];
    const [worst, ...others] = [...wrong, open].filter((one) => one !== undefined);
    if (worst === undefined) continue;
    const says = [open, worst, ...others].flatMap((one) => one?.says ?? []);
    const isLate = open !== undefined && isArchived(row);
    const day = formatDay(toText(row.deleted_at).slice(0, 10), scope.today);
    const archived = isLate ? `; the member was archived ${day}` : '';
    const length = kind === 'leave' && days !== null ? `${days} d` : hours === null ? '' : formatHours(hours);
    const named = `${NOUNS[kind]} ${formatDays(from, to, scope.today)}${length && ` (${length})`}`;
    const message = `${named} ${[...new Set(says)].join(' and ')}${archived}`;
    const partial = inside.from !== from || inside.to !== to;
    const facts = { ...inside, days: listWorkdays(inside).length, partial };
    const code = isLate ? 'archived_with_open_items' : worst.code;
    add(findPerson(view, item.userId, item.memberName), code, message, worst.fix, facts);
  }
}

type Problem = Pick<CloseFinding, 'code' | 'fix'> & { readonly says: string };

/** Of two for the same time the one that still waits has the finding, else the one that begins later. */
function createOverlapFinder({ commandLine, members, scope, ...view }: CloseView) {
  const counts = ({ kind, record }: InboxItem) => isApproved(kind, record) || isWaiting(kind, record);
  const all = [...view.timesheets, ...view.leaves, ...view.timeRequests].filter(hasDays).filter(counts);
  const byUser = groupBy(all, ({ kind, userId }) => `${kind} ${toText(userId)}`);
  const rank = (item: Dated) =>
    [isWaiting(item.kind, item.record) ? 1 : 0, item.from, item.start ?? '', item.id].join('\0');
  return (item: Dated): Problem | undefined => {
    const { kind, userId } = item;
    const others = byUser.get(`${kind} ${toText(userId)}`) ?? [];
    const other = others.find(
      (one) => rank(one) < rank(item) && overlaps(one, item) && meets(clip(one, item), scope.period),
    );
    if (other === undefined || !counts(item)) return undefined;
    const { noun, words } = resourceOf(kind);
    const { from, to } = span(item, other);
    const word = toMemberWord(toPerson(members.get(toText(userId)) ?? { id: userId }));
    const fix = isWaiting(kind, item.record)
      ? commandLine`ttctl inbox --kind ${kind} --member ${word}`
      : commandLine`ttctl ${noun} list --member ${word} --date-from ${from} --date-to ${to}`;
    const says = `overlaps the ${words[0]} ${formatDays(other.from, other.to, scope.today)}`;
    return { code: 'overlap', says, fix };
  };
}

function findOpen(view: CloseView, item: Dated, inside: DayPeriod): Problem | undefined {
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
    const fix = commandLine`ttctl timesheets get ${id}`;
    return { code: 'rejected', says: `was rejected${reason && `: ${reason}`}`, fix };
  }
  if (lists.leaves === undefined || !isSheetIn(item, 'open') || inside.to >= scope.today) return undefined;
  const expected = [...(calendar.get(toText(userId))?.keys() ?? [])];
  const isExpected = expected.some((day) => contains(inside, day) && !isOnLeave(userId, day));
  if (!isExpected && (item.hours ?? 0) <= 0) return undefined;
  const fix = commandLine`ttctl timesheets submit ${id}`;
  return { code: 'not_submitted', says: 'is not submitted', fix };
}

/** Hours are rounded by the service. */
const TOLERANCE = 0.005;

function checkHours({ commandLine, members, isOnLeave }: CloseView, sheet: Dated): readonly Problem[] {
  const { hours, userId, id, from, to } = sheet;
  const row = members.get(toText(userId));
  const limit = (row && readLimit(row)) ?? Number.POSITIVE_INFINITY;
  if (hours === null || !isSheetIn(sheet, SUBMITTED, APPROVED)) return [];
  const word = toMemberWord(toPerson(row ?? { id: userId }));
  // Only while it waits somebody can decide. Nothing is decided here, and no limit raised so that hours fit into it.
  const review = isSheetIn(sheet, SUBMITTED)
    ? commandLine`ttctl inbox --kind timesheet --member ${word}`
    : undefined;
  const workdays = listWorkdays(sheet);
  const days = countDaysBetween(from, to) + 1;
  // A part of a week by its days or by its workdays, whichever is more: Monday to Saturday are a whole week of work.
  const weeks = Math.max(days / 7, workdays.length / 5);
  const allowed = limit * weeks;
  const found: Problem[] = [];
  const away = workdays.filter((day) => isOnLeave(userId, day)).length;
  const share = 1 - away / workdays.length;
  if (away > 0 && hours > (share === 0 ? 0 : allowed * share) + TOLERANCE) {
    const covered = workdays.length === 1 ? 'its workday' : `${away} of its ${workdays.length} workdays`;
    const says = `has hours, but approved leave covers ${covered}`;
    const leaves = commandLine`ttctl leaves list --member ${word} --date-from ${from} --date-to ${to}`;
    found.push({ code: 'sheet_on_leave', says, fix: review ?? leaves });
  }
  if (hours > allowed + TOLERANCE) {
    const per =
      days === 7
        ? `${formatHours(limit)} a week`
        : `${formatHours(allowed)} for ${days === 1 ? '1 day' : `${days} days`}`;
    const says = `is ${formatHours(hours - allowed)} over the limit of ${per}`;
    found.push({ code: 'over_limit', says, fix: review ?? commandLine`ttctl timesheets get ${id}` });
  }
  return found;
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

function findExpenses(view: CloseView, add: Add): void {
  const { lists, scope, commandLine } = view;
  const findSpender = createSpenderFinder(view);
  const repeated = findRepeated(lists.expenses);
  for (const row of lists.expenses ?? []) {
    const person = findSpender(toText(row.member ?? ''));
    if (person === undefined) continue;
    const name = toText(row.expense_name ?? '');
    const day = toDay(row.expense_date);
    const label = `Expense ${name} (${formatMoney(row.amount) ?? row.amount})`;
    if (day === undefined) {
      const fix = commandLine`ttctl expenses list --id ${row.id}`;
      add(person, 'not_checked', `The date of expense ${name} cannot be read`, fix);
    } else if (contains(scope.period, day)) {
      const facts = { from: day, to: day };
      const list = commandLine`ttctl expenses list --period ${day}`;
      const says = `${label} has the same day, amount and category as another`;
      if (repeated.has(row)) add(person, 'duplicate_expense', says, list, facts);
      const fix = commandLine`ttctl expenses update ${row.id} --project ${placeholder('project')}`;
      if (toText(row.project ?? '') === '')
        add(person, 'expense_without_project', `${label} has no project`, fix, facts);
    }
  }
}

/** An expense has no id of its member: of namesakes it is nobody's in particular. Undefined: nobody asks about them. */
function createSpenderFinder(view: CloseView) {
  const { lists, scope } = view;
  const people = groupBy((lists.members ?? []).map(toPerson), ({ name }) => name);
  return (name: string): Person | undefined => {
    const namesakes = people.get(name) ?? [];
    if (scope.members !== undefined && !namesakes.some(({ id }) => isSelected(scope, id))) return undefined;
    return (namesakes.length === 1 && namesakes[0]) || findPerson(view, null, name);
  };
}

function findRepeated(expenses: readonly Row[] = []): ReadonlySet<Row> {
  const groups = groupBy(expenses, ({ member: spender, expense_date, amount, category, category_id: id }) =>
    JSON.stringify([spender, toDay(expense_date), formatMoney(amount) ?? amount, id ?? category]),
  );
  return new Set([...groups.values()].flatMap((all) => all.slice(1)));
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
