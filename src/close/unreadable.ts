import type { Row } from '../api/page.ts';
import { isRecord } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { parseLimit } from '../pending/inbox-context.ts';
import { getUserId, type InboxKind, toInboxItem } from '../pending/item.ts';
import { getState } from '../pending/load-inbox.ts';
import { findUnreadableItem } from '../pending/unreadable.ts';
import { findContractProblem } from '../resources/contract.ts';
import { member, PROJECT_VIEWER } from '../resources/member.ts';
import { findState, isArchived } from '../resources/resource.ts';
import type { CloseLists, CloseScope } from './records.ts';
import { isInPeriod, isSelected, placeInZone, toRecordDay } from './records.ts';

/** Records of which a check cannot say anything: it would leave them out, and the period would look closed. Pure. */

type CheckedList = Exclude<keyof CloseLists, 'policies'>;

type FindProblem = (row: Row, scope: CloseScope) => string | undefined;

const NO_STATUS = 'its status cannot be read';

/** Hours of other periods do not matter. */
const findItemProblem =
  (kind: InboxKind): FindProblem =>
  (row, scope) => {
    if (!isSelected(scope, getUserId(row))) return undefined;
    const item = placeInZone(toInboxItem(kind, row), scope.timeZone);
    const isElsewhere = item.from !== null && item.to !== null && !isInPeriod(item, scope);
    if (isElsewhere) return undefined;
    return getState(kind, row) === undefined ? NO_STATUS : findUnreadableItem(item);
  };

/** A status of members that are expected whatever it says does not matter. */
const findMemberProblem: FindProblem = (row, scope) => {
  if (!isSelected(scope, row.id)) return undefined;
  if (parseLimit(row.weekly_hours_limit) === null) return 'the weekly limit cannot be read';
  const isMatter = row.status != null && !isArchived(row) && row.current_role !== PROJECT_VIEWER;
  return isMatter && findState(member, row) === undefined ? NO_STATUS : undefined;
};

const isBalanceUnreadable = (entry: unknown): boolean =>
  !isRecord(entry) || Number.isNaN(Number.parseFloat(toText(entry.balance)));

const PROBLEMS: Readonly<Record<CheckedList, FindProblem>> = {
  timesheets: findItemProblem('timesheet'),
  leaves: findItemProblem('leave'),
  timeRequests: findItemProblem('time-request'),
  members: findMemberProblem,
  contracts: (row, scope) =>
    row.user_id == null || isSelected(scope, row.user_id) ? findContractProblem(row) : undefined,
  expenses: ({ expense_date: day }) =>
    toRecordDay(day) === undefined ? 'its date cannot be read' : undefined,
  balances: ({ user_id: id, leave_information: entries }, scope) =>
    isSelected(scope, id) && (!Array.isArray(entries) || entries.some(isBalanceUnreadable))
      ? 'the balance cannot be read'
      : undefined,
};

/** How many are named. */
const MAX_NAMED = 3;

/** @returns of each list with such records, what is wrong with them */
export const listUnreadable = <List extends CheckedList>(
  lists: Pick<CloseLists, List>,
  scope: CloseScope,
): readonly { readonly list: List; readonly problem: string }[] =>
  (Object.keys(PROBLEMS) as readonly CheckedList[])
    .filter((list): list is List => list in lists)
    .flatMap((list) => {
      const problems = (lists[list] ?? []).flatMap((row) => {
        const problem = PROBLEMS[list](row, scope);
        return problem === undefined ? [] : [`${toText(row.id ?? row.user_id ?? '?')}: ${problem}`];
      });
      const more = problems.length > MAX_NAMED ? [`${problems.length - MAX_NAMED} more`] : [];
      return problems.length === 0
        ? []
        : [{ list, problem: [...problems.slice(0, MAX_NAMED), ...more].join('; ') }];
    });
