import type { Api, ApiCall } from '../api/client.ts';
import { createFilterCheck } from '../api/filter-check.ts';
import type { Row } from '../api/page.ts';
import { StatusCheck } from '../api/status-check.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, EXIT, Failure } from '../outcome.ts';
import { leave } from '../resources/leave.ts';
import { decisions, findState, type Resource } from '../resources/resource.ts';
import { timeRequest } from '../resources/time-request.ts';
import { timesheet } from '../resources/timesheet.ts';
import { INBOX_KINDS, type InboxItem, type InboxKind, sortOldestFirst, toInboxItem } from './item.ts';

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

/** The kinds of which all that waits is read, with which the warnings can compare. */
const listComplete = ({ kinds, userIds, from, to }: InboxFilter, missing: readonly InboxKind[]) =>
  userIds === undefined && from === undefined && to === undefined
    ? kinds.filter((kind) => !missing.includes(kind))
    : [];

/** A list that could not be read. */
export interface UnreadList {
  /** Plural, for people. */
  readonly noun: string;
  readonly failure: Failure;
}

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

/** `timesheets` */
export const getPluralOf = (kind: InboxKind): string => SOURCES[kind].resource.words[1];

type Sources = Pick<Context, 'api' | 'lists'>;

type FoundItems = Pick<Inbox, 'items' | 'oddStates'>;

/** A server may ignore a filter: what is in another state can not be decided on. */
const fetchItems = async (
  { api, lists }: Sources,
  kind: InboxKind,
  filter: InboxFilter,
): Promise<FoundItems> => {
  const members = filter.userIds && new Set(filter.userIds.map(toText));
  const list = SOURCES[kind].list(api, SOURCES[kind].state, filter);
  const findIgnored = createFilterCheck(list);
  const statuses = new StatusCheck(list);
  const isMeant = (row: Row): boolean =>
    statuses.isKnown(row) && statuses.isAsked(row) && isWaiting(kind, row) && findIgnored(row) === undefined;
  const waiting = (await lists.rows(list)).filter(isMeant);
  const items = waiting
    .map((row) => toInboxItem(kind, row))
    .filter(({ userId }) => members?.has(toText(userId)) ?? true);
  return { items, oddStates: statuses.describe() };
};

/** An interrupt ends the run; any other failure leaves the other lists. */
const tryFetchItems = async (
  sources: Sources,
  kind: InboxKind,
  filter: InboxFilter,
): Promise<FoundItems | (UnreadList & { readonly kind: InboxKind })> => {
  try {
    return await fetchItems(sources, kind, filter);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
    return { kind, noun: SOURCES[kind].resource.words[1], failure: error };
  }
};

/** @throws the failure when no list could be read */
export const loadInbox = async (sources: Sources, filter: InboxFilter): Promise<Inbox> => {
  const kinds = INBOX_KINDS.filter((kind) => filter.kinds.includes(kind));
  const lists = await Promise.all(kinds.map((kind) => tryFetchItems(sources, kind, filter)));
  const missing = lists.filter((list) => 'failure' in list);
  const [first] = missing;
  if (first !== undefined && missing.length === kinds.length) throw first.failure;
  const read = lists.filter((list) => 'items' in list);
  const items = read.flatMap((list) => list.items);
  const complete = listComplete(
    filter,
    missing.map(({ kind }) => kind),
  );
  const oddStates = read.flatMap((list) => list.oddStates);
  return { items: sortOldestFirst(items), total: items.length, missing, oddStates, complete };
};

/** What to say of lists that are missing while the others are shown. */
export const describeUnread = ({ noun, failure }: UnreadList): string =>
  `${noun} are missing: ${failure.message}`;

/**
 * A part of the inbox must not pass for all of it.
 * @throws Failure (exit 8) when a list is missing
 */
export const requireWholeInbox = ({ missing }: Inbox): void => {
  const [first] = missing;
  if (first === undefined) return;
  const { message, reason, hint, details } = first.failure;
  throw new Failure(
    `The inbox is incomplete: ${missing.map(({ noun }) => noun).join(' and ')} could not be listed`,
    {
      code: 'partial',
      exit: EXIT.partial,
      reason: [message, reason].filter(Boolean).join('\n'),
      hint,
      details,
    },
  );
};
