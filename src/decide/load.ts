import type { Api, ApiCall } from '../api/client.ts';
import { APPROVED } from '../api/fields.ts';
import { type Lists, RowCheck } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import { findContractProblem, isRunning, type leave, type timesheet } from '../api/records.ts';
import type { Change } from '../changes/change.ts';
import { Cancelled, EXIT, Failure } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { getToday } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import {
  type ChangeWarnings,
  formatKind,
  getItemKey,
  getState,
  INBOX_KINDS,
  type InboxItem,
  type InboxKind,
  isApproved,
  isWaiting,
  parseBalance,
  type RowList,
  resourceOf,
  sortOldestFirst,
  toInboxItem,
  WAITING,
} from './item.ts';
import { countWarnings, hasDates, type InboxWarning, listWarnings, type WarningContext } from './warnings.ts';

/** All that waits, and what is known around it. A list that cannot be read does not keep the others from being shown. */

export interface UnreadList {
  readonly noun: string;
  readonly failure: Failure;
}

async function readRows(lists: Lists, calls: readonly ApiCall[]): Promise<readonly Row[] | Failure> {
  try {
    return (await Promise.all(calls.map((call) => lists.rows(call)))).flat();
  } catch (error) {
    return asFailure(error);
  }
}

export async function readLists<Name extends string>(
  { lists }: Pick<Run, 'lists'>,
  reads: Readonly<Record<Name, { readonly noun: string; readonly calls: readonly ApiCall[] }>>,
) {
  const names = Object.keys(reads) as Name[];
  const found = await Promise.all(names.map((name) => readRows(lists, reads[name].calls)));
  const rows = names.map((name, i) => [name, found[i] instanceof Failure ? undefined : found[i]]);
  const unread = names.flatMap((name, i): readonly UnreadList[] =>
    found[i] instanceof Failure ? [{ noun: reads[name].noun, failure: found[i] }] : [],
  );
  return { rows: Object.fromEntries(rows) as Readonly<Record<Name, readonly Row[] | undefined>>, unread };
}

/** @throws what is no answer of the service: an interrupt, a defect */
function asFailure(error: unknown): Failure {
  if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
  return error;
}

export function describeUnread({ noun, failure }: UnreadList): string {
  return `${noun} are missing: ${failure.message}`;
}

/**
 * A part must not pass for the whole.
 * @param what `the inbox`
 * @throws Failure (exit 8, or that of the first list) where a list could not be read
 */
export function requireAllRead(
  what: string,
  unread: readonly UnreadList[],
  { code, exit }: Pick<Failure, 'code' | 'exit'> = { code: 'partial', exit: EXIT.partial },
): void {
  if (unread[0] === undefined) return;
  const { hint, details } = unread[0].failure;
  const nouns = unread.map(({ noun }) => noun).join(' and ');
  const why = { code, exit, reason: unread[0].failure.tell('\n'), hint, details };
  throw new Failure(`${what} is incomplete: ${nouns} could not be read`, why);
}

interface User {
  readonly user_id?: number;
}

export const FEW_PEOPLE = 2;

/**
 * Rows about these people, perhaps about others too; none where the service refuses: whoever may decide may still not
 * see everything.
 * @param call the list of one of them, without an id that of everybody
 */
export async function readRelated(
  lists: Lists,
  people: readonly unknown[],
  call: (user: User) => ApiCall,
): Promise<RowList> {
  const isShared = people.length > FEW_PEOPLE || lists.has(call({}));
  const users = isShared ? [{}] : people.map((id) => ({ user_id: toNumber(id) as number }));
  const rows = people.length === 0 ? [] : await readRows(lists, users.map(call));
  return rows instanceof Failure ? { rows: [], problem: rows.message } : { rows };
}

export function groupBy<T>(
  rows: readonly T[],
  getId: (row: T) => unknown,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const id = toText(getId(row));
    const group = groups.get(id) ?? [];
    group.push(row);
    groups.set(id, group);
  }
  return groups;
}

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
export async function loadInbox(run: Pick<Run, 'api' | 'lists'>, filter: InboxFilter): Promise<Inbox> {
  const kinds = INBOX_KINDS.filter((kind) => filter.kinds.includes(kind));
  const calls = kinds.map((kind) => [kind, listInState(run.api, kind, WAITING[kind], filter)] as const);
  const reads = calls.map(([kind, call]) => [kind, { noun: resourceOf(kind).words[1], calls: [call] }]);
  const { rows, unread: missing } = await readLists(run, Object.fromEntries(reads));
  if (missing[0] !== undefined && missing.length === kinds.length) throw missing[0].failure;
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
  const ofMembers = items.filter(({ userId }) => members?.has(toText(userId)) ?? true);
  const complete = isUnfiltered({ ...filter, kinds: INBOX_KINDS })
    ? kinds.filter((kind) => rows[kind] !== undefined)
    : [];
  return { items: sortOldestFirst(ofMembers), missing, oddStates: oddStates.flat(), complete };
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

export function isUnfiltered({ kinds, userIds, from, to }: InboxFilter): boolean {
  return INBOX_KINDS.every((kind) => kinds.includes(kind)) && (userIds ?? from ?? to) === undefined;
}

export interface PendingItem {
  readonly item: InboxItem;
  readonly around: WarningContext;
  readonly warnings: readonly InboxWarning[];
  /** Since it waits; null where the service does not tell since when. */
  readonly seconds: number | null;
}

type Sources = Pick<Run, 'api' | 'lists' | 'names' | 'clock' | 'timeZone'>;

interface PendingScope {
  /** Kinds of which the items are all that wait. Of the others those of the same days are read too. */
  readonly complete: readonly InboxKind[];
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
  const distinct = [...new Map([...known, ...waiting].map((item) => [getItemKey(item), item])).values()];
  const [approvedByUser, waitingByUser, dateless] = [
    approved,
    past ? [] : distinct,
    // One of them may lie over any other of the person.
    [...approved, ...distinct].filter((one) => !hasDates(one)),
  ].map((all) => groupBy(all, getUser));
  const findUnread = (item: InboxItem, hasBalance: boolean): string | undefined => {
    const lists = unread.filter(({ kinds }) => kinds.includes(item.kind)).map(({ name }) => name);
    if (lists.length > 0) return `${[...new Set(lists)].sort().join(' and ')} could not be read`;
    if (names.member.record(item.userId) === undefined) return 'its member is unknown';
    const [other] = dateless?.get(toText(item.userId)) ?? [];
    if (other !== undefined && hasDates(item))
      return `the dates of ${formatKind(other.kind)} ${other.id} cannot be read`;
    if (item.kind !== 'leave') return undefined;
    if (names.policy.record(item.policyId) === undefined) return 'its policy is unknown';
    return past && hasBalance ? 'the balance of that day is not known' : undefined;
  };
  return items.map((item): PendingItem => {
    const user = toText(item.userId);
    const member = names.member.record(item.userId);
    const policy = item.policyId === null ? undefined : names.policy.record(item.policyId);
    const own = contractsByUser.get(user) ?? [];
    const ofYear = balances.get(getYear(item));
    const balance = ofYear && findBalance(ofYear.get(user)?.[0], policy?.name);
    const around: WarningContext = {
      today: past && item.since !== null ? getToday(item.since, timeZone()) : today,
      waiting: waitingByUser?.get(user) ?? [],
      approved: approvedByUser?.get(user) ?? [],
      weeklyLimit: findWeeklyLimit(member, own),
      ...{ member, policy, contracts: { ...contracts, rows: own } },
      balance: past ? undefined : balance,
      unread: findUnread(item, balance != null),
    };
    // Found at the first look: of thousands of items a screen shows a few.
    const warnings = lazy(() => listWarnings(item, around));
    return {
      item,
      around,
      seconds: item.since === null ? null : Math.max(0, Math.floor((now - item.since) / 1000)),
      get warnings() {
        return warnings();
      },
    };
  });
}

const LOOKED_AT_BY: Readonly<Record<InboxKind, readonly InboxKind[]>> = {
  timesheet: ['timesheet', 'leave'],
  leave: INBOX_KINDS,
  'time-request': ['time-request'],
};

async function readAround(
  { api, lists, names }: Sources,
  items: readonly InboxItem[],
  { complete, past = false }: PendingScope,
) {
  /** The lists that warnings of these kinds rest on and that could not be read. */
  const unread: { readonly name: string; readonly kinds: readonly InboxKind[] }[] = [];
  /** @param findProblem of a record of which nobody can say whether it counts, or for whom */
  const read = async (
    name: string,
    kinds: readonly InboxKind[],
    of: readonly InboxItem[],
    call: Parameters<typeof readRelated>[2],
    findProblem: (row: Row) => string | undefined = () => undefined,
  ): Promise<RowList> => {
    const people = new Map(of.flatMap(({ userId: id }) => (id == null ? [] : [[toText(id), id]])));
    const list = await readRelated(lists, [...people.values()], call);
    const problem = list.problem ?? list.rows.map(findProblem).find((one) => one !== undefined);
    if (problem === undefined) return list;
    unread.push({ name, kinds });
    return { ...list, problem };
  };
  const ofKinds = (kinds: readonly InboxKind[]) => items.filter(({ kind }) => kinds.includes(kind));
  const readApproved = async (kind: 'leave' | 'time-request', kinds: readonly InboxKind[]) => {
    const of = ofKinds(kinds);
    const call = (user: User) => listAround(api, kind, APPROVED, of, user);
    const findProblem = (row: Row): string | undefined => {
      if (getState(kind, row) === undefined) return 'its status cannot be read';
      return isApproved(kind, row) && row.user_id == null ? 'its member cannot be read' : undefined;
    };
    const name = `approved ${kind === 'leave' ? 'leaves' : 'time requests'}`;
    const { rows } = await read(name, kinds, of, call, findProblem);
    return rows.filter((row) => isApproved(kind, row)).map((row) => toInboxItem(kind, row));
  };
  const readBalances = async (year: string) => {
    const days = { date_from: `${year}-01-01`, date_to: `${year}-12-31` };
    const ofYear = ofKinds(['leave']).filter((leave) => getYear(leave) === year);
    const call = (user: object) => api.leaves.balances({ ...days, ...user });
    const { rows } = await read('leave balances', ['leave'], ofYear, call);
    return [year, groupBy(rows, (row) => row.user_id)] as const;
  };
  const readWaiting = async (kind: InboxKind) => {
    const kinds = LOOKED_AT_BY[kind];
    const looking = ofKinds(kinds);
    // The list of timesheets is the same whoever it is asked for.
    const people = kind === 'timesheet' ? looking.slice(0, 1) : looking;
    const name = `${resourceOf(kind).words[1]} that are waiting`;
    const call = (user: User) => listAround(api, kind, WAITING[kind], looking, user);
    const { rows } = await read(name, kinds, people, call);
    return rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
  };
  const years = [...new Set(ofKinds(['leave']).map(getYear))].filter(Boolean);
  const others = INBOX_KINDS.filter((kind) => !past && !complete.includes(kind));
  const [contracts, leaves, times, balances, waiting] = await Promise.all([
    read(
      'weekly limits of contracts',
      ['timesheet'],
      ofKinds(['timesheet']),
      (user) => api.contracts.list(user),
      findContractProblem,
    ),
    readApproved('leave', INBOX_KINDS),
    readApproved('time-request', ['time-request']),
    Promise.all(years.map(readBalances)),
    Promise.all(others.map(readWaiting)),
    names.member.load(items.map(getUser)),
    names.policy.load(items.map(({ policyId }) => policyId)),
    names.project.load(items.map(({ projectId }) => projectId)),
  ]);
  const approved = [...leaves, ...times];
  return { contracts, balances: new Map(balances), approved, waiting: waiting.flat(), unread };
}

/** What is in a state on the days of these items, whoever it is of. */
export function listAround(
  api: Api,
  kind: InboxKind,
  state: Parameters<typeof listInState>[2],
  items: readonly InboxItem[],
  { user_id: id }: User = {},
): ApiCall {
  const from = items.flatMap((item) => item.from ?? []).sort()[0] ?? '9999-12-31';
  const to =
    items
      .flatMap((item) => item.to ?? [])
      .sort()
      .at(-1) ?? '0000-01-01';
  return listInState(api, kind, state, { from, to, userIds: id === undefined ? undefined : [id] });
}

function getUser({ userId }: InboxItem): unknown {
  return userId;
}

function getYear({ from }: InboxItem): string {
  return from?.slice(0, 4) ?? '';
}

const WEEK_HOURS = 168;

/** Hours a week; undefined: no limit; null: the record does not say it, or not so that it can be read. */
export function readLimit({ weekly_hours_limit: value }: Row): number | null | undefined {
  if (value === null) return undefined;
  const hours = toNumber(value);
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

/** Every member has a row; a policy need not be in it. */
function findBalance(row: Row | undefined, policy: unknown): WarningContext['balance'] {
  const information = row?.leave_information;
  if (!Array.isArray(information)) return null;
  const entry = information.find((one) => one?.leave_type === policy && policy != null);
  return entry && (parseBalance(entry.balance) ?? null);
}

const NOT_WAITING: InboxWarning = { code: 'not_checked', text: 'not checked: it is not waiting' };

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
    const warnings = changes.map(({ key }) => byId.get(key)?.warnings ?? [NOT_WAITING]);
    const rows = changes.map(({ key }) => byId.get(key)?.item.record);
    const clean = warnings.filter(({ length }) => length === 0).length;
    const summary = [clean > 0 && `${clean} clean`, ...countWarnings(warnings)].filter(Boolean).join(', ');
    return { warnings, rows, summary };
  } catch (error) {
    const { message } = asFailure(error);
    return { warnings: [], rows: [], summary: `The warnings could not be read: ${message}` };
  }
}
