import { decisions } from '../../api/fields.ts';
import { createNamer } from '../../api/kinds.ts';
import type { Row } from '../../api/page.ts';
import { openCredentials } from '../../auth/credentials.ts';
import { countDaysUntil, formatExpiryDay, getSignInExpiry, type Identity } from '../../auth/sign-in.ts';
import type { Context } from '../../context.ts';
import { type CloseFinding, findCloseFindings } from '../../decide/close.ts';
import {
  type CloseLists,
  createCloseView,
  hasDays,
  type Person,
  toPerson,
} from '../../decide/close-calendar.ts';
import { INBOX_KINDS, type InboxItem } from '../../decide/item.ts';
import { getState, isApproved, loadInbox, resourceOf } from '../../decide/load-inbox.ts';
import { loadPending } from '../../decide/pending.ts';
import { describeUnread, readLists, requireAllRead, type UnreadList } from '../../decide/read-lists.ts';
import { formatAge, formatCount, formatDays } from '../../decide/text.ts';
import { isNotChecked } from '../../decide/warnings.ts';
import { EXIT, Failure } from '../../errors.ts';
import { toText } from '../../json.ts';
import type { OverviewLine } from '../../output/list-view.ts';
import { type DayPeriod, getToday, parsePeriod } from '../../parsing/calendar.ts';

/** The status as a record for scripts and as lines for people; each list is read once. */

type Named = Pick<Person, 'id' | 'name' | 'email'>;

/** Somebody on approved leave. */
type Absence = Named & DayPeriod;

const pick = ({ id, name, email }: Person): Named => ({ id, name, email });

const LATE: readonly CloseFinding['code'][] = ['no_timesheet', 'not_submitted'];

/** @throws the failure when nothing of it can be read */
const loadStatus = async (context: Context) => {
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
  const ofLeaves = await readLists(context, {
    leaves: { noun: 'approved leave requests', calls: [api.leaves.list(approved)] },
  });
  const { members = [], contracts, timesheets } = ofLastWeek.rows;
  const { leaves } = ofLeaves.rows;
  const lists: CloseLists = {
    // Weekly limits do not matter for who has not submitted, nor for who is away.
    members: members.map((row) => ({ ...row, weekly_hours_limit: null })),
    ...{ contracts, timesheets, leaves, timeRequests: [], expenses: [], balances: [], policies: [] },
  };
  const open = (period: DayPeriod) =>
    createCloseView(lists, { period, today, timeZone, members: undefined }, commandLine);
  const unread: UnreadList[] = [...inbox.missing, ...ofLastWeek.unread, ...ofLeaves.unread];
  const unreadable = findCloseFindings(open({ from: lastWeek.from, to: thisWeek.to })).flatMap(
    ({ code, message }) => (code === 'not_checked' ? message : []),
  );
  if (unreadable.length > 0) {
    const failure = new Failure(unreadable.join('; '), { code: 'partial', exit: EXIT.partial });
    unread.push({ noun: 'some records', failure });
  }
  const late = findCloseFindings(open(lastWeek)).filter(({ code }) => LATE.includes(code));
  const isRead = [ofLastWeek.rows.members, timesheets, leaves].every((list) => list !== undefined);
  const people = new Map(members.map((row): [string, Row] => [toText(row.id), row]));
  const away = open(thisWeek).leaves;
  const isReadable = (item: InboxItem) => hasDays(item) && getState('leave', item.record) !== undefined;
  return {
    ...{ today, lastWeek, thisWeek, unread, oddStates: inbox.oddStates },
    /** The kinds of which the list could be read. */
    kinds: inbox.complete,
    pending: await loadPending(context, inbox.items, { complete: inbox.complete }),
    /** Undefined: it could not be found out. */
    notSubmitted:
      isRead && unreadable.length === 0
        ? [...new Map(late.map(({ member }) => [toText(member.id), pick(member)])).values()]
        : undefined,
    absences:
      leaves === undefined || !away.every(isReadable)
        ? undefined
        : away.filter(hasDays).flatMap(({ userId, record, from, to }): readonly Absence[] => {
            const person = toPerson(people.get(toText(userId)) ?? { id: userId });
            return isApproved('leave', record) ? [{ ...pick(person), from, to }] : [];
          }),
    /** The name of a person, told apart from others. */
    getName: createNamer(members.map(toPerson)),
  };
};

type Status = Awaited<ReturnType<typeof loadStatus>>;

/** Whether it is known of all that waits whether there are warnings. */
const isChecked = ({ pending, kinds }: Status): boolean =>
  kinds.length === INBOX_KINDS.length && !pending.some(({ warnings }) => isNotChecked(warnings));

const countWarned = ({ pending }: Status): number =>
  pending.filter(({ warnings }) => warnings.length > 0 && !isNotChecked(warnings)).length;

const findOldest = (pending: Status['pending']): number | undefined =>
  pending
    .flatMap(({ item }) => item.since ?? [])
    .reduce<number | undefined>(
      (oldest = Number.POSITIVE_INFINITY, since) => Math.min(oldest, since),
      undefined,
    );

const isAwayToday =
  ({ today }: Status) =>
  ({ from, to }: Absence): boolean =>
    from <= today && today <= to;

interface SignIn {
  readonly kind: Identity['kind'];
  /** ISO 8601; null: not known, or never. */
  readonly expires_at: string | null;
}

const toStatusRecord = (status: Status, signIn: SignIn) => {
  const { pending, kinds, notSubmitted, absences } = status;
  // Lists that the inbox could not read are not counted as empty.
  const count = (kind: InboxItem['kind']) =>
    kinds.includes(kind) ? pending.filter(({ item }) => item.kind === kind).length : null;
  const oldest = findOldest(pending);
  return {
    waiting: {
      timesheets: count('timesheet'),
      leaves: count('leave'),
      time_requests: count('time-request'),
      with_warnings: isChecked(status) ? countWarned(status) : null,
      oldest_at: oldest === undefined ? null : new Date(oldest).toISOString(),
    },
    not_submitted: notSubmitted ?? null,
    away: { today: absences?.filter(isAwayToday(status)) ?? null, this_week: absences ?? null },
    sign_in: signIn,
  };
};

/** A list of names is as long as a glance. */
const MAX_NAMES = 6;

const joinNames = (names: readonly string[]): string => {
  const shown = names.slice(0, names.length > MAX_NAMES + 1 ? MAX_NAMES : names.length);
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
};

const UNKNOWN = 'could not be read';

const listWaiting = (status: Status, { commandLine, clock }: Context): readonly OverviewLine[] => {
  const lines = INBOX_KINDS.map((kind): OverviewLine => {
    const command = commandLine`ttctl inbox --kind ${kind}`;
    const [one, many] = resourceOf(kind).words;
    if (!status.kinds.includes(kind)) return { text: `${many} ${UNKNOWN}`, state: 'problem', command };
    const pending = status.pending.filter(({ item }) => item.kind === kind);
    if (pending.length === 0) return { text: `no ${many}`, state: 'none', command };
    const oldest = findOldest(pending);
    const age = oldest === undefined ? '' : `, oldest ${formatAge((clock.now() - oldest) / 1000)}`;
    return { text: formatCount(pending.length, one) + age, command };
  });
  const warned = countWarned(status);
  const words = [
    ...(warned > 0 ? [`${warned} of them with warnings`] : []),
    ...(isChecked(status) ? [] : ['not all could be checked']),
  ];
  if (words.length === 0) return lines;
  return [...lines, { text: words.join(', '), command: commandLine`ttctl inbox`, state: 'warning' }];
};

/** @param label what stands before the names */
const describePeople = (names: readonly string[] | undefined, command: string, label = ''): OverviewLine => {
  if (names === undefined) return { text: label + UNKNOWN, state: 'problem', command };
  if (names.length === 0) return { text: `${label}nobody`, state: 'none', command };
  return { text: `${label || `${names.length}: `}${joinNames(names)}`, command };
};

const describeAbsences = (status: Status, { commandLine }: Context): readonly OverviewLine[] => {
  const { absences, today, thisWeek, getName } = status;
  const toNames = (isMeant: (one: Absence) => boolean) =>
    absences
      ?.filter(isMeant)
      .map(({ id, name, from, to }) => `${getName(id, name)} (${formatDays(from, to, today)})`);
  const isToday = isAwayToday(status);
  const others = thisWeek.to === today ? 'earlier this week: ' : 'other days this week: ';
  return [
    describePeople(toNames(isToday), commandLine`ttctl leaves list --period today`, 'today: '),
    describePeople(
      toNames((one) => !isToday(one)),
      commandLine`ttctl leaves list --period this-week`,
      others,
    ),
  ];
};

const KINDS: Readonly<Record<Identity['kind'], string>> = {
  personal: 'personal access token',
  oauth: 'signed in with a browser',
  client: 'client credentials',
  environment: 'token from TTCTL_TOKEN',
  sandbox: 'practice data',
};

/** Days before the end at which it is a matter. */
const SOON_DAYS = 7;

const describeSignIn = ({ kind, expires_at: end }: SignIn, context: Context): OverviewLine => {
  const { settings, clock, commandLine } = context;
  const command = commandLine`ttctl auth status`;
  const text = `${settings.profile.value}: ${KINDS[kind]}`;
  const days = end === null ? null : countDaysUntil(end, clock.now());
  if (end === null || days === null) return { text, command };
  const until = `${formatExpiryDay(end, clock.now(), context.timeZone)} (${days < 0 ? 'expired' : formatCount(days, 'day')})`;
  return { text: `${text}, until ${until}`, command, ...(days < SOON_DAYS ? { state: 'warning' } : {}) };
};

/** As an address is written: `Ana Sousa <ana@example.com>`. */
const formatPeople = (people: readonly Named[] | null): string | null =>
  people
    ?.map(({ name, email, id }) => (email === null ? `${name ?? id}` : `${name ?? id} <${email}>`))
    .join('; ') ?? null;

/** The record without nesting, for spreadsheets. */
const toCells = ({ waiting, not_submitted, away, sign_in }: ReturnType<typeof toStatusRecord>) => {
  const absent = { today: formatPeople(away.today), this_week: formatPeople(away.this_week) };
  const heads = { waiting, not_submitted: formatPeople(not_submitted), away: absent, sign_in };
  const cells = Object.entries(heads).flatMap(([head, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, cell]) => [`${head}.${name}`, cell])
      : [[head, value]],
  );
  return Object.fromEntries(cells);
};

/** @throws Failure (exit 8) at the end, when a list could not be read */
export const showStatus = async (context: Context): Promise<void> => {
  const { output, watch, commandLine } = context;
  const { kind, profile } = await context.identity();
  const isStored = kind !== 'environment' && kind !== 'sandbox';
  const stored = isStored ? openCredentials(context).read(profile) : undefined;
  const signIn: SignIn = { kind, expires_at: stored === undefined ? null : getSignInExpiry(stored) };
  const status = await watch.during(
    () => 'reading the status',
    () => loadStatus(context),
  );
  for (const text of [...status.unread.map(describeUnread), ...status.oddStates]) output.warn(text);
  const { lastWeek, today, notSubmitted, getName } = status;
  const late = notSubmitted?.map(({ id, name }) => getName(id, name));
  const record = toStatusRecord(status, signIn);
  const sections = [
    { title: 'Waiting for a decision', lines: listWaiting(status, context) },
    {
      title: `Not submitted for last week, ${formatDays(lastWeek.from, lastWeek.to, today)}`,
      lines: [describePeople(late, commandLine`ttctl close check --period last-week`)],
    },
    { title: 'Away', lines: describeAbsences(status, context) },
    { title: 'Sign-in', lines: [describeSignIn(signIn, context)] },
  ];
  await output.overview(record, sections, toCells(record));
  requireAllRead('the status', status.unread);
};
