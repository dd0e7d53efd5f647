import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { getToday } from '../parsing/calendar.ts';
import { isRunning } from '../resources/contract.ts';
import { decisions } from '../resources/resource.ts';
import { type InboxItem, toInboxItem } from './item.ts';
import { fetchRelated } from './related.ts';
import type { WarningContext } from './warnings.ts';

/** What is known around the things that wait: people, limits, balances, what was approved before. */

export interface InboxContext {
  of(item: InboxItem): WarningContext;
  /** What could not be looked at, for people. */
  readonly unchecked: readonly string[];
}

type InboxSources = Pick<Context, 'api' | 'names' | 'clock' | 'timeZone'>;

const listDistinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Map(values.filter((value) => value != null).map((value) => [toText(value), value])).values(),
];

const groupBy = <T>(rows: readonly T[], getId: (row: T) => unknown): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(toText(getId(row)));
    if (group === undefined) groups.set(toText(getId(row)), [row]);
    else group.push(row);
  }
  return groups;
};

const getDateRange = (items: readonly InboxItem[]) => ({
  date_from: items.reduce(
    (earliest, { from }) => (from !== null && from < earliest ? from : earliest),
    '9999-12-31',
  ),
  date_to: items.reduce((latest, { to }) => (to !== null && to > latest ? to : latest), '0000-01-01'),
});

const WEEK_HOURS = 168;

const parseLimit = (value: unknown): number | undefined => {
  const hours = Number(toNumber(value));
  return value != null && hours > 0 && hours < WEEK_HOURS ? hours : undefined;
};

/** The person's own limit, or what all contracts together allow, whichever is less. */
const findWeeklyLimit = (member: Row | undefined, contracts: readonly Row[]): number | undefined => {
  const active = contracts.filter(isRunning);
  const limits = active.map((contract) => parseLimit(contract.weekly_hours_limit));
  const contractsTotal = limits.reduce<number | undefined>(
    (sum, limit) => (sum === undefined || limit === undefined ? undefined : sum + limit),
    limits.length === 0 ? undefined : 0,
  );
  const memberLimit = parseLimit(member?.weekly_hours_limit);
  const knownLimits = [memberLimit, contractsTotal].filter((limit) => limit !== undefined);
  return knownLimits.length === 0 ? undefined : Math.min(...knownLimits);
};

/** Of `10 days`; undefined for any other text. */
const parseBalance = (row: Row | undefined, policy: unknown): WarningContext['balance'] => {
  const information = row?.leave_information;
  const entry = Array.isArray(information)
    ? information.find((one) => one?.leave_type === policy && policy != null)
    : undefined;
  const [, amount, unit] = /^(-?\d+(?:\.\d+)?) *([dh])/i.exec(toText(entry?.balance)) ?? [];
  if (amount === undefined) return undefined;
  return { amount: Number(amount), unit: unit?.toLowerCase() === 'h' ? 'hours' : 'days' };
};

const getYear = ({ from }: InboxItem): string | undefined => from?.slice(0, 4);

/** Balances of the years in which the leaves begin. */
const readBalances = async ({ api }: InboxSources, leaves: readonly InboxItem[]) => {
  const years = listDistinct(leaves.map(getYear)).map(String);
  const balances = await Promise.all(
    years.map(async (year) => {
      const days = { date_from: `${year}-01-01`, date_to: `${year}-12-31` };
      const rows = await fetchRelated({
        people: listDistinct(leaves.filter((leave) => getYear(leave) === year).map(({ userId }) => userId)),
        listAll: () => api.leaves.balances(days),
        listOne: (userId) => api.leaves.balances({ ...days, user_id: userId }),
      });
      return [year, rows && groupBy(rows, ({ user_id: id }) => id)] as const;
    }),
  );
  return new Map(balances);
};

/** Approved ones of the days that are asked about. */
const readApproved = async (
  { api }: InboxSources,
  items: readonly InboxItem[],
  kind: 'leave' | 'time-request',
) => {
  const { list } = kind === 'leave' ? api.leaves : api.timeRequests;
  const filter = { status: decisions.approve.to, ...getDateRange(items) } as const;
  const rows = await fetchRelated({
    people: listDistinct(items.map(({ userId }) => userId)),
    listAll: () => list(filter),
    listOne: (userId) => list({ ...filter, user_id: userId }),
  });
  return rows?.filter(({ status }) => status === decisions.approve.to).map((row) => toInboxItem(kind, row));
};

const readContracts = ({ api }: InboxSources, timesheets: readonly InboxItem[]) =>
  fetchRelated({
    people: listDistinct(timesheets.map(({ userId }) => userId)),
    listAll: () => api.contracts.list({}),
    listOne: (userId) => api.contracts.list({ user_id: userId }),
  });

/** What could not be read, in words. */
const listUnchecked = (
  contracts: unknown,
  balances: ReadonlyMap<string, unknown>,
  approvedLeaves: unknown,
  approvedTimes: unknown,
): readonly string[] => {
  const lists: Readonly<Record<string, unknown>> = {
    'weekly limits of contracts': contracts,
    'leave balances': [...balances.values()].includes(undefined) ? undefined : balances,
    'approved leaves': approvedLeaves,
    'approved time requests': approvedTimes,
  };
  return Object.keys(lists).filter((name) => lists[name] === undefined);
};

/** Reads all of it side by side. What may not be seen, or would take too long, is left out and told. */
export const loadInboxContext = async (
  sources: InboxSources,
  items: readonly InboxItem[],
): Promise<InboxContext> => {
  const { names } = sources;
  const ofKind = (kind: InboxItem['kind']) => items.filter((item) => item.kind === kind);
  const [leaves, timesheets, requests] = [ofKind('leave'), ofKind('timesheet'), ofKind('time-request')];
  const [contracts, balances, approvedLeaves, approvedTimes] = await Promise.all([
    readContracts(sources, timesheets),
    readBalances(sources, leaves),
    readApproved(sources, items, 'leave'),
    readApproved(sources, requests, 'time-request'),
    names.member.load(items.map(({ userId }) => userId)),
    names.policy.load(leaves.map(({ policyId }) => policyId)),
    names.project.load(requests.map(({ projectId }) => projectId)),
  ]);
  const waiting = groupBy(items, ({ userId }) => userId);
  const approved = groupBy([...(approvedLeaves ?? []), ...(approvedTimes ?? [])], ({ userId }) => userId);
  const contractsByUser = groupBy(contracts ?? [], ({ user_id: id }) => id);
  const today = items.length === 0 ? '' : getToday(sources.clock.now(), sources.timeZone());
  return {
    unchecked: listUnchecked(contracts, balances, approvedLeaves, approvedTimes),
    of(item) {
      const id = toText(item.userId);
      const member = names.member.record(item.userId);
      const policy = item.policyId === null ? undefined : names.policy.record(item.policyId);
      return {
        today,
        waiting: waiting.get(id) ?? [],
        approved: approved.get(id) ?? [],
        weeklyLimit: findWeeklyLimit(member, contractsByUser.get(id) ?? []),
        member,
        policy,
        balance: parseBalance(balances.get(getYear(item) ?? '')?.get(id)?.[0], policy?.name),
      };
    },
  };
};
