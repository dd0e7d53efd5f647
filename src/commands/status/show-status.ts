import { countDaysUntil, formatExpiryDay, getSignInExpiry } from '../../auth/sign-in.ts';
import type { Context, Identity, OverviewLine, OverviewSection } from '../../context.ts';
import { EXIT, Failure } from '../../outcome.ts';
import { INBOX_KINDS, type InboxKind } from '../../pending/item.ts';
import { describeUnread, requireAllRead } from '../../pending/read-lists.ts';
import { formatAge, formatCount, formatDays } from '../../pending/text.ts';
import { isNotChecked } from '../../pending/warnings.ts';
import { type Absence, loadStatus, type Status } from './load-status.ts';

/** The status as a record for scripts and as lines for people. */

interface SignIn {
  readonly kind: Identity['kind'];
  /** ISO 8601; null: not known, or never. */
  readonly expires_at: string | null;
}

const NOUNS: Readonly<Record<InboxKind, string>> = {
  timesheet: 'timesheet',
  leave: 'leave request',
  'time-request': 'time request',
};

/** Lists that the inbox could not read are not counted as empty. */
const isRead = ({ kinds }: Status, kind: InboxKind): boolean => kinds.includes(kind);

const pickKind = ({ pending }: Status, kind: InboxKind) => pending.filter(({ item }) => item.kind === kind);

const countWarned = ({ pending }: Status): number =>
  pending.filter(({ warnings }) => warnings.length > 0 && !isNotChecked(warnings)).length;

/** Whether it is known of all that waits whether there are warnings. */
const isChecked = ({ pending, kinds }: Status): boolean =>
  kinds.length === INBOX_KINDS.length && !pending.some(({ warnings }) => isNotChecked(warnings));

const findOldest = (pending: Status['pending']): number | null =>
  pending.reduce<number | null>(
    (oldest, { item: { since } }) =>
      since === null || (oldest !== null && oldest <= since) ? oldest : since,
    null,
  );

const isAwayToday =
  (today: string) =>
  ({ from, to }: Absence): boolean =>
    from <= today && today <= to;

const toStatusRecord = (status: Status, signIn: SignIn) => {
  const { pending, notSubmitted, absences, today } = status;
  const count = (kind: InboxKind) => (isRead(status, kind) ? pickKind(status, kind).length : null);
  const oldest = findOldest(pending);
  return {
    waiting: {
      timesheets: count('timesheet'),
      leaves: count('leave'),
      time_requests: count('time-request'),
      with_warnings: isChecked(status) ? countWarned(status) : null,
      oldest_at: oldest === null ? null : new Date(oldest).toISOString(),
    },
    not_submitted: notSubmitted ?? null,
    away: {
      today: absences?.filter(isAwayToday(today)) ?? null,
      this_week: absences ?? null,
    },
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

const UNKNOWN = { text: 'could not be read', state: 'problem' } as const;

const listWaiting = (status: Status, { commandLine, clock }: Context): readonly OverviewLine[] => {
  const lines = INBOX_KINDS.map((kind): OverviewLine => {
    const command = commandLine`ttctl inbox --kind ${kind}`;
    if (!isRead(status, kind)) return { ...UNKNOWN, text: `${NOUNS[kind]}s ${UNKNOWN.text}`, command };
    const items = pickKind(status, kind);
    if (items.length === 0) return { text: `no ${NOUNS[kind]}s`, state: 'none', command };
    const oldest = findOldest(items);
    const age = oldest === null ? '' : `, oldest ${formatAge((clock.now() - oldest) / 1000)}`;
    return { text: formatCount(items.length, NOUNS[kind]) + age, command };
  });
  const warned = countWarned(status);
  if (warned === 0 && isChecked(status)) return lines;
  const words = [
    ...(warned > 0 ? [`${warned} of them with warnings`] : []),
    ...(isChecked(status) ? [] : ['not all could be checked']),
  ];
  return [...lines, { text: words.join(', '), command: commandLine`ttctl inbox`, state: 'warning' }];
};

const describeMissing = ({ notSubmitted, getName }: Status, { commandLine }: Context): OverviewLine => {
  const command = commandLine`ttctl close check --period last-week`;
  if (notSubmitted === undefined) return { ...UNKNOWN, command };
  if (notSubmitted.length === 0) return { text: 'nobody', state: 'none', command };
  return {
    text: `${notSubmitted.length}: ${joinNames(notSubmitted.map(({ id, name }) => getName(id, name)))}`,
    command,
  };
};

const describeAbsences = ({ absences, today, thisWeek, getName }: Status, { commandLine }: Context) => {
  const describe = (label: string, found: readonly Absence[] | undefined, period: string): OverviewLine => {
    const command = commandLine`ttctl leaves list --period ${period}`;
    if (found === undefined) return { ...UNKNOWN, text: `${label}: ${UNKNOWN.text}`, command };
    if (found.length === 0) return { text: `${label}: nobody`, state: 'none', command };
    const names = found.map((one) => `${getName(one.id, one.name)} (${formatDays(one.from, one.to, today)})`);
    return { text: `${label}: ${joinNames(names)}`, command };
  };
  const others = absences?.filter((one) => !isAwayToday(today)(one));
  return [
    describe('today', absences?.filter(isAwayToday(today)), 'today'),
    describe(thisWeek.to === today ? 'earlier this week' : 'other days this week', others, 'this-week'),
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
  const day = formatExpiryDay(end, clock.now(), context.timeZone);
  return {
    text: `${text}, until ${day} (${days < 0 ? 'expired' : formatCount(days, 'day')})`,
    command,
    ...(days < SOON_DAYS ? { state: 'warning' } : {}),
  };
};

/** As an address is written: `Ana Sousa <ana@example.com>`. */
const formatPeople = (people: Status['notSubmitted'] | null): string | null =>
  people
    ?.map(({ name, email, id }) => (email === null ? `${name ?? id}` : `${name ?? id} <${email}>`))
    .join('; ') ?? null;

/** The record without nesting, for spreadsheets. */
const toCells = ({ waiting, not_submitted, away, sign_in }: ReturnType<typeof toStatusRecord>) => {
  const flatten = (head: string, record: object) =>
    Object.entries(record).map(([name, value]) => [`${head}.${name}`, value] as const);
  return Object.fromEntries([
    ...flatten('waiting', waiting),
    ['not_submitted', formatPeople(not_submitted)],
    ...flatten('away', { today: formatPeople(away.today), this_week: formatPeople(away.this_week) }),
    ...flatten('sign_in', sign_in),
  ]);
};

const listSections = (status: Status, signIn: SignIn, context: Context): readonly OverviewSection[] => [
  { title: 'Waiting for a decision', lines: listWaiting(status, context) },
  {
    title: `Not submitted for last week, ${formatDays(status.lastWeek.from, status.lastWeek.to, status.today)}`,
    lines: [describeMissing(status, context)],
  },
  { title: 'Away', lines: describeAbsences(status, context) },
  { title: 'Sign-in', lines: [describeSignIn(signIn, context)] },
];

const readSignIn = async ({ identity, credentials }: Context): Promise<SignIn> => {
  const { kind, profile } = await identity();
  const stored =
    kind === 'environment' || kind === 'sandbox' ? undefined : (await credentials()).read(profile);
  return { kind, expires_at: stored === undefined ? null : getSignInExpiry(stored) };
};

/** @throws Failure (exit 8) at the end, when a list could not be read */
export const showStatus = async (context: Context): Promise<void> => {
  const { output, watch } = context;
  const signIn = await readSignIn(context);
  const status = await watch.during(
    () => 'reading the status',
    () => loadStatus(context),
  );
  for (const unread of status.unread) output.warn(describeUnread(unread));
  for (const text of [...status.oddStates, ...status.unreadable]) output.warn(text);
  const record = toStatusRecord(status, signIn);
  await output.overview(record, listSections(status, signIn, context), toCells(record));
  requireAllRead('the status', status.unread);
  if (status.unreadable.length > 0)
    throw new Failure('the status is incomplete', {
      code: 'partial',
      exit: EXIT.partial,
      reason: status.unreadable.join('\n'),
    });
};
