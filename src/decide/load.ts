import type { Api, ApiCall } from '../api/client.ts';
import { APPROVED } from '../api/fields.ts';
import { RowCheck } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import { findContractProblem, isRunning, type leave, type timesheet } from '../api/records.ts';
import type { Change } from '../changes/change.ts';
import { toNumber, toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { getToday } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import {
  type ChangeWarnings,
  getItemKey,
  getState,
  INBOX_KINDS,
  type InboxItem,
  type InboxKind,
  isApproved,
  isWaiting,
  resourceOf,
  sortOldestFirst,
  toInboxItem,
  WAITING,
} from './item.ts';
import { asFailure, groupBy, type RowList, readLists, readRelated, type UnreadList } from './lists.ts';
import {
  hasDates,
  type InboxWarning,
  listWarnings,
  summarizeWarnings,
  type WarningContext,
} from './warnings.ts';

/** All that waits, and what is known around it: people, limits, balances, what was approved before. */

export interface InboxFilter {
  readonly kinds: readonly InboxKind[];
  readonly userIds?: readonly number[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface Inbox {
  readonly items: readonly InboxItem[];
  readonly missing: readonly UnreadList[];
  /** What is in a state that nobody knows, or asked for, in words. */
  readonly oddStates: readonly string[];
  /** Kinds of which the items are all that wait. */
  readonly complete: readonly InboxKind[];
}

/** @throws the failure when no list could be read */
export async function loadInbox(
  { api, lists }: Pick<Run, 'api' | 'lists'>,
  filter: InboxFilter,
): Promise<Inbox> {
  const kinds = INBOX_KINDS.filter((kind) => filter.kinds.includes(kind));
  const calls = kinds.map((kind) => [kind, listInState(api, kind, WAITING[kind], filter)] as const);
  const reads = calls.map(([kind, call]) => [kind, { noun: resourceOf(kind).words[1], calls: [call] }]);
  const { rows, unread } = await readLists({ lists }, Object.fromEntries(reads));
  if (unread[0] !== undefined && unread.length === kinds.length) throw unread[0].failure;
  const members = filter.userIds && new Set(filter.userIds.map(toText));
  const oddStates: (readonly string[])[] = [];
  const items = calls.flatMap(([kind, call]) => {
    const check = new RowCheck(call);
    // A server may ignore a filter: what is in another state cannot be decided on.
    const waiting = (rows[kind] ?? []).filter(
      (row) => check.hasStatus(row) && isWaiting(kind, row) && check.fits(row),
    );
    oddStates.push(check.describe());
    return waiting.map((row) => toInboxItem(kind, row));
  });
  return {
    items: sortOldestFirst(items.filter(({ userId }) => members?.has(toText(userId)) ?? true)),
    missing: unread,
    oddStates: oddStates.flat(),
    complete: isOfAll(filter) ? kinds.filter((kind) => rows[kind] !== undefined) : [],
  };
}

/** Records of a kind in a state, as the service lists them. A server may ignore a filter: others can be among them. */
export function listInState(
  api: Api,
  kind: InboxKind,
  status: (typeof timesheet.states)[number] | (typeof leave.states)[number],
  { userIds, from, to }: Omit<InboxFilter, 'kinds'>,
): ApiCall {
  const days = { date_from: from, date_to: to };
  // The list of timesheets has no filter by member; the others can be asked for one.
  if (kind === 'timesheet')
    return api.timesheets.list({ ...days, status: status as (typeof timesheet.states)[number] });
  const user = userIds?.length === 1 ? { user_id: userIds[0] } : {};
  const filters = { status: status as (typeof leave.states)[number], ...days, ...user };
  return kind === 'leave' ? api.leaves.list(filters) : api.timeRequests.list(filters);
}

export function isUnfiltered(filter: InboxFilter): boolean {
  return INBOX_KINDS.every((kind) => filter.kinds.includes(kind)) && isOfAll(filter);
}

function isOfAll({ userIds, from, to }: InboxFilter): boolean {
  return [userIds, from, to].every((value) => value === undefined);
}

export interface PendingItem {
  readonly item: InboxItem;
  readonly around: WarningContext;
  readonly warnings: readonly InboxWarning[];
  /** Since it waits; null where the service does not tell since when. */
  readonly seconds: number | null;
}

type Sources = Pick<Run, 'api' | 'lists' | 'names' | 'clock' | 'timeZone'>;

export interface PendingScope {
  /** Kinds of which the items are all that wait. Of the others those of the same days are read too. */
  readonly complete: readonly InboxKind[];
  /** All that is known to wait; default: the items. */
  readonly waiting?: readonly InboxItem[];
  /** They are decided already: nothing is said of what else waited then, or of the balance. */
  readonly past?: boolean;
}

/** What may not be seen is left out: it is a warning of the items that rest on it. */
export async function loadPending(
  sources: Sources,
  items: readonly InboxItem[],
  scope: PendingScope,
): Promise<readonly PendingItem[]> {
  if (items.length === 0) return [];
  const { names, clock, timeZone } = sources;
  const { waiting: known = items, past = false } = scope;
  const { contracts, balances, approved, waiting, unread } = await readAround(sources, items, scope);
  const now = clock.now();
  const today = getToday(now, timeZone());
  const contractsByUser = groupBy(contracts.rows, ({ user_id: id }) => id);
  const balancesByYear = new Map(
    [...balances].map(([year, { rows }]) => [year, groupBy(rows, (row) => row.user_id)]),
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
    const lists = unread.filter(({ kinds }) => kinds.includes(item.kind)).map(({ name }) => name);
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
    const ofYear = balancesByYear.get(getYear(item));
    const balance = ofYear && parseBalance(ofYear.get(user)?.[0], policy?.name);
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
}

/** Whose warnings look at the others of a kind that wait. */
const LOOKED_AT_BY: Readonly<Record<InboxKind, readonly InboxKind[]>> = {
  timesheet: ['timesheet', 'leave'],
  leave: INBOX_KINDS,
  'time-request': ['time-request'],
};

/** Reads all of it side by side, each list once for all people, or one by one for few. */
async function readAround(
  { api, lists, names }: Sources,
  items: readonly InboxItem[],
  { complete, past = false }: PendingScope,
) {
  const read = (of: readonly InboxItem[], call: Parameters<typeof readRelated>[2]) => {
    const ids = of.map(getUser).filter((id) => id != null);
    return readRelated(lists, [...new Map(ids.map((id) => [toText(id), id])).values()], call);
  };
  const ofKinds = (kinds: readonly InboxKind[]) => items.filter(({ kind }) => kinds.includes(kind));
  const readApproved = async (kind: 'leave' | 'time-request', of: readonly InboxItem[]) =>
    checkRecords(await read(of, (user) => listApproved(api, kind, of, user)), (row) => {
      if (getState(kind, row) === undefined) return 'its status cannot be read';
      return isApproved(kind, row) && row.user_id == null ? 'its member cannot be read' : undefined;
    });
  const readBalances = (year: string) => {
    const days = { date_from: `${year}-01-01`, date_to: `${year}-12-31` };
    const ofYear = ofKinds(['leave']).filter((leave) => getYear(leave) === year);
    return read(ofYear, (user) => api.leaves.balances({ ...days, ...user }));
  };
  const readWaiting = (kind: InboxKind) => {
    const looking = ofKinds(LOOKED_AT_BY[kind]);
    const { date_from: from, date_to: to } = getDateRange(looking);
    // The list of timesheets is the same whoever it is asked for.
    const people = kind === 'timesheet' ? looking.slice(0, 1) : looking;
    return read(people, ({ user_id: id }) =>
      listInState(api, kind, WAITING[kind], { from, to, userIds: id === undefined ? undefined : [id] }),
    );
  };
  const years = [...new Set(ofKinds(['leave']).map(getYear))].filter(Boolean);
  const others = INBOX_KINDS.filter((kind) => !past && !complete.includes(kind));
  const [contracts, leaves, times, balances, waiting] = await Promise.all([
    read(ofKinds(['timesheet']), (user) => api.contracts.list(user)),
    readApproved('leave', items),
    readApproved('time-request', ofKinds(['time-request'])),
    Promise.all(years.map(async (year) => [year, await readBalances(year)] as const)),
    Promise.all(others.map(async (kind) => [kind, await readWaiting(kind)] as const)),
    names.member.load(items.map(({ userId }) => userId)),
    names.policy.load(items.map(({ policyId }) => policyId)),
    names.project.load(items.map(({ projectId }) => projectId)),
  ]);
  /** What the warnings of which kinds rest on. */
  const checked: readonly (readonly [name: string, kinds: readonly InboxKind[], list: RowList])[] = [
    ['weekly limits of contracts', ['timesheet'], checkRecords(contracts, findContractProblem)],
    ...balances.map(([, list]) => ['leave balances', ['leave'], list] as const),
    ['approved leaves', INBOX_KINDS, leaves],
    ['approved time requests', ['time-request'], times],
    ...waiting.map(
      ([kind, list]) => [`${resourceOf(kind).words[1]} that are waiting`, LOOKED_AT_BY[kind], list] as const,
    ),
  ];
  const toItems = (kind: InboxKind, isMeant: typeof isWaiting, { rows }: RowList) =>
    rows.filter((row) => isMeant(kind, row)).map((row) => toInboxItem(kind, row));
  return {
    contracts,
    balances,
    approved: [...toItems('leave', isApproved, leaves), ...toItems('time-request', isApproved, times)],
    waiting: waiting.flatMap(([kind, list]) => toItems(kind, isWaiting, list)),
    unread: checked.flatMap(([name, kinds, { problem }]) => (problem === undefined ? [] : [{ name, kinds }])),
  };
}

/** Approved ones of the days of the items. @param more filters */
export function listApproved(
  api: Api,
  kind: 'leave' | 'time-request',
  items: readonly InboxItem[],
  more: { readonly user_id?: number } = {},
): ApiCall {
  const { list } = kind === 'leave' ? api.leaves : api.timeRequests;
  return list({ status: APPROVED, ...more, ...getDateRange(items) });
}

/** A record of which nobody can say whether it counts, or for whom, makes the list one that could not be read. */
function checkRecords(list: RowList, findProblem: (row: Row) => string | undefined): RowList {
  const problem = list.rows.map(findProblem).find((one) => one !== undefined);
  return problem === undefined ? list : { ...list, problem };
}

function getUser({ userId }: InboxItem): unknown {
  return userId;
}

function getDateRange(items: readonly InboxItem[]) {
  const from = items.flatMap((item) => item.from ?? []).sort();
  const to = items.flatMap((item) => item.to ?? []).sort();
  return { date_from: from[0] ?? '9999-12-31', date_to: to.at(-1) ?? '0000-01-01' };
}

function getYear({ from }: InboxItem): string {
  return from?.slice(0, 4) ?? '';
}

const WEEK_HOURS = 168;

/** Hours a week; undefined: no limit; null: the record does not say it, or not so that it can be read. */
export function readLimit({ weekly_hours_limit: value }: Row): number | null | undefined {
  if (value === null) return undefined;
  const hours = Number(toNumber(value));
  if (!(hours >= 0)) return null;
  return hours > 0 && hours < WEEK_HOURS ? hours : undefined;
}

/** The person's own limit, or what all contracts together allow, whichever is less. */
function findWeeklyLimit(member: Row | undefined, contracts: readonly Row[]): WarningContext['weeklyLimit'] {
  const own = member && readLimit(member);
  const limits = contracts.filter(isRunning).map(readLimit);
  if (own === null || limits.includes(null)) return null;
  if (limits.length === 0 || limits.includes(undefined)) return own;
  const together = limits.reduce<number>((sum, limit) => sum + (limit ?? 0), 0);
  return Math.min(own ?? together, together);
}

/** Of `10 days`. Every member has a row; a policy need not be in it. */
function parseBalance(row: Row | undefined, policy: unknown): WarningContext['balance'] {
  const information = row?.leave_information;
  if (!Array.isArray(information)) return null;
  const entry = information.find((one) => one?.leave_type === policy && policy != null);
  if (entry === undefined) return undefined;
  const [, amount, unit] = /^(-?\d{1,15}(?:\.\d+)?) *([dh])/i.exec(toText(entry.balance)) ?? [];
  if (amount === undefined) return null;
  return { amount: Number(amount), unit: unit?.toLowerCase() === 'h' ? 'hours' : 'days' };
}

const NOT_WAITING: readonly InboxWarning[] = [
  { code: 'not_checked', text: 'not checked: it is not waiting' },
];

/** The warnings of many decisions before they are sent. What may not be read costs the warnings, not the decision. */
export async function findWarnings(
  run: Run,
  kind: InboxKind,
  changes: readonly Change[],
): Promise<ChangeWarnings> {
  // The records as `--all` has read them, else those of all that wait.
  const read = async () => {
    const rows = changes.map(({ before }) => before).filter((row) => row !== undefined);
    if (rows.length === changes.length) {
      const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
      return loadPending(run, items, { complete: [] });
    }
    const { items, complete } = await loadInbox(run, { kinds: [kind] });
    const ids = new Set(changes.map(({ key }) => key));
    const meant = items.filter(({ id }) => ids.has(id));
    return loadPending(run, meant, { complete, waiting: items });
  };
  try {
    const pending = await run.watch.during(() => 'reading the warnings', read);
    const byId = new Map(pending.map((one) => [one.item.id, one]));
    const warnings = changes.map(({ key }) => byId.get(key)?.warnings ?? NOT_WAITING);
    const rows = changes.map(({ key }) => byId.get(key)?.item.record);
    return { warnings, rows, summary: summarizeWarnings(warnings) };
  } catch (error) {
    const { message } = asFailure(error);
    return { warnings: [], rows: [], summary: `The warnings could not be read: ${message}` };
  }
}
