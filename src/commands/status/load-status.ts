import type { Row } from '../../api/page.ts';
import { type CloseLists, createCloseView, hasDays, type Person, toPerson } from '../../close/calendar.ts';
import { type CloseFinding, findCloseFindings } from '../../close/find.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { type DayPeriod, getToday, parsePeriod } from '../../parsing/calendar.ts';
import { INBOX_KINDS, type InboxItem, type InboxKind } from '../../pending/item.ts';
import { getState, isApproved, loadInbox } from '../../pending/load-inbox.ts';
import { loadPending, type PendingItem } from '../../pending/pending.ts';
import { readLists, type UnreadList } from '../../pending/read-lists.ts';
import { createNamer } from '../../resources/kinds.ts';
import { decisions } from '../../resources/resource.ts';

/** What the status is made of, each list read once. */

/** Somebody on approved leave. */
export interface Absence {
  readonly id: unknown;
  readonly name: string | null;
  readonly email: string | null;
  readonly from: string;
  readonly to: string;
}

export interface Status {
  readonly today: string;
  readonly lastWeek: DayPeriod;
  readonly thisWeek: DayPeriod;
  readonly pending: readonly PendingItem[];
  /** The kinds of which the list could be read. */
  readonly kinds: readonly InboxKind[];
  /** Undefined: it could not be found out. */
  readonly notSubmitted: readonly Pick<Absence, 'id' | 'name' | 'email'>[] | undefined;
  readonly absences: readonly Absence[] | undefined;
  readonly unread: readonly UnreadList[];
  /** What cannot be read of a record, in words: nobody knows then what was submitted. */
  readonly unreadable: readonly string[];
  /** What is in a state that nobody knows, or asked for, in words. */
  readonly oddStates: readonly string[];
  /** The name of a person, told apart from others. */
  readonly getName: (id: unknown, name: unknown) => string;
}

const LATE: readonly CloseFinding['code'][] = ['no_timesheet', 'not_submitted'];

const pick = ({ id, name, email }: Person) => ({ id, name, email });

/** Weekly limits do not matter for who has not submitted, nor for who is away. */
const withoutLimit = (row: Row): Row => ({ ...row, weekly_hours_limit: null });

/** @throws the failure when nothing of it can be read */
export const loadStatus = async (context: Context): Promise<Status> => {
  const { api, commandLine } = context;
  const timeZone = context.timeZone();
  const today = getToday(context.clock.now(), timeZone);
  const [lastWeek, thisWeek] = [parsePeriod('last-week', () => today), parsePeriod('this-week', () => today)];
  const days = { date_from: lastWeek.from, date_to: lastWeek.to };
  const [inbox, ofLastWeek] = await Promise.all([
    loadInbox(context, { kinds: INBOX_KINDS }),
    readLists(context, {
      members: { noun: 'members', calls: [api.members.list({})] },
      contracts: { noun: 'contracts', calls: [api.contracts.list({})] },
      timesheets: { noun: 'timesheets of last week', calls: [api.timesheets.list(days)] },
    }),
  ]);
  // Of what waits too: the warnings look at the same list.
  const approved = {
    status: decisions.approve.to,
    date_from: [lastWeek.from, ...inbox.items.flatMap(({ from }) => from ?? [])].sort()[0],
    date_to: [thisWeek.to, ...inbox.items.flatMap(({ to }) => to ?? [])].sort().at(-1),
  };
  const leaves = await readLists(context, {
    leaves: { noun: 'approved leave requests', calls: [api.leaves.list(approved)] },
  });
  const { members, contracts, timesheets } = ofLastWeek.rows;
  const lists: CloseLists = {
    ...{ members: members?.map(withoutLimit), contracts, timesheets, ...leaves.rows },
    ...{ timeRequests: [], expenses: [], balances: [], policies: [] },
  };
  const open = (period: DayPeriod) =>
    createCloseView(lists, { period, today, timeZone, members: undefined }, commandLine);
  const late = findCloseFindings(open(lastWeek)).filter(({ code }) => LATE.includes(code));
  const unreadable = findCloseFindings(open({ from: lastWeek.from, to: thisWeek.to })).flatMap(
    ({ code, message }) => (code === 'not_checked' ? message : []),
  );
  const isLateKnown = [members, timesheets, leaves.rows.leaves].every((list) => list !== undefined);
  const ofThisWeek = open(thisWeek).leaves;
  const isReadable = (item: InboxItem) => hasDays(item) && getState('leave', item.record) !== undefined;
  const people = new Map((members ?? []).map((row) => [toText(row.id), row]));
  const absences = ofThisWeek.filter(hasDays).flatMap(({ userId, record, from, to }) => {
    const person = pick(toPerson(people.get(toText(userId)) ?? { id: userId }));
    return isApproved('leave', record) ? { ...person, from, to } : [];
  });
  return {
    ...{ today, lastWeek, thisWeek },
    pending: await loadPending(context, inbox.items, { complete: inbox.complete }),
    kinds: inbox.complete,
    notSubmitted:
      isLateKnown && unreadable.length === 0
        ? [...new Map(late.map(({ member }) => [toText(member.id), pick(member)])).values()]
        : undefined,
    absences: leaves.rows.leaves !== undefined && ofThisWeek.every(isReadable) ? absences : undefined,
    unread: [...inbox.missing, ...ofLastWeek.unread, ...leaves.unread],
    ...{ unreadable, oddStates: inbox.oddStates },
    getName: createNamer((members ?? []).map(toPerson)),
  };
};
