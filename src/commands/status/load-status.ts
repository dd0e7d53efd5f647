import type { Row } from '../../api/page.ts';
import { isApprovedLeave } from '../../close/calendar.ts';
import { sortFindings } from '../../close/finding.ts';
import type { Person } from '../../close/records.ts';
import { toCloseRecords, toPerson } from '../../close/records.ts';
import { findSheetFindings } from '../../close/sheets.ts';
import { listUnreadable } from '../../close/unreadable.ts';
import { createCloseView } from '../../close/view.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { type DayPeriod, getToday, parsePeriod } from '../../parsing/calendar.ts';
import { loadInboxContext } from '../../pending/inbox-context.ts';
import { INBOX_KINDS, type InboxItem } from '../../pending/item.ts';
import { type Inbox, loadInbox, type UnreadList } from '../../pending/load-inbox.ts';
import { listPendingItems, type PendingItem } from '../../pending/pending-item.ts';
import { contract } from '../../resources/contract.ts';
import { createNamer } from '../../resources/kinds.ts';
import { leave } from '../../resources/leave.ts';
import { member } from '../../resources/member.ts';
import { decisions } from '../../resources/resource.ts';
import { timesheet } from '../../resources/timesheet.ts';
import { readLists, toPartlyUnread } from '../read-lists.ts';

/** What the status is made of, each list read once. */

/** Somebody on approved leave. */
export interface Absence extends Person {
  readonly from: string;
  readonly to: string;
}

export interface Status {
  readonly today: string;
  readonly lastWeek: DayPeriod;
  readonly thisWeek: DayPeriod;
  readonly pending: readonly PendingItem[];
  /** Undefined: it could not be found out. */
  readonly notSubmitted: readonly Person[] | undefined;
  readonly absences: readonly Absence[] | undefined;
  readonly unread: readonly UnreadList[];
  /** What is in a state that nobody knows, or asked for, in words. */
  readonly oddStates: readonly string[];
  /** What no warning could be had of, for people. */
  readonly unchecked: readonly string[];
  /** Whether it is known of all that waits whether there are warnings. */
  readonly isChecked: boolean;
  /** The name of a person, told apart from others. */
  readonly getName: (id: unknown, name: unknown) => string;
}

/** All days that are asked about: of last week, of this week, of what waits. */
const spanDays = (items: readonly InboxItem[], first: DayPeriod, last: DayPeriod) => ({
  date_from: items.map(({ from }) => from ?? first.from).reduce((a, b) => (a < b ? a : b), first.from),
  date_to: items.map(({ to }) => to ?? last.to).reduce((a, b) => (a > b ? a : b), last.to),
});

const NOUNS = {
  members: member.words[1],
  contracts: contract.words[1],
  timesheets: `${timesheet.words[1]} of last week`,
  leaves: `approved ${leave.words[1]}`,
} as const;

const readLastWeek = (context: Context, { from, to }: DayPeriod) =>
  readLists(context, {
    members: { noun: NOUNS.members, calls: [context.api.members.list({})] },
    contracts: { noun: NOUNS.contracts, calls: [context.api.contracts.list({})] },
    timesheets: {
      noun: NOUNS.timesheets,
      calls: [context.api.timesheets.list({ date_from: from, date_to: to })],
    },
  });

type Lists = Readonly<Record<'members' | 'contracts' | 'timesheets' | 'leaves', readonly Row[] | undefined>>;

/** What the inbox would warn about. */
const loadPending = async (context: Context, { items, complete, missing }: Inbox) => {
  const inboxContext = await loadInboxContext(context, items, { complete });
  const pending = listPendingItems(items, inboxContext, context.clock.now());
  const isUnknown = ({ warnings, unchecked }: PendingItem): boolean =>
    warnings.length === 0 && unchecked !== undefined;
  return {
    pending,
    unchecked: inboxContext.unchecked,
    isChecked: missing.length === 0 && !pending.some(isUnknown),
  };
};

type Days = Pick<Status, 'today' | 'lastWeek' | 'thisWeek'>;

/** Weekly limits do not matter for who has not submitted, nor for who is away. */
const withoutLimit = ({ weekly_hours_limit: _, ...row }: Row): Row => row;

/** Records that would be left out, and nobody would know what was submitted. */
const findUnreadable = (lists: Lists, { today, lastWeek, thisWeek }: Days, timeZone: string) =>
  listUnreadable(
    { ...lists, members: lists.members?.map(withoutLimit) },
    { period: { from: lastWeek.from, to: thisWeek.to }, today, timeZone, members: undefined },
  );

const findNotSubmitted = (context: Context, lists: Lists, { today, lastWeek }: Days) => {
  const { members, timesheets, leaves } = lists;
  if (members === undefined || timesheets === undefined || leaves === undefined) return undefined;
  const scope = { period: lastWeek, today, timeZone: context.timeZone(), members: undefined };
  const others = { timeRequests: [], expenses: [], balances: [], policies: [] };
  const findings = sortFindings(
    findSheetFindings(createCloseView({ ...lists, ...others }, scope, context.commandLine)),
  );
  const open = findings.filter(({ code }) => code === 'no_timesheet' || code === 'not_submitted');
  return [...new Map(open.map(({ member: person }) => [toText(person.id), person])).values()];
};

const findAbsences = ({ leaves, members }: Lists, { today, thisWeek }: Days, timeZone: string) => {
  if (leaves === undefined) return undefined;
  const people = new Map((members ?? []).map((row) => [toText(row.id), row]));
  return toCloseRecords('leave', leaves, { period: thisWeek, today, timeZone, members: undefined })
    .filter(isApprovedLeave)
    .map(({ userId, from, to }): Absence => {
      const person = toPerson(people.get(toText(userId)) ?? { id: userId });
      return { ...person, from, to };
    });
};

/** @throws the failure when nothing of it can be read */
export const loadStatus = async (context: Context): Promise<Status> => {
  const timeZone = context.timeZone();
  const today = getToday(context.clock.now(), timeZone);
  const [lastWeek, thisWeek] = [parsePeriod('last-week', () => today), parsePeriod('this-week', () => today)];
  const days = { today, lastWeek, thisWeek };
  const [inbox, read] = await Promise.all([
    loadInbox(context, { kinds: INBOX_KINDS }),
    readLastWeek(context, lastWeek),
  ]);
  const leaves = await readLists(context, {
    leaves: {
      noun: NOUNS.leaves,
      calls: [
        context.api.leaves.list({
          status: decisions.approve.to,
          ...spanDays(inbox.items, lastWeek, thisWeek),
        }),
      ],
    },
  });
  const lists: Lists = { ...read.lists, ...leaves.lists };
  const unreadable = findUnreadable(lists, days, timeZone);
  return {
    ...days,
    ...(await loadPending(context, inbox)),
    notSubmitted: unreadable.length > 0 ? undefined : findNotSubmitted(context, lists, days),
    absences: unreadable.some(({ list }) => list === 'leaves')
      ? undefined
      : findAbsences(lists, days, timeZone),
    getName: createNamer((lists.members ?? []).map(toPerson)),
    oddStates: inbox.oddStates,
    unread: [
      ...inbox.missing,
      ...read.unread,
      ...leaves.unread,
      ...unreadable.map(({ list, problem }) => toPartlyUnread(NOUNS[list], problem)),
    ],
  };
};
