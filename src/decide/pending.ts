import { decisions } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { findContractProblem, isRunning } from '../api/records.ts';
import type { Context } from '../context.ts';
import { toNumber, toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { getToday } from '../parsing/calendar.ts';
import { getItemKey, INBOX_KINDS, type InboxItem, type InboxKind, toInboxItem } from './item.ts';
import { getState, isApproved, isWaiting, listWaiting, resourceOf } from './load-inbox.ts';
import { groupBy, type RowList, readRelated } from './read-lists.ts';
import { hasDates, type InboxWarning, listWarnings, type WarningContext } from './warnings.ts';

/** What waits with what is known around it: people, limits, balances, what was approved before. */

export interface PendingItem {
  readonly item: InboxItem;
  readonly around: WarningContext;
  readonly warnings: readonly InboxWarning[];
  /** Since it waits; null where the service does not tell since when. */
  readonly seconds: number | null;
}

type Sources = Pick<Context, 'api' | 'lists' | 'names' | 'clock' | 'timeZone'>;

export interface PendingScope {
  /** Kinds of which the items are all that wait. Of the others those of the same days are read too. */
  readonly complete: readonly InboxKind[];
  /** All that is known to wait; default: the items. */
  readonly waiting?: readonly InboxItem[];
  /** Whether it is worth any number of requests, because somebody chooses by the warnings. */
  readonly thorough?: boolean;
  /** They are decided already: nothing is said of what else waited then, or of the balance. */
  readonly past?: boolean;
}

const WEEK_HOURS = 168;

/** Hours a week; undefined: no limit; null: the record does not say it, or not so that it can be read. */
export const readLimit = ({ weekly_hours_limit: value }: Row): number | null | undefined => {
  if (value === null) return undefined;
  const hours = Number(toNumber(value));
  if (!(hours >= 0)) return null;
  return hours > 0 && hours < WEEK_HOURS ? hours : undefined;
};

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

const listDistinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Map(values.filter((value) => value != null).map((value) => [toText(value), value])).values(),
];

const listPeople = (items: readonly InboxItem[]) => listDistinct(items.map(({ userId }) => userId));

const getDateRange = (items: readonly InboxItem[]) => {
  const from = items.flatMap((item) => item.from ?? []).sort();
  const to = items.flatMap((item) => item.to ?? []).sort();
  return { date_from: from[0] ?? '9999-12-31', date_to: to.at(-1) ?? '0000-01-01' };
};

/** Approved ones of the days of the items. @param more filters */
export const listApproved = (
  { api }: Pick<Context, 'api'>,
  kind: 'leave' | 'time-request',
  items: readonly InboxItem[],
  more: { readonly user_id?: number } = {},
) => {
  const { list } = kind === 'leave' ? api.leaves : api.timeRequests;
  return list({ status: decisions.approve.to, ...more, ...getDateRange(items) });
};

const getYear = ({ from }: InboxItem): string => from?.slice(0, 4) ?? '';

/** A record of which nobody can say whether it counts, or for whom, makes the list one that could not be read. */
const checkRecords = (list: RowList, findProblem: (row: Row) => string | undefined): RowList => {
  const problem = list.rows.map(findProblem).find((one) => one !== undefined);
  return problem === undefined ? list : { ...list, problem };
};

/** Whose warnings look at the others of a kind that wait. */
const LOOKED_AT_BY: Readonly<Record<InboxKind, readonly InboxKind[]>> = {
  timesheet: ['timesheet', 'leave'],
  leave: INBOX_KINDS,
  'time-request': ['time-request'],
};

/** Reads all of it side by side, each list once for all people, or one by one for few. */
const readAround = async (
  { api, lists, names }: Sources,
  items: readonly InboxItem[],
  { complete, thorough = false, past = false }: PendingScope,
) => {
  const most = thorough ? Number.POSITIVE_INFINITY : undefined;
  const ofKinds = (kinds: readonly InboxKind[]) => items.filter(({ kind }) => kinds.includes(kind));
  const readApproved = async (kind: 'leave' | 'time-request', of: readonly InboxItem[]) => {
    const list = await readRelated(lists, listPeople(of), most, (user) =>
      listApproved({ api }, kind, of, user),
    );
    return checkRecords(list, (row) => {
      if (getState(kind, row) === undefined) return 'its status cannot be read';
      return isApproved(kind, row) && row.user_id == null ? 'its member cannot be read' : undefined;
    });
  };
  const readBalances = async (year: string) => {
    const days = { date_from: `${year}-01-01`, date_to: `${year}-12-31` };
    const people = listPeople(ofKinds(['leave']).filter((leave) => getYear(leave) === year));
    return readRelated(lists, people, most, (user) => api.leaves.balances({ ...days, ...user }));
  };
  const readWaiting = async (kind: InboxKind) => {
    const looking = ofKinds(LOOKED_AT_BY[kind]);
    const { date_from: from, date_to: to } = getDateRange(looking);
    // The list of timesheets is the same whoever it is asked for.
    const people = listPeople(looking).slice(0, kind === 'timesheet' ? 1 : undefined);
    return readRelated(lists, people, most, ({ user_id: id }) =>
      listWaiting(api, kind, { from, to, userIds: id === undefined ? undefined : [id] }),
    );
  };
  const years = [...new Set(ofKinds(['leave']).map(getYear))].filter(Boolean);
  const kinds = INBOX_KINDS.filter((kind) => !past && !complete.includes(kind));
  const [contracts, leaves, times, balances, waiting] = await Promise.all([
    readRelated(lists, listPeople(ofKinds(['timesheet'])), most, (user) => api.contracts.list(user)),
    readApproved('leave', items),
    readApproved('time-request', ofKinds(['time-request'])),
    Promise.all(years.map(readBalances)),
    Promise.all(kinds.map(readWaiting)),
    names.member.load(items.map(({ userId }) => userId)),
    names.policy.load(items.map(({ policyId }) => policyId)),
    names.project.load(items.map(({ projectId }) => projectId)),
  ]);
  /** What the warnings of which kinds rest on. */
  const checked: readonly (readonly [name: string, kinds: readonly InboxKind[], list: RowList])[] = [
    ['weekly limits of contracts', ['timesheet'], checkRecords(contracts, findContractProblem)],
    ...balances.map((list) => ['leave balances', ['leave'], list] as const),
    ['approved leaves', INBOX_KINDS, leaves],
    ['approved time requests', ['time-request'], times],
    ...kinds.map((kind, i) => {
      const name = `${resourceOf(kind).words[1]} that are waiting`;
      return [name, LOOKED_AT_BY[kind], waiting[i] ?? { rows: [] }] as const;
    }),
  ];
  const toItems = (kind: InboxKind, isMeant: typeof isWaiting, list: RowList | undefined) =>
    (list?.rows ?? []).filter((row) => isMeant(kind, row)).map((row) => toInboxItem(kind, row));
  return {
    contracts,
    balances: new Map(years.map((year, i) => [year, balances[i]])),
    approved: [...toItems('leave', isApproved, leaves), ...toItems('time-request', isApproved, times)],
    waiting: kinds.flatMap((kind, i) => toItems(kind, isWaiting, waiting[i])),
    unread: checked.filter(([, , { problem }]) => problem !== undefined),
  };
};

const getUser = ({ userId }: InboxItem): unknown => userId;

/** What may not be seen, or would take too long, is left out: it is a warning of the items that rest on it. */
export const loadPending = async (
  sources: Sources,
  items: readonly InboxItem[],
  scope: PendingScope,
): Promise<readonly PendingItem[]> => {
  if (items.length === 0) return [];
  const { names, clock, timeZone } = sources;
  const { waiting: known = items, past = false } = scope;
  const { contracts, balances, approved, waiting, unread } = await readAround(sources, items, scope);
  const now = clock.now();
  const today = getToday(now, timeZone());
  const contractsByUser = groupBy(contracts.rows, ({ user_id: id }) => id);
  const balancesByYear = new Map(
    [...balances].map(([year, list]) => [year, groupBy(list?.rows ?? [], (row) => row.user_id)]),
  );
  const approvedByUser = groupBy(approved, getUser);
  const distinct = new Map([...known, ...waiting].map((item) => [getItemKey(item), item]));
  const waitingByUser = groupBy(past ? [] : [...distinct.values()], getUser);
  // One of them may lie over any other of the person.
  const dateless = groupBy(
    [...approved, ...distinct.values()].filter((one) => !hasDates(one)),
    getUser,
  );
  const findUnread = (item: InboxItem, hasBalance: boolean): string | undefined => {
    const lists = unread.filter(([, kinds]) => kinds.includes(item.kind)).map(([name]) => name);
    if (lists.length > 0) return `${[...new Set(lists)].join(' and ')} could not be read`;
    if (names.member.record(item.userId) === undefined) return 'its member is unknown';
    const [other] = dateless.get(toText(item.userId)) ?? [];
    if (other !== undefined && hasDates(item)) return `the dates of ${other.kind} ${other.id} cannot be read`;
    if (item.kind !== 'leave') return undefined;
    if (names.policy.record(item.policyId) === undefined) return 'its policy is unknown';
    return past && hasBalance ? 'the balance of that day is not known' : undefined;
  };
  return items.map((item): PendingItem => {
    const user = toText(item.userId);
    const member = names.member.record(item.userId);
    const policy = item.policyId === null ? undefined : names.policy.record(item.policyId);
    const own = contractsByUser.get(user) ?? [];
    const list = balancesByYear.get(getYear(item));
    const balance = list && parseBalance(list.get(user)?.[0], policy?.name);
    const around: WarningContext = {
      today: past && item.since !== null ? getToday(item.since, timeZone()) : today,
      waiting: waitingByUser.get(user) ?? [],
      approved: approvedByUser.get(user) ?? [],
      weeklyLimit: findWeeklyLimit(member, own),
      member,
      policy,
      contracts: { ...contracts, rows: own },
      balance: past ? undefined : balance,
      unread: findUnread(item, balance != null),
    };
    const seconds = item.since === null ? null : Math.max(0, Math.floor((now - item.since) / 1000));
    // Found at the first look: of thousands of items a screen shows a few.
    const warnings = lazy(() => listWarnings(item, around));
    return {
      item,
      around,
      seconds,
      get warnings() {
        return warnings();
      },
    };
  });
};
