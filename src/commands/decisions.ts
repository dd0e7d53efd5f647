import { APPROVED, createNamer, PENDING } from '../api/fields.ts';
import { collectRows, toPages } from '../api/page.ts';
import { countDaysUntil, formatExpiryDay, getSignInExpiry, type Identity } from '../auth/session.ts';
import { type Command, defineCommand, type Group, type Noun } from '../cli/command.ts';
import {
  type CloseFinding,
  type CloseScope,
  createCloseView,
  findCloseFindings,
  hasDays,
  hasNegativeBalance,
  toPerson,
} from '../decide/close.ts';
import {
  formatAge,
  formatCount,
  formatDays,
  getState,
  INBOX_KINDS,
  isApproved,
  resourceOf,
} from '../decide/item.ts';
import {
  describeUnread,
  FEW_PEOPLE,
  loadInbox,
  loadPending,
  type PendingItem,
  readLists,
  requireAllRead,
} from '../decide/load.ts';
import { isNotChecked } from '../decide/warnings.ts';
import { EXIT, Failure } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import type { Column, OverviewLine } from '../output/list-view.ts';
import { addDays, type DayPeriod, getToday, parsePeriod } from '../parsing/calendar.ts';
import { requireMembers } from '../parsing/names.ts';
import { createPeriodColumns } from '../resources/columns.ts';
import { listFieldsOf } from '../resources/joins.ts';
import type { Run } from '../run.ts';
import { flag, groupFlags, periodFlag, zoneFlag } from './flags.ts';
import { SERVICE_EXITS } from './outputs.ts';

export function close(noun: Noun): Group {
  return { ...noun, commands: [closeCheck] };
}

const HELP = [
  {
    title: 'Who is expected',
    text: 'Active members with an active contract, on every workday (Monday to Friday) of the period that is over, from the day they were hired to the day they were archived. Such a day is in a timesheet, on approved leave, or missing.',
  },
  {
    title: 'Findings',
    text: 'no_timesheet, not_submitted, rejected, waiting, over_limit, sheet_on_leave, leave_pending, time_request_pending, negative_balance, archived_with_open_items, expense_without_project, and not_checked for what is missing or cannot be read. One that extends beyond the period is partial: only its days inside count. If a list cannot be read, the findings from the others are printed, and the exit code is 4 or 7, never 0 or 10.',
  },
] as const;

const memberFilter = {
  id: 'close',
  parameters: { members: { type: 'integer[]', about: 'only these members' } },
} as const;

const closeCheck = defineCommand({
  path: 'close check',
  about: 'check whether a period can be closed (exit 10 if anything is open)',
  examples: [
    'ttctl close check --period last-month',
    'ttctl close check --period 2026-10 --output csv --columns member.name,member.email,message',
    'ttctl close check --period 2026-10 --group-by code',
  ],
  more: HELP,
  prints: { shape: 'list', fields: ['code', 'member', 'from', 'to', 'days', 'partial', 'message', 'fix'] },
  exits: [...SERVICE_EXITS, 10],
  flags: [
    { ...periodFlag, about: 'period to check: last-month, 2026-10, 2026-W40, 2026-Q3; required', needed: {} },
    flag(memberFilter, 'members', { as: 'member', lookup: 'member' }),
    ...groupFlags,
    zoneFlag,
  ],
  run: (run, { values, options }) => checkClose(run, values, options),
});

type Options = Readonly<Record<string, unknown>>;

async function checkClose(run: Run, values: Options, options: Options): Promise<void> {
  const { clock, output, watch, commandLine, settings } = run;
  const timeZone = run.timeZone();
  const scope: CloseScope = {
    period: { from: String(values.date_from), to: String(values.date_to) },
    today: getToday(clock.now(), timeZone),
    timeZone,
    members: values.members === undefined ? undefined : new Set([values.members].flat().map(toText)),
  };
  const read = () => readPeriod(run, scope);
  const { lists, unread } = await watch.during(() => 'reading the period', read);
  const known = lists.members && new Set(lists.members.map(({ id }) => toText(id)));
  requireMembers(scope.members ?? [], (id) => known?.has(id) ?? true, commandLine);
  for (const one of unread) output.warn(describeUnread(one));
  if (scope.today <= scope.period.to)
    output.note('The period is not over: days from today on are not checked.');
  const findings = findCloseFindings(createCloseView(lists, scope, commandLine));
  const rows = await collectRows(run.choose(toPages(findings.map((finding) => ({ ...finding })))));
  const getName = createNamer((lists.members ?? []).map(toPerson));
  const showMember: Column['show'] = ({ member: person }) => {
    const { id, name } = person as CloseFinding['member'];
    return getName(id, name);
  };
  const days = formatDays(scope.period.from, scope.period.to, scope.today);
  const nothing = unread[0] ? 'Nothing was found in what could be read.' : `Nothing is open for ${days}.`;
  await output.list(toPages(rows), {
    noun: 'findings',
    chosen: true,
    columns: [
      { field: 'member', show: showMember, least: 12 },
      { field: 'code', kind: 'state', drop: 2 },
      ...createPeriodColumns('from', 'to'),
      { field: 'message', title: 'finding', least: 40, wrap: true },
      { field: 'fix', drop: 3, least: 70, wrap: true },
    ],
    joins: async () => ({
      fields: listFieldsOf(['member']),
      find: async (shown) => shown.map((row) => ({ member: row.member })),
    }),
    cells: 'code member.id member.name member.email from to days partial message fix'.split(' '),
    id: 'member.id',
    once: true,
    emptyMessage: findings.length === 0 ? nothing : 'No findings match.',
  });
  if (findings.length > 0 && options.groupBy === undefined) {
    const count = formatCount(findings.length, 'finding');
    output.note(rows.length < findings.length ? `${rows.length} of ${count}.` : `${count}.`);
    const line = commandLine`ttctl close check --period ${options.period} --columns member.name,fix`;
    if (settings.columns === undefined) output.hint(`To list a next step for each: ${line}`);
  }
  if (unread[0] !== undefined) requireAllRead('the check', unread, unread[0].failure);
  if (rows.length > 0) run.exit(EXIT.found);
}

async function readPeriod(run: Run, { members: ids, period: { from, to } }: CloseScope) {
  const { members, contracts, timesheets, leaves, timeRequests, expenses } = run.api;
  const isFew = ids !== undefined && ids.size <= FEW_PEOPLE;
  const people = isFew ? [...ids].map((id) => ({ user_id: toNumber(id) })) : [{}];
  const days = { date_from: from, date_to: to };
  // The service compares the days as they are written: in the zone they may be others.
  const pending = { status: PENDING, date_from: addDays(from, -1), date_to: addDays(to, 1) };
  const [first, last] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))];
  const years = Array.from({ length: last - first + 1 }, (_, i) => first + i).flatMap((year) =>
    people.map((person) => ({ ...person, date_from: `${year}-01-01`, date_to: `${year}-12-31` })),
  );
  const ofAll = (values: typeof pending | typeof days) => people.map((person) => ({ ...values, ...person }));
  const reads = {
    members: { noun: 'members', calls: [members.list({})] },
    contracts: { noun: 'contracts', calls: people.map((person) => contracts.list(person)) },
    timesheets: { noun: 'timesheets', calls: [timesheets.list(days)] },
    leaves: { noun: 'leave requests', calls: ofAll(days).map((one) => leaves.list(one)) },
    timeRequests: { noun: 'time requests', calls: ofAll(pending).map((one) => timeRequests.list(one)) },
    expenses: { noun: 'expenses', calls: [expenses.list(days)] },
    balances: { noun: 'leave balances', calls: years.map((one) => leaves.balances(one)) },
  };
  const { rows, unread } = await readLists(run, reads);
  if (unread[0] !== undefined && unread.length === Object.keys(reads).length) throw unread[0].failure;
  // Only the policies say where a balance may be negative.
  if (!hasNegativeBalance(rows.balances)) return { lists: { ...rows, policies: [] }, unread };
  const more = await readLists(run, { policies: { noun: 'leave policies', calls: [leaves.policies({})] } });
  return { lists: { ...rows, ...more.rows }, unread: [...unread, ...more.unread] };
}

export function status(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: ['ttctl status', 'ttctl status --json --query "waiting.with_warnings"'],
    more: [
      {
        title: 'What it shows',
        text: 'What waits for a decision, who has not submitted last week, who is away, and how long the sign-in lasts. Without a command, ttctl shows the same in a terminal.',
      },
    ],
    prints: { shape: 'record', fields: ['waiting', 'not_submitted', 'away', 'sign_in'] },
    exits: [...SERVICE_EXITS, 8],
    flags: [zoneFlag],
    run: showStatus,
  });
}

async function showStatus(run: Run): Promise<void> {
  const { output, watch, commandLine, clock, settings } = run;
  const { kind, stored } = await run.identity();
  /** ISO 8601; null: not known, or never. */
  const end = stored === undefined ? null : getSignInExpiry(stored);
  const read = () => loadStatus(run);
  const found = await watch.during(() => 'reading the status', read);
  const { unread, oddStates, late, absences, today, thisWeek, lastWeek, getName } = found;
  for (const text of [...unread.map(describeUnread), ...oddStates]) output.warn(text);
  const isToday = ({ from, to }: DayPeriod) => from <= today && today <= to;
  const waiting = countWaiting(found);
  const record = {
    waiting,
    not_submitted: late ?? null,
    away: { today: absences?.filter(isToday) ?? null, this_week: absences ?? null },
    sign_in: { kind, expires_at: end },
  };
  const listAway = (now: boolean) =>
    absences
      ?.filter((one) => isToday(one) === now)
      .map(({ id, name, from, to }) => `${getName(id, name)} (${formatDays(from, to, today)})`);
  const others = thisWeek.to === today ? 'earlier this week: ' : 'other days this week: ';
  const days = end === null ? null : countDaysUntil(end, clock.now());
  const left = days === null || days < 0 ? 'expired' : formatCount(days, 'day');
  const until = end === null ? '' : `, until ${formatExpiryDay(end, clock.now(), run.timeZone)} (${left})`;
  const signIn: OverviewLine = {
    text: `${settings.profile.value}: ${SIGN_INS[kind]}${until}`,
    command: commandLine`ttctl auth status`,
    ...(days !== null && days < SOON_DAYS && { state: 'warning' }),
  };
  const lateNames = late?.map(({ id, name }) => getName(id, name));
  const sections = [
    { title: 'Waiting for a decision', lines: listWaiting(found, waiting.with_warnings === null, run) },
    {
      title: `Not submitted for last week, ${formatDays(lastWeek.from, lastWeek.to, today)}`,
      lines: [describePeople(lateNames, commandLine`ttctl close check --period last-week`)],
    },
    {
      title: 'Away',
      lines: [
        describePeople(listAway(true), commandLine`ttctl leaves list --period today`, 'today: '),
        describePeople(listAway(false), commandLine`ttctl leaves list --period this-week`, others),
      ],
    },
    { title: 'Sign-in', lines: [signIn] },
  ];
  await output.overview(record, sections);
  requireAllRead('the status', unread);
}

type Status = Awaited<ReturnType<typeof loadStatus>>;

/** Each list is read once. @throws the failure when nothing of it can be read */
async function loadStatus(run: Run) {
  const { api, commandLine } = run;
  const timeZone = run.timeZone();
  const today = getToday(run.clock.now(), timeZone);
  const [lastWeek, thisWeek] = [parsePeriod('last-week', () => today), parsePeriod('this-week', () => today)];
  const days = { date_from: lastWeek.from, date_to: lastWeek.to };
  const [inbox, { rows, unread: unreadLists }] = await Promise.all([
    loadInbox(run, { kinds: INBOX_KINDS }),
    readLists(run, {
      members: { noun: 'members', calls: [api.members.list({})] },
      contracts: { noun: 'contracts', calls: [api.contracts.list({})] },
      timesheets: { noun: 'timesheets of last week', calls: [api.timesheets.list(days)] },
    }),
  ]);
  // Of what waits too: the warnings look at the same list.
  const approved = api.leaves.list({
    status: APPROVED,
    date_from: [lastWeek.from, ...inbox.items.flatMap(({ from }) => from ?? [])].sort()[0],
    date_to: [thisWeek.to, ...inbox.items.flatMap(({ to }) => to ?? [])].sort().at(-1),
  });
  const more = await readLists(run, { leaves: { noun: 'approved leave requests', calls: [approved] } });
  const { leaves } = more.rows;
  const { members = [], timesheets } = rows;
  // Weekly limits do not matter for who has not submitted, nor for who is away.
  const unlimited = members.map((row) => ({ ...row, weekly_hours_limit: null }));
  const others = { leaves, timeRequests: [], expenses: [], balances: [], policies: [] };
  const open = (period: DayPeriod) => {
    const scope = { period, today, timeZone, members: undefined };
    return createCloseView({ ...rows, members: unlimited, ...others }, scope, commandLine);
  };
  const unread = [...inbox.missing, ...unreadLists, ...more.unread];
  const unreadable = findCloseFindings(open({ from: lastWeek.from, to: thisWeek.to })).flatMap(
    ({ code, message }) => (code === 'not_checked' ? message : []),
  );
  if (unreadable.length > 0) {
    const failure = new Failure(unreadable.join('; '), { code: 'partial', exit: EXIT.partial });
    unread.push({ noun: 'some records', failure });
  }
  const late = findCloseFindings(open(lastWeek)).flatMap(({ code, member: { id, name, email } }) =>
    code === 'no_timesheet' || code === 'not_submitted' ? [{ id, name, email }] : [],
  );
  const isLateKnown = rows.members && timesheets && leaves && unreadable.length === 0;
  const people = new Map(members.map((row) => [toText(row.id), toPerson(row)]));
  const away = open(thisWeek).leaves;
  const isAwayKnown =
    leaves && away.every((item) => hasDays(item) && getState('leave', item.record) !== undefined);
  const absences = away.filter(hasDays).flatMap(({ record, userId, from, to }) => {
    const { id, name, email } = people.get(toText(userId)) ?? toPerson({ id: userId });
    return isApproved('leave', record) ? [{ id, name, email, from, to }] : [];
  });
  return {
    ...{ today, lastWeek, thisWeek, unread, oddStates: inbox.oddStates },
    kinds: inbox.complete,
    pending: await loadPending(run, inbox.items, { complete: inbox.complete }),
    /** Undefined: it could not be found out. */
    late: isLateKnown ? [...new Map(late.map((one) => [toText(one.id), one])).values()] : undefined,
    absences: isAwayKnown ? absences : undefined,
    /** The name of a person, told apart from others. */
    getName: createNamer([...people.values()]),
  };
}

function countWaiting({ pending, kinds }: Status) {
  // Lists that the inbox could not read are not counted as empty.
  const count = (kind: (typeof kinds)[number]) =>
    kinds.includes(kind) ? pending.filter(({ item }) => item.kind === kind).length : null;
  const isChecked =
    kinds.length === INBOX_KINDS.length && !pending.some(({ warnings }) => isNotChecked(warnings));
  const oldest = findOldest(pending);
  return {
    timesheets: count('timesheet'),
    leaves: count('leave'),
    time_requests: count('time-request'),
    with_warnings: isChecked ? pending.filter(({ warnings }) => warnings.length > 0).length : null,
    oldest_at: oldest === undefined ? null : new Date(oldest).toISOString(),
  };
}

function findOldest(pending: readonly PendingItem[]): number | undefined {
  return pending.flatMap(({ item }) => item.since ?? []).sort((a, b) => a - b)[0];
}

const UNKNOWN = 'could not be read';

/** @param isPartial whether something could not be checked */
function listWaiting(
  found: Status,
  isPartial: boolean,
  { commandLine, clock }: Run,
): readonly OverviewLine[] {
  const lines = INBOX_KINDS.map((kind): OverviewLine => {
    const command = commandLine`ttctl inbox --kind ${kind}`;
    const [one, many] = resourceOf(kind).words;
    if (!found.kinds.includes(kind)) return { text: `${many} ${UNKNOWN}`, state: 'problem', command };
    const pending = found.pending.filter(({ item }) => item.kind === kind);
    if (pending.length === 0) return { text: `no ${many}`, state: 'none', command };
    const oldest = findOldest(pending);
    const age = oldest === undefined ? '' : `, oldest ${formatAge((clock.now() - oldest) / 1000)}`;
    return { text: formatCount(pending.length, one) + age, command };
  });
  const warned = found.pending.filter(({ warnings }) => warnings.length > 0 && !isNotChecked(warnings));
  const words = [
    warned.length > 0 && `${warned.length} of them with warnings`,
    isPartial && 'not all could be checked',
  ].filter(Boolean);
  if (words.length === 0) return lines;
  return [...lines, { text: words.join(', '), command: commandLine`ttctl inbox`, state: 'warning' }];
}

/** A list of names is as long as a glance. */
const MAX_NAMES = 6;

function describePeople(names: readonly string[] | undefined, command: string, label = ''): OverviewLine {
  if (names === undefined) return { text: label + UNKNOWN, state: 'problem', command };
  if (names.length === 0) return { text: `${label}nobody`, state: 'none', command };
  const shown = names.slice(0, names.length > MAX_NAMES + 1 ? MAX_NAMES : names.length);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return { text: (label || `${names.length}: `) + shown.join(', ') + more, command };
}

const SIGN_INS: Readonly<Record<Identity['kind'], string>> = {
  personal: 'personal access token',
  oauth: 'signed in with a browser',
  client: 'client credentials',
  environment: 'token from TTCTL_TOKEN',
  command: 'token from a command',
  sandbox: 'practice data',
};

/** Days before the end at which it is a matter. */
const SOON_DAYS = 7;
