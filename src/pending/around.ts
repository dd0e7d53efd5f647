import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { findContractProblem } from '../resources/contract.ts';
import { decisions } from '../resources/resource.ts';
import { INBOX_KINDS, type InboxItem, type InboxKind, toInboxItem } from './item.ts';
import { getPluralOf, getState, isApproved, isWaiting, listWaiting } from './load-inbox.ts';
import { fetchRelated, groupBy, type RelatedRows } from './related.ts';

/** Reads what lies around the things that wait: each list once for all people, or one by one for few. */

export interface Reading {
  readonly api: Context['api'];
  readonly lists: Context['lists'];
  readonly items: readonly InboxItem[];
  /** Requests that one list may take; undefined: as many as are worth it unasked. */
  readonly most: number | undefined;
}

/** A list that warnings rest on. */
export interface CheckedList {
  /** Of which kinds. */
  readonly kinds: readonly InboxKind[];
  /** Why it is not there: it was refused, or would have taken too many requests. */
  readonly problem: string | undefined;
}

const listDistinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Map(values.filter((value) => value != null).map((value) => [toText(value), value])).values(),
];

const getDateRange = (items: readonly InboxItem[]) => ({
  date_from: items.reduce(
    (earliest, { from }) => (from !== null && from < earliest ? from : earliest),
    '9999-12-31',
  ),
  date_to: items.reduce((latest, { to }) => (to !== null && to > latest ? to : latest), '0000-01-01'),
});

export const getYear = ({ from }: InboxItem): string | undefined => from?.slice(0, 4);

const listPeople = (items: readonly InboxItem[]) => listDistinct(items.map(({ userId }) => userId));

/** Balances of the years in which the leaves begin, by year and person. */
export const readBalances = async ({ api, lists, most }: Reading, leaves: readonly InboxItem[]) => {
  const years = listDistinct(leaves.map(getYear)).map(String);
  const balances = await Promise.all(
    years.map(async (year) => {
      const days = { date_from: `${year}-01-01`, date_to: `${year}-12-31` };
      const { rows, problem } = await fetchRelated({
        people: listPeople(leaves.filter((leave) => getYear(leave) === year)),
        lists,
        all: api.leaves.balances(days),
        one: (userId) => api.leaves.balances({ ...days, user_id: userId }),
        most,
      });
      return [year, { problem, byUser: groupBy(rows, ({ user_id: id }) => id) }] as const;
    }),
  );
  return new Map(balances);
};

/** A record of which nobody can say whether it counts, or for whom, makes the list one that could not be read. */
const checkRecords = (list: RelatedRows, findProblem: (row: Row) => string | undefined): RelatedRows => {
  for (const row of list.rows) {
    const problem = findProblem(row);
    if (problem !== undefined) return { ...list, problem: `${toText(row.id)}: ${problem}` };
  }
  return list;
};

const findApprovedProblem = (kind: InboxKind, row: Row): string | undefined => {
  if (getState(kind, row) === undefined) return 'its status cannot be read';
  return isApproved(kind, row) && row.user_id == null ? 'its member cannot be read' : undefined;
};

/** Approved ones of the days of the items. */
export const readApproved = async (
  { api, lists, most }: Reading,
  items: readonly InboxItem[],
  kind: 'leave' | 'time-request',
) => {
  const { list } = kind === 'leave' ? api.leaves : api.timeRequests;
  const filter = { status: decisions.approve.to, ...getDateRange(items) } as const;
  const related = await fetchRelated({
    people: listPeople(items),
    lists,
    all: list(filter),
    one: (userId) => list({ ...filter, user_id: userId }),
    most,
  });
  const checked = checkRecords(related, (row) => findApprovedProblem(kind, row));
  return { ...checked, rows: checked.rows.filter((row) => isApproved(kind, row)) };
};

export const readContracts = async ({ api, lists, most }: Reading, timesheets: readonly InboxItem[]) => {
  const related = await fetchRelated({
    people: listPeople(timesheets),
    lists,
    all: api.contracts.list({}),
    one: (userId) => api.contracts.list({ user_id: userId }),
    most,
  });
  return checkRecords(related, findContractProblem);
};

/** Whose warnings look at the others of a kind that wait. */
const LOOKED_AT_BY: Readonly<Record<InboxKind, readonly InboxKind[]>> = {
  timesheet: ['timesheet', 'leave'],
  leave: INBOX_KINDS,
  'time-request': ['time-request'],
};

/** What waits of a kind on the days of the items that look at it. */
const readWaiting = async ({ api, lists, items, most }: Reading, kind: InboxKind) => {
  const looking = items.filter((item) => LOOKED_AT_BY[kind].includes(item.kind));
  const { date_from: from, date_to: to } = getDateRange(looking);
  const people = listPeople(looking);
  const { rows, problem } = await fetchRelated({
    // The list of timesheets is the same whoever it is asked for.
    people: kind === 'timesheet' ? people.slice(0, 1) : people,
    lists,
    all: listWaiting(api, kind, { from, to }),
    one: (userId) => listWaiting(api, kind, { from, to, userIds: [userId] }),
    most,
  });
  return { problem, items: rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row)) };
};

/** What waits on the days of the items, of the kinds that are not known. @param complete kinds of which the items are all */
export const readAllWaiting = async (reading: Reading, complete: readonly InboxKind[]) => {
  const kinds = INBOX_KINDS.filter((kind) => !complete.includes(kind));
  const found = await Promise.all(kinds.map((kind) => readWaiting(reading, kind)));
  return {
    items: found.flatMap(({ items }) => items),
    lists: kinds.map((kind, i): readonly [string, CheckedList] => [
      `${getPluralOf(kind)} that are waiting`,
      { kinds: LOOKED_AT_BY[kind], problem: found[i]?.problem },
    ]),
  };
};
