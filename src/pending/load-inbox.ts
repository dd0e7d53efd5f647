import type { Api, ApiCall } from '../api/client.ts';
import { createFilterCheck } from '../api/filter-check.ts';
import type { Row } from '../api/page.ts';
import { StatusCheck } from '../api/status-check.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { leave } from '../resources/leave.ts';
import { decisions, findState, type Resource } from '../resources/resource.ts';
import { timeRequest } from '../resources/time-request.ts';
import { timesheet } from '../resources/timesheet.ts';
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

interface Source {
  readonly resource: Resource;
  /** The state that waits. */
  readonly state: string;
  readonly list: (api: Api, status: string, filter: Omit<InboxFilter, 'kinds'>) => ApiCall<Row>;
}

const toDateRange = ({ from, to }: Omit<InboxFilter, 'kinds'>) => ({ date_from: from, date_to: to });

/** The service can be asked for one. */
const toMember = ({ userIds }: Omit<InboxFilter, 'kinds'>) =>
  userIds?.length === 1 ? { user_id: userIds[0] } : {};

type SheetState = (typeof timesheet.states)[number];
type DecisionState = (typeof leave.states)[number];

const SOURCES: Readonly<Record<InboxKind, Source>> = {
  timesheet: {
    resource: timesheet,
    state: timesheet.transitions.approve.from,
    // The list has no filter by member.
    list: (api, status, filter) =>
      api.timesheets.list({ status: status as SheetState, ...toDateRange(filter) }),
  },
  leave: {
    resource: leave,
    state: decisions.approve.from,
    list: (api, status, filter) =>
      api.leaves.list({ status: status as DecisionState, ...toDateRange(filter), ...toMember(filter) }),
  },
  'time-request': {
    resource: timeRequest,
    state: decisions.approve.from,
    list: (api, status, filter) =>
      api.timeRequests.list({ status: status as DecisionState, ...toDateRange(filter), ...toMember(filter) }),
  },
};

/** What of a kind people have decided so: `approved`. A server may ignore a filter: others can be among it. */
export const listInState = (
  api: Api,
  kind: InboxKind,
  status: SheetState & DecisionState,
  filter: Omit<InboxFilter, 'kinds'>,
): ApiCall<Row> => SOURCES[kind].list(api, status, filter);

/** What waits of a kind, as the service lists it. A server may ignore a filter: others can be among it. */
export const listWaiting = (api: Api, kind: InboxKind, filter: Omit<InboxFilter, 'kinds'>): ApiCall<Row> =>
  SOURCES[kind].list(api, SOURCES[kind].state, filter);

/** The state that a record is in; undefined where it says none that is known. */
export const getState = (kind: InboxKind, row: Row): string | undefined =>
  findState(SOURCES[kind].resource, row);

/** Whether a record waits. */
export const isWaiting = (kind: InboxKind, row: Row): boolean => getState(kind, row) === SOURCES[kind].state;

export const isApproved = (kind: InboxKind, row: Row): boolean =>
  getState(kind, row) === decisions.approve.to;

export const resourceOf = (kind: InboxKind): Resource => SOURCES[kind].resource;

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
