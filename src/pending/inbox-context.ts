import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { lazy } from '../lazy.ts';
import { getToday } from '../parsing/calendar.ts';
import { isRunning } from '../resources/contract.ts';
import {
  type CheckedList,
  getYear,
  type Reading,
  readAllWaiting,
  readApproved,
  readBalances,
  readContracts,
} from './around.ts';
import { getItemKey, INBOX_KINDS, type InboxItem, type InboxKind, toInboxItem } from './item.ts';
import { groupBy, type RelatedRows, type RowList } from './related.ts';
import { findUnreadable } from './unreadable.ts';
import type { WarningContext } from './warnings.ts';

/** What is known around the things that wait: people, limits, balances, what was approved before. */

export interface InboxContext {
  of(item: InboxItem): WarningContext;
  memberOf(item: InboxItem): Row | undefined;
  /** Those of the item's member. */
  contractsOf(item: InboxItem): RowList;
  /** Why the balance of a leave is not known; undefined where it could be read. */
  balanceProblemOf(item: InboxItem): string | undefined;
  /** Approved leaves of everybody on the days of the items; undefined where only some people's were read. */
  readonly leavesOfEverybody: RowList | undefined;
  /** Why the warnings of an item may not be all, in words; undefined where all is known. */
  findUnchecked(item: InboxItem): string | undefined;
  /** What of them was read and says nothing usable. */
  findUnreadable(item: InboxItem): string | undefined;
  /** What could not be looked at, for people. */
  readonly unchecked: readonly string[];
}

type InboxSources = Pick<Context, 'api' | 'lists' | 'names' | 'clock' | 'timeZone'>;

/** How much is known already, and how much may be asked. */
export interface InboxScope {
  /** Kinds of which the items are all that wait. Of the others those of the same days are read too. */
  readonly complete: readonly InboxKind[];
  /** All that is known to wait; default: the items. */
  readonly waiting?: readonly InboxItem[];
  /** Whether it is worth any number of requests, because somebody chooses by the warnings. */
  readonly thorough?: boolean;
}

const WEEK_HOURS = 168;

/** @returns undefined where it limits nothing; null where it cannot be read */
export const parseLimit = (value: unknown): number | null | undefined => {
  if (value == null) return undefined;
  const hours = Number(toNumber(value));
  if (!(hours >= 0)) return null;
  return hours > 0 && hours < WEEK_HOURS ? hours : undefined;
};

/** Null also where the record does not say whether there is one. */
const readLimit = (row: Row): number | null | undefined =>
  row.weekly_hours_limit === undefined ? null : parseLimit(row.weekly_hours_limit);

/** The person's own limit, or what all contracts together allow, whichever is less. */
const findWeeklyLimit = (
  member: Row | undefined,
  contracts: readonly Row[],
): WarningContext['weeklyLimit'] => {
  const memberLimit = member && readLimit(member);
  const limits = contracts.filter(isRunning).map(readLimit);
  if (memberLimit === null || limits.includes(null)) return null;
  const isLimited = limits.length > 0 && limits.every((limit) => limit !== undefined);
  const contractsTotal = isLimited ? limits.reduce<number>((sum, limit) => sum + (limit ?? 0), 0) : undefined;
  if (memberLimit === undefined || contractsTotal === undefined) return memberLimit ?? contractsTotal;
  return Math.min(memberLimit, contractsTotal);
};

/** Of `10 days`. Every member has a row; a policy need not be in it. */
const parseBalance = (row: Row | undefined, policy: unknown): WarningContext['balance'] => {
  const information = row?.leave_information;
  if (!Array.isArray(information)) return null;
  const entry = information.find((one) => one?.leave_type === policy && policy != null);
  if (entry === undefined) return undefined;
  const [, amount, unit] = /^(-?\d{1,15}(?:\.\d+)?) *([dh])/i.exec(toText(entry.balance)) ?? [];
  if (amount === undefined) return null;
  return { amount: Number(amount), unit: unit?.toLowerCase() === 'h' ? 'hours' : 'days' };
};

/** Each once. */
const listOnce = (items: readonly InboxItem[]): readonly InboxItem[] => [
  ...new Map(items.map((item) => [getItemKey(item), item])).values(),
];

/** What is the same for all things of a person. */
type PersonContext = Omit<WarningContext, 'today' | 'policy' | 'balance'>;

const loadNames = async (names: Context['names'], items: readonly InboxItem[]): Promise<void> => {
  await Promise.all([
    names.member.load(items.map(({ userId }) => userId)),
    names.policy.load(items.map(({ policyId }) => policyId)),
    names.project.load(items.map(({ projectId }) => projectId)),
  ]);
};

const groupApproved = ({ approvedLeaves, approvedTimes }: InboxLists) =>
  groupBy(
    [
      ...approvedLeaves.rows.map((row) => toInboxItem('leave', row)),
      ...approvedTimes.rows.map((row) => toInboxItem('time-request', row)),
    ],
    ({ userId }) => userId,
  );

const readLists = async (names: Context['names'], reading: Reading, complete: readonly InboxKind[]) => {
  const { items } = reading;
  const ofKind = (kind: InboxKind) => items.filter((item) => item.kind === kind);
  const [leaves, timesheets, requests] = [ofKind('leave'), ofKind('timesheet'), ofKind('time-request')];
  const [contracts, balances, approvedLeaves, approvedTimes, around] = await Promise.all([
    readContracts(reading, timesheets),
    readBalances(reading, leaves),
    readApproved(reading, items, 'leave'),
    readApproved(reading, requests, 'time-request'),
    readAllWaiting(reading, complete),
    loadNames(names, items),
  ]);
  return { contracts, balances, approvedLeaves, approvedTimes, around };
};

type InboxLists = Awaited<ReturnType<typeof readLists>>;

/** What could not be read, by name. */
const listUnchecked = ({
  contracts,
  balances,
  approvedLeaves,
  approvedTimes,
  around,
}: InboxLists): readonly (readonly [string, CheckedList])[] => {
  const balanceProblem = [...balances.values()].find(({ problem }) => problem !== undefined)?.problem;
  const lists: readonly (readonly [string, CheckedList])[] = [
    ['weekly limits of contracts', { kinds: ['timesheet'], problem: contracts.problem }],
    ['leave balances', { kinds: ['leave'], problem: balanceProblem }],
    ['approved leaves', { kinds: INBOX_KINDS, problem: approvedLeaves.problem }],
    ['approved time requests', { kinds: ['time-request'], problem: approvedTimes.problem }],
    ...around.lists,
  ];
  return lists.filter(([, { problem }]) => problem !== undefined);
};

const getPolicy = ({ policyId }: InboxItem, { policy }: Context['names']): Row | undefined =>
  policyId === null ? undefined : policy.record(policyId);

const getLeaveContext = (
  item: InboxItem,
  names: Context['names'],
  { balances }: InboxLists,
): Pick<WarningContext, 'policy' | 'balance'> => {
  const policy = getPolicy(item, names);
  const list = balances.get(getYear(item) ?? '');
  if (list === undefined || list.problem !== undefined) return { policy, balance: undefined };
  const [row] = list.byUser.get(toText(item.userId)) ?? [];
  return { policy, balance: parseBalance(row, policy?.name) };
};

/** Of an item's member: all is grouped by person when the first one is looked at, and each is looked at once. */
const createPersonContexts = (
  names: Context['names'],
  waiting: readonly InboxItem[],
  lists: InboxLists,
  contractsByUser: ReadonlyMap<string, readonly Row[]>,
) => {
  const getUser = ({ userId }: InboxItem): unknown => userId;
  const waitingByUser = lazy(() => groupBy([...waiting, ...lists.around.items], getUser));
  const approvedByUser = lazy(() => groupApproved(lists));
  const persons = new Map<string, PersonContext>();
  return ({ userId }: InboxItem): PersonContext => {
    const id = toText(userId);
    const known = persons.get(id);
    if (known !== undefined) return known;
    const member = names.member.record(userId);
    const person: PersonContext = {
      waiting: listOnce(waitingByUser().get(id) ?? []),
      approved: approvedByUser().get(id) ?? [],
      weeklyLimit: findWeeklyLimit(member, contractsByUser.get(id) ?? []),
      member,
    };
    persons.set(id, person);
    return person;
  };
};

const getWhole = (list: RelatedRows): RowList | undefined =>
  list.ofEverybody && list.problem === undefined ? list : undefined;

/** Why the warnings of an item may not be all. */
const createUncheckedFinder = (names: Context['names'], lists: InboxLists, items: readonly InboxItem[]) => {
  const unchecked = listUnchecked(lists);
  const isStranger = ({ userId }: InboxItem): boolean => names.member.record(userId) === undefined;
  const hasUnknownPolicy = (item: InboxItem): boolean =>
    item.kind === 'leave' && getPolicy(item, names) === undefined;
  return {
    unchecked: [
      ...unchecked.map(([name]) => name),
      ...(items.some(isStranger) ? ['unknown members'] : []),
      ...(items.some(hasUnknownPolicy) ? ['unknown leave policies'] : []),
    ],
    find(item: InboxItem): string | undefined {
      const unread = unchecked.filter(([, { kinds }]) => kinds.includes(item.kind)).map(([name]) => name);
      if (unread.length > 0) return `${unread.join(' and ')} could not be read`;
      if (isStranger(item)) return 'its member is unknown';
      return hasUnknownPolicy(item) ? 'its policy is unknown' : undefined;
    },
  };
};

/** Reads all of it side by side. What may not be seen, or would take too long, is left out and told. */
export const loadInboxContext = async (
  { api, lists: listsOfRun, names, clock, timeZone }: InboxSources,
  items: readonly InboxItem[],
  { complete, waiting = items, thorough = false }: InboxScope,
): Promise<InboxContext> => {
  const most = thorough ? Number.POSITIVE_INFINITY : undefined;
  const reading: Reading = { api, lists: listsOfRun, items, most };
  const lists = await readLists(names, reading, complete);
  const today = items.length === 0 ? '' : getToday(clock.now(), timeZone());
  const contractsByUser = groupBy(lists.contracts.rows, ({ user_id: id }) => id);
  const getPersonContext = createPersonContexts(names, waiting, lists, contractsByUser);
  const { unchecked, find } = createUncheckedFinder(names, lists, items);
  const getContext = (item: InboxItem): WarningContext => ({
    ...getPersonContext(item),
    ...getLeaveContext(item, names, lists),
    today,
  });
  return {
    unchecked,
    findUnchecked: (item) => find(item) ?? findUnreadable(item, getContext(item)),
    findUnreadable: (item) => findUnreadable(item, getContext(item)),
    contractsOf: ({ userId }) => ({
      ...lists.contracts,
      rows: contractsByUser.get(toText(userId)) ?? [],
    }),
    balanceProblemOf: (item) => lists.balances.get(getYear(item) ?? '')?.problem,
    leavesOfEverybody: getWhole(lists.approvedLeaves),
    memberOf: ({ userId }) => names.member.record(userId),
    of: getContext,
  };
};

/** For people; nothing where all could be looked at. */
export const describeUnchecked = ({ unchecked }: Pick<InboxContext, 'unchecked'>): readonly string[] =>
  unchecked.length === 0 ? [] : [`Not checked: ${unchecked.join(', ')}`];
