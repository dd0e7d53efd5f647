import type { Row } from '../api/page.ts';
import { isRecord } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { formatMoney } from '../parsing/money.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { isWaiting } from '../pending/load-inbox.ts';
import { groupBy } from '../pending/related.ts';
import { formatCount, formatDay } from '../pending/text.ts';
import { clip, contains } from './calendar.ts';
import { type CloseFinding, sortFindings } from './finding.ts';
import {
  type CloseRecord,
  isSelected,
  isSheetIn,
  type Person,
  SUBMITTED,
  toPerson,
  toRecordDay,
} from './records.ts';
import { findSheetFindings, isOverdue, isRejected } from './sheets.ts';
import { type CloseView, createFinding, isOfArchived, labelRecord, toMemberWord } from './view.ts';

/** Everything that keeps a period from being closed. Pure. */

const isPending = ({ kind, row }: CloseRecord): boolean => isWaiting(kind, row);

const findPending = (view: CloseView): readonly CloseFinding[] => {
  const { leaves, timeRequests, commandLine, scope } = view;
  const describe = (record: CloseRecord): string => `${labelRecord(record, scope)} is waiting for a decision`;
  const listOpen = (records: readonly CloseRecord[]) =>
    records.filter((record) => isPending(record) && !isOfArchived(view, record));
  return [
    ...listOpen(leaves).map((record) =>
      createFinding(view, record, {
        code: 'leave_pending',
        message: describe(record),
        fix: commandLine`ttctl leaves approve ${record.id}`,
      }),
    ),
    ...listOpen(timeRequests).map((record) =>
      createFinding(view, record, {
        code: 'time_request_pending',
        message: describe(record),
        fix: commandLine`ttctl time-requests approve ${record.id}`,
      }),
    ),
  ];
};

/** An entry of a balance: `Annual leave`, `-2 days`. */
interface NegativeBalance {
  readonly userId: unknown;
  readonly policy: string;
  readonly balance: string;
}

export const listNegativeBalances = (rows: readonly Row[] | undefined): readonly NegativeBalance[] =>
  (rows ?? []).flatMap(({ user_id: userId, leave_information: entries }) =>
    (Array.isArray(entries) ? entries : []).filter(isRecord).flatMap((entry) => {
      const [policy, balance] = [toText(entry['leave_type'] ?? '?'), toText(entry['balance'] ?? '')];
      return Number.parseFloat(balance) < 0 ? [{ userId, policy, balance }] : [];
    }),
  );

const findNegativeBalances = ({
  lists,
  scope,
  findMember,
  commandLine,
}: CloseView): readonly CloseFinding[] => {
  const allowed = new Set(
    (lists.policies ?? []).filter((row) => row.allow_negative_balance === true).map(({ name }) => name),
  );
  const { from, to } = scope.period;
  return listNegativeBalances(lists.balances)
    .filter(({ userId, policy }) => isSelected(scope, userId) && !allowed.has(policy))
    .map(({ userId, policy, balance }): CloseFinding => {
      const row = findMember(userId);
      const member = row === undefined ? { id: userId ?? null, name: null, email: null } : toPerson(row);
      const days = { from: `${from.slice(0, 4)}-01-01`, to: `${to.slice(0, 4)}-12-31` };
      return {
        code: 'negative_balance',
        member,
        from,
        to,
        days: null,
        partial: false,
        message: `${policy} is at ${balance}`,
        fix: commandLine`ttctl leaves balances --member ${toMemberWord(member)} --date-from ${days.from} --date-to ${days.to}`,
      };
    });
};

const NOUNS = { timesheet: 'timesheet', leave: 'leave request', 'time-request': 'time request' } as const;

/** `1 timesheet and 2 leave requests` */
const countItems = (items: readonly CloseRecord[]): string =>
  [...groupBy(items, ({ kind }) => kind).values()]
    .map((group) => formatCount(group.length, NOUNS[group[0]?.kind ?? 'timesheet']))
    .join(' and ');

/** An archived person decides nothing any more: what can be decided is, else what is open is handed in for them. */
const formatArchivedFix = (
  { commandLine }: CloseView,
  person: Person,
  items: readonly CloseRecord[],
): string => {
  const [first, last] = [
    items.map(({ from }) => from).sort()[0],
    items
      .map(({ to }) => to)
      .sort()
      .at(-1),
  ];
  if (items.some(isPending))
    return commandLine`ttctl inbox --member ${toMemberWord(person)} --date-from ${first} --date-to ${last}`;
  const open = items.filter((item) => isSheetIn(item, 'open')).map(({ id }) => id);
  if (open.length > 0) return commandLine`ttctl timesheets submit ${open}`;
  return commandLine`ttctl timesheets list --id ${items[0]?.id}`;
};

const listOpenItems = (view: CloseView): readonly CloseRecord[] => [
  ...view.timesheets.filter(
    (sheet) =>
      isSheetIn(sheet, SUBMITTED) ||
      isRejected(view, sheet) ||
      (isSheetIn(sheet, 'open') && isOverdue(view, sheet)),
  ),
  ...[...view.leaves, ...view.timeRequests].filter(isPending),
];

const findArchived = (view: CloseView): readonly CloseFinding[] => {
  const { scope, findMember } = view;
  const items = listOpenItems(view).filter((item) => isOfArchived(view, item));
  return [...groupBy(items, ({ userId }) => userId).values()].flatMap((group): readonly CloseFinding[] => {
    const row = findMember(group[0]?.userId);
    if (row === undefined) return [];
    const member = toPerson(row);
    const inside = group.map((item) => clip(item, scope.period));
    const since = toText(row.deleted_at).slice(0, 10);
    return [
      {
        code: 'archived_with_open_items',
        member,
        from: inside.map(({ from }) => from).sort()[0] ?? '',
        to:
          inside
            .map(({ to }) => to)
            .sort()
            .at(-1) ?? '',
        days: null,
        partial: group.some(({ from, to }) => from < scope.period.from || to > scope.period.to),
        message: `Archived ${formatDay(since, scope.today)} with ${countItems(group)} left open`,
        fix: formatArchivedFix(view, member, group),
      },
    ];
  });
};

/** An expense has no id of its member: of namesakes it is nobody's in particular. */
const createSpenderFinder = ({ lists, scope }: CloseView) => {
  const people = groupBy((lists.members ?? []).map(toPerson), ({ name }) => name);
  return (name: string): Person | undefined => {
    const namesakes = people.get(name) ?? [];
    if (scope.members !== undefined && !namesakes.some(({ id }) => isSelected(scope, id))) return undefined;
    return (namesakes.length === 1 ? namesakes[0] : undefined) ?? { id: null, name, email: null };
  };
};

const findExpenses = (view: CloseView): readonly CloseFinding[] => {
  const findSpender = createSpenderFinder(view);
  const { scope, commandLine } = view;
  return (view.lists.expenses ?? []).flatMap((row): readonly CloseFinding[] => {
    const day = toRecordDay(row.expense_date);
    const member = findSpender(toText(row.member ?? ''));
    const isWithout = row.project == null || row.project === '';
    if (!isWithout || day === undefined || member === undefined || !contains(scope.period, day)) return [];
    const [name, amount] = [toText(row.expense_name ?? ''), toText(row.amount ?? 0)];
    const category = row.category ?? placeholder('category');
    return [
      {
        code: 'expense_without_project',
        member,
        from: day,
        to: day,
        days: null,
        partial: false,
        message: `Expense ${name} (${formatMoney(amount) ?? amount}) has no project`,
        fix: commandLine`ttctl expenses update ${row.id} --name ${name} --date ${day} --amount ${amount} --category ${category} --project ${placeholder('project')}`,
      },
    ];
  });
};

/** By person, then by day. */
export const findCloseFindings = (view: CloseView): readonly CloseFinding[] =>
  sortFindings([
    ...findSheetFindings(view),
    ...findPending(view),
    ...findNegativeBalances(view),
    ...findArchived(view),
    ...findExpenses(view),
  ]);
