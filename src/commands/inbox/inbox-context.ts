import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { getToday } from '../../parsing/calendar.ts';
import { isRunning } from '../../resources/contract.ts';
import { decisions } from '../../resources/resource.ts';
import { type InboxItem, toInboxItem } from './item.ts';
import { fetchRelated } from './related.ts';
import type { WarningContext } from './warnings.ts';

/** What is known around the things that wait: people, limits, balances, what was approved before. */

export interface InboxContext {
  of(item: InboxItem): WarningContext;
  /** What could not be looked at, for people. */
  readonly unseen: readonly string[];
}

type InboxSources = Pick<Context, 'api' | 'names' | 'clock' | 'timeZone'>;

const listDistinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Map(values.filter((value) => value != null).map((value) => [toText(value), value])).values(),
];

const groupBy = <T>(rows: readonly T[], idOf: (row: T) => unknown): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(toText(idOf(row)));
    if (group === undefined) groups.set(toText(idOf(row)), [row]);
    else group.push(row);
  }
  return groups;
};

const getDateRange = (items: readonly InboxItem[]) => ({
  date_from: items.reduce((least, { from }) => (from !== null && from < least ? from : least), '9999-12-31'),
  date_to: items.reduce((most, { to }) => (to !== null && to > most ? to : most), '0000-01-01'),
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
  const together = limits.reduce<number | undefined>(
    (sum, limit) => (sum === undefined || limit === undefined ? undefined : sum + limit),
    limits.length === 0 ? undefined : 0,
  );
  const own = parseLimit(member?.weekly_hours_limit);
  const known = [own, together].filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** Of `10 days`; undefined for any other text. */
const parseBalance = (row: Row | undefined, policy: unknown): WarningContext['balance'] => {
  const information = row?.leave_information;
  const found = Array.isArray(information)
    ? information.find((one) => one?.leave_type === policy && policy != null)
    : undefined;
  const [, amount, unit] = /^(-?\d+(?:\.\d+)?) *([dh])/i.exec(toText(found?.balance)) ?? [];
  if (amount === undefined) return undefined;
  return { amount: Number(amount), unit: unit?.toLowerCase() === 'h' ? 'hours' : 'days' };
};

const yearOf = ({ from }: InboxItem): string | undefined => from?.slice(0, 4);

/** Balances of the years in which the leaves begin. */
const readBalances = async ({ api }: InboxSources, leaves: readonly InboxItem[]) => {
  const years = listDistinct(leaves.map(yearOf)).map(String);
  const read = await Promise.all(
    years.map(async (year) => {
      const days = { date_from: `${year}-01-01`, date_to: `${year}-12-31` };
      const rows = await fetchRelated({
        people: listDistinct(leaves.filter((leave) => yearOf(leave) === year).map(({ userId }) => userId)),
        whole: () => api.leaves.balances(days),
        one: (userId) => api.leaves.balances({ ...days, user_id: userId }),
      });
      return [year, rows && groupBy(rows, ({ user_id: id }) => id)] as const;
    }),
  );
  return new Map(read);
};

/** Approved ones of the days that are asked about. */
const readApproved = async (
  { api }: InboxSources,
  items: readonly InboxItem[],
  kind: 'leave' | 'time-request',
) => {
  const { list } = kind === 'leave' ? api.leaves : api.timeRequests;
  const wish = { status: decisions.approve.to, ...getDateRange(items) } as const;
  const rows = await fetchRelated({
    people: listDistinct(items.map(({ userId }) => userId)),
    whole: () => list(wish),
    one: (userId) => list({ ...wish, user_id: userId }),
  });
  return rows?.filter(({ status }) => status === decisions.approve.to).map((row) => toInboxItem(kind, row));
};

const readContracts = ({ api }: InboxSources, sheets: readonly InboxItem[]) =>
  fetchRelated({
    people: listDistinct(sheets.map(({ userId }) => userId)),
    whole: () => api.contracts.list({}),
    one: (userId) => api.contracts.list({ user_id: userId }),
  });

/** What could not be read, in words. */
const listUnseen = (
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
  const [leaves, sheets, requests] = [ofKind('leave'), ofKind('timesheet'), ofKind('time-request')];
  const [contracts, balances, approvedLeaves, approvedTimes] = await Promise.all([
    readContracts(sources, sheets),
    readBalances(sources, leaves),
    readApproved(sources, items, 'leave'),
    readApproved(sources, requests, 'time-request'),
    names.member.load(items.map(({ userId }) => userId)),
    names.policy.load(leaves.map(({ policyId }) => policyId)),
    names.project.load(requests.map(({ projectId }) => projectId)),
  ]);
  const waiting = groupBy(items, ({ userId }) => userId);
  const approved = groupBy([...(approvedLeaves ?? []), ...(approvedTimes ?? [])], ({ userId }) => userId);
  const contractsByPerson = groupBy(contracts ?? [], ({ user_id: id }) => id);
  const day = items.length === 0 ? '' : getToday(sources.clock.now(), sources.timeZone());
  return {
    unseen: listUnseen(contracts, balances, approvedLeaves, approvedTimes),
    of(item) {
      const id = toText(item.userId);
      const member = names.member.record(item.userId);
      const policy = item.policyId === null ? undefined : names.policy.record(item.policyId);
      return {
        today: day,
        waiting: waiting.get(id) ?? [],
        approved: approved.get(id) ?? [],
        weeklyLimit: findWeeklyLimit(member, contractsByPerson.get(id) ?? []),
        member,
        policy,
        balance: parseBalance(balances.get(yearOf(item) ?? '')?.get(id)?.[0], policy?.name),
      };
    },
  };
};
