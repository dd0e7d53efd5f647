import type { Api, ApiCall } from '../api/client.ts';
import { decisions, findState, type RecordFacts } from '../api/fields.ts';
import { createFilterCheck } from '../api/filter-check.ts';
import type { Row } from '../api/page.ts';
import { leave, timeRequest, timesheet } from '../api/records.ts';
import { StatusCheck } from '../api/status-check.ts';
import type { Context } from '../context.ts';
import { toText } from '../json.ts';
import { INBOX_KINDS, type InboxItem, type InboxKind, sortOldestFirst, toInboxItem } from './item.ts';
import { readLists, type UnreadList } from './read-lists.ts';

/** All that waits, from the lists of the service side by side. */

/** What of it is wanted. */
export interface InboxFilter {
  readonly kinds: readonly InboxKind[];
  /** Of these members only. */
  readonly userIds?: readonly number[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Whether all is wanted. */
export const isUnfiltered = ({ kinds, userIds, from, to }: InboxFilter): boolean =>
  INBOX_KINDS.every((kind) => kinds.includes(kind)) &&
  [userIds, from, to].every((value) => value === undefined);

/** What is said where there is nothing: the same in a pipe and on a terminal. */
export const describeEmptyInbox = (filter: InboxFilter): string =>
  isUnfiltered(filter)
    ? 'Nothing is waiting for a decision.'
    : 'No matching request is waiting for a decision.';

export interface Inbox {
  /** The oldest first. */
  readonly items: readonly InboxItem[];
  /** How many there are, `--limit` aside. */
  readonly total: number;
  readonly missing: readonly UnreadList[];
  /** What is in a state that nobody knows, or asked for, in words. */
  readonly oddStates: readonly string[];
  /** Kinds of which the items are all that wait. */
  readonly complete: readonly InboxKind[];
}

const RESOURCES: Readonly<Record<InboxKind, RecordFacts>> = { timesheet, leave, 'time-request': timeRequest };

export const resourceOf = (kind: InboxKind): RecordFacts => RESOURCES[kind];

type SheetState = (typeof timesheet.states)[number];
type DecisionState = (typeof leave.states)[number];

const WAITING = { timesheet: 'submitted', leave: 'pending', 'time-request': 'pending' } as const;

/** Records of a kind in a state, as the service lists them. A server may ignore a filter: others can be among them. */
export const listInState = (
  api: Api,
  kind: InboxKind,
  status: DecisionState | SheetState,
  { userIds, from, to }: Omit<InboxFilter, 'kinds'>,
): ApiCall<Row> => {
  const days = { date_from: from, date_to: to };
  // The list of timesheets has no filter by member; the others can be asked for one.
  if (kind === 'timesheet') return api.timesheets.list({ ...days, status: status as SheetState });
  const user = userIds?.length === 1 ? { user_id: userIds[0] } : {};
  const filters = { status: status as DecisionState, ...days, ...user };
  return kind === 'leave' ? api.leaves.list(filters) : api.timeRequests.list(filters);
};

/** What waits of a kind. */
export const listWaiting = (api: Api, kind: InboxKind, filter: Omit<InboxFilter, 'kinds'>): ApiCall<Row> =>
  listInState(api, kind, WAITING[kind], filter);

/** The state that a record is in; undefined where it says none that is known. */
export const getState = (kind: InboxKind, row: Row): string | undefined => findState(resourceOf(kind), row);

/** Whether a record waits. */
export const isWaiting = (kind: InboxKind, row: Row): boolean => getState(kind, row) === WAITING[kind];

export const isApproved = (kind: InboxKind, row: Row): boolean =>
  getState(kind, row) === decisions.approve.to;

type Sources = Pick<Context, 'api' | 'lists'>;

/** @throws the failure when no list could be read */
export const loadInbox = async ({ api, lists }: Sources, filter: InboxFilter): Promise<Inbox> => {
  const { userIds, from, to } = filter;
  const kinds = INBOX_KINDS.filter((kind) => filter.kinds.includes(kind));
  const calls = kinds.map((kind) => listWaiting(api, kind, filter));
  const reads = kinds.map((kind, i) => [kind, { noun: resourceOf(kind).words[1], calls: [calls[i]] }]);
  const { rows, unread } = await readLists({ lists }, Object.fromEntries(reads));
  if (unread[0] !== undefined && unread.length === kinds.length) throw unread[0].failure;
  const members = userIds && new Set(userIds.map(toText));
  const oddStates: (readonly string[])[] = [];
  const items = kinds.flatMap((kind, i) => {
    const call = calls[i];
    if (call === undefined) return [];
    const findIgnored = createFilterCheck(call);
    const statuses = new StatusCheck(call);
    // A server may ignore a filter: what is in another state cannot be decided on.
    const waiting = (rows[kind] ?? []).filter(
      (row) =>
        statuses.isKnown(row) &&
        statuses.isAsked(row) &&
        isWaiting(kind, row) &&
        findIgnored(row) === undefined,
    );
    oddStates.push(statuses.describe());
    return waiting
      .map((row) => toInboxItem(kind, row))
      .filter(({ userId }) => members?.has(toText(userId)) ?? true);
  });
  const isAll = [userIds, from, to].every((value) => value === undefined);
  return {
    items: sortOldestFirst(items),
    total: items.length,
    missing: unread,
    oddStates: oddStates.flat(),
    complete: isAll ? kinds.filter((kind) => rows[kind] !== undefined) : [],
  };
};
