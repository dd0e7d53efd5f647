import { listNegativeBalances } from '../../close/find.ts';
import { type CloseLists, type CloseScope, isSelected } from '../../close/records.ts';
import { listUnreadable } from '../../close/unreadable.ts';
import type { Context } from '../../context.ts';
import { toNumber } from '../../json/number.ts';
import { addDays } from '../../parsing/calendar.ts';
import type { UnreadList } from '../../pending/load-inbox.ts';
import { contract } from '../../resources/contract.ts';
import { expense } from '../../resources/expense.ts';
import { leave } from '../../resources/leave.ts';
import { leavePolicy } from '../../resources/leave-policy.ts';
import { member } from '../../resources/member.ts';
import { decisions, type Resource } from '../../resources/resource.ts';
import { timeRequest } from '../../resources/time-request.ts';
import { timesheet } from '../../resources/timesheet.ts';
import { type ListRead, readLists, toPartlyUnread } from '../read-lists.ts';

/** The lists that a check needs, in as few requests as they have pages. */

export interface LoadedLists {
  readonly lists: CloseLists;
  readonly unread: readonly UnreadList[];
}

/** Up to this many people are asked about one by one where a list takes a member. */
const FEW_PEOPLE = 2;

const listYears = ({ period: { from, to } }: CloseScope): readonly string[] => {
  const [first, last] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))];
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
};

type Words = Pick<Resource, 'words'>;

const read = ({ words }: Words, calls: ListRead['calls']): ListRead => ({ noun: words[1], calls });

const planReads = ({ api }: Context, scope: CloseScope) => {
  const { members: ids, period } = scope;
  const people =
    ids === undefined || ids.size > FEW_PEOPLE ? [{}] : [...ids].map((id) => ({ user_id: toNumber(id) }));
  const days = { date_from: period.from, date_to: period.to };
  // The service compares the days as they are written: in the zone they may be others.
  const wider = { date_from: addDays(period.from, -1), date_to: addDays(period.to, 1) };
  const status = { status: decisions.approve.from };
  return {
    members: read(member, [api.members.list({})]),
    contracts: read(
      contract,
      people.map((person) => api.contracts.list(person)),
    ),
    timesheets: read(timesheet, [api.timesheets.list(days)]),
    leaves: read(
      leave,
      people.map((person) => api.leaves.list({ ...days, ...person })),
    ),
    timeRequests: read(
      timeRequest,
      people.map((person) => api.timeRequests.list({ ...wider, ...status, ...person })),
    ),
    expenses: read(expense, [api.expenses.list(days)]),
    balances: {
      noun: 'leave balances',
      calls: listYears(scope).flatMap((year) =>
        people.map((person) =>
          api.leaves.balances({ date_from: `${year}-01-01`, date_to: `${year}-12-31`, ...person }),
        ),
      ),
    },
  };
};

/** @throws the failure when none of the lists can be read */
export const loadCloseLists = async (context: Context, scope: CloseScope): Promise<LoadedLists> => {
  const reads = planReads(context, scope);
  const { lists, unread: refused } = await readLists(context, reads);
  const unread = [
    ...refused,
    ...listUnreadable(lists, scope).map(({ list, problem }) => toPartlyUnread(reads[list].noun, problem)),
  ];
  const negative = listNegativeBalances(lists.balances).filter(({ userId }) => isSelected(scope, userId));
  if (negative.length === 0) return { lists: { ...lists, policies: [] }, unread };
  // Only they say where a balance may be negative.
  const policies = await readLists(context, {
    policies: { noun: leavePolicy.words[1], calls: [context.api.leaves.policies({})] },
  });
  return { lists: { ...lists, ...policies.lists }, unread: [...unread, ...policies.unread] };
};
