import { APPROVED, createNamer, text } from '../api/fields.ts';
import { collectRows, toPages } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { countDaysUntil, formatExpiryDay, getSignInExpiry, type Identity } from '../auth/session.ts';
import { type Command, defineCommand, type Group, type Noun } from '../cli/command.ts';
import {
  CLOSE_CODES,
  type CloseFinding,
  findCloseFindings,
  findLate,
  hasNegativeBalance,
} from '../decide/close.ts';
import {
  type CloseLists,
  type CloseScope,
  type CloseView,
  createCloseView,
  getLeaveDays,
  hasDays,
  toPerson,
} from '../decide/close-calendar.ts';
import { formatCount, formatDays, getState, INBOX_KINDS, isApproved, resourceOf } from '../decide/item.ts';
import {
  describeUnread,
  FEW_PEOPLE,
  loadInbox,
  loadPending,
  type PendingItem,
  readLists,
  requireAllRead,
  type UnreadList,
} from '../decide/load.ts';
import { isNotChecked } from '../decide/warnings.ts';
import { EXIT, Failure } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import { formatAge } from '../output/cell.ts';
import type { Column, OverviewLine } from '../output/list-view.ts';
import { addDays, type DayPeriod, getToday, parsePeriod } from '../parsing/calendar.ts';
import { requireMembers } from '../parsing/names.ts';
import { createPeriodColumns } from '../resources/columns.ts';
import { getJoinedField, listFieldsOf } from '../resources/joins.ts';
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
    text: 'no_timesheet, not_submitted, rejected, waiting, over_limit, sheet_on_leave, overlap (two of one kind for the same time), leave_pending, time_request_pending, negative_balance, archived_with_open_items, expense_without_project, duplicate_expense (same person, day, amount and category), and not_checked for what is missing or cannot be read. A timesheet or request has one finding, the worst, with its fix. One that extends beyond the period is partial: only its days inside count. If a list cannot be read, the findings from the others are printed, and the exit code is 4 or 7, never 0 or 10.',
  },
] as const;

const memberFilter = {
  id: 'close',
  parameters: { members: { type: 'integer[]', about: 'only these members' } },
} as const;

const codeField = {
  ...{ ...text, values: CLOSE_CODES },
  shown: { sheet_on_leave: 'timesheet on leave' },
};

const closeCheck = defineCommand({
  path: 'close check',
  about: 'check whether a period can be closed (exit 10 if anything is open)',
  examples: [
    'ttctl close check --period last-month',
    'ttctl close check --period 2026-10 --output csv --columns member.name,member.email,message',
    'ttctl close check --period 2026-10 --group-by code',
  ],
  more: HELP,
  prints: {
    shape: 'list',
    fields: ['code', 'member', 'from', 'to', 'days', 'partial', 'message', 'fix'],
    words: { code: CLOSE_CODES },
  },
  rowFields: { code: codeField, member: getJoinedField('member') },
  exits: [...SERVICE_EXITS, 10],
  flags: [
    { ...periodFlag, about: 'period to check: last-month, 2026-10, 2026-W40, 2026-Q3; required', needed: {} },
    flag(memberFilter, 'members', { as: 'member', lookup: 'member' }),
    ...groupFlags,
    zoneFlag,
  ],
  run: (run, { values, options }) => checkClose(run, values, options),
});

function toScope(run: Run, ids: unknown, period: DayPeriod): CloseScope {
  const timeZone = run.timeZone();
  const members = ids === undefined ? undefined : new Set([ids].flat().map(toText));
  return { period, today: getToday(run.clock.now(), timeZone), timeZone, members };
}

function checkMembers({ output, commandLine }: Run, scope: CloseScope, members: CloseLists['members']) {
  const known = members && new Set(members.map(({ id }) => toText(id)));
  requireMembers(scope.members ?? [], (id) => known?.has(id) ?? true, commandLine);
  if (scope.today <= scope.period.to)
    output.note('The period is not over: days from today on are not checked.');
}

async function checkClose(run: Run, values: Values, options: Values): Promise<void> {
  const { output, watch, commandLine, settings } = run;
  const period = { from: String(values.date_from), to: String(values.date_to) };
  const scope = toScope(run, values.members, period);
  const read = () => readPeriod(run, scope);
  const { lists, unread } = await watch.during(() => 'reading the period', read);
  checkMembers(run, scope, lists.members);
  for (const one of unread) output.warn(describeUnread(one));
  const findings = findCloseFindings(createCloseView(lists, scope, commandLine));
  const rows = await collectRows(run.choose(toPages(findings.map((finding) => ({ ...finding })))));
  const getName = createNamer((lists.members ?? []).map(toPerson));
  const showMember: Column['show'] = ({ member: person }) => {
    const { id, name } = person as CloseFinding['member'];
    return getName(id, name);
  };
  const days = formatDays(scope.period.from, scope.period.to, scope.today);
  const nothing = unread[0] ? 'No findings in what could be read.' : `Nothing is open for ${days}.`;
  await output.list(toPages(rows), {
    noun: 'findings',
    chosen: true,
    columns: [
      { field: 'member', show: showMember, least: 12 },
      // What it says in a word the finding says too.
      {
        field: 'code',
        kind: 'state',
        drop: 3,
        show: ({ code }) => new Map(Object.entries(codeField.shown)).get(toText(code)) ?? code,
      },
      ...createPeriodColumns('from', 'to'),
      { field: 'message', title: 'finding', least: 34, wrap: true },
      { field: 'fix', drop: 2, least: 36, wrap: true },
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

async function readPeriod(run: Run, { members: ids, period }: CloseScope) {
  const { members, contracts, timesheets, leaves, timeRequests, expenses } = run.api;
  const { from, to } = period;
  const isFew = ids !== undefined && ids.size <= FEW_PEOPLE;
  const people = isFew ? [...ids].map((id) => ({ user_id: toNumber(id) })) : [{}];
  const days = { date_from: from, date_to: to };
  // The service compares the days as they are written: in the zone they may be others.
  const around = { date_from: addDays(from, -1), date_to: addDays(to, 1) };
  const [first, last] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))];
  const years = Array.from({ length: last - first + 1 }, (_, i) => first + i).flatMap((year) =>
    people.map((person) => ({ ...person, date_from: `${year}-01-01`, date_to: `${year}-12-31` })),
  );
  const requests = people.map((person) => timeRequests.list({ ...around, ...person }));
  const { rows, unread } = await readLists(run, {
    members: { noun: 'members', calls: [members.list({})] },
    contracts: { noun: 'contracts', calls: people.map((person) => contracts.list(person)) },
    timesheets: { noun: 'timesheets', calls: [timesheets.list(days)] },
    timeRequests: { noun: 'time requests', calls: requests },
    expenses: { noun: 'expenses', calls: [expenses.list(days)] },
    balances: { noun: 'leave balances', calls: years.map((one) => leaves.balances(one)) },
  });
  const leaveDays = getLeaveDays(period, rows.timesheets);
  const leaveCalls = people.map((person) => leaves.list({ ...leaveDays, ...person }));
  // Only the policies say where a balance may be negative.
  const policyCalls = hasNegativeBalance(rows.balances) ? [leaves.policies({})] : [];
  const more = await readLists(run, {
    leaves: { noun: 'leave requests', calls: leaveCalls },
    policies: { noun: 'leave policies', calls: policyCalls },
  });
  const all = [...unread, ...more.unread];
  const isNothing = [...Object.values(rows), more.rows.leaves].every((list) => list === undefined);
  if (isNothing && all[0] !== undefined) throw all[0].failure;
  return { lists: { ...rows, ...more.rows }, unread: all };
}

type Days = Pick<CloseLists, 'members' | 'contracts' | 'timesheets' | 'leaves'>;

/** Who has handed in what, and who is away. Weekly limits do not matter for it. */
function openDays({ members, ...lists }: Days, scope: CloseScope, { commandLine }: Run): CloseView {
  const unlimited = members?.map((row) => ({ ...row, weekly_hours_limit: null }));
  const others = { timeRequests: [], expenses: [], balances: [], policies: [] };
  return createCloseView({ ...lists, members: unlimited, ...others }, scope, commandLine);
}

/** Records that cannot be judged, as a list that could not be read. */
function findUnclear(view: CloseView): readonly UnreadList[] {
  const found = findCloseFindings(view).flatMap(({ code, message }) =>
    code === 'not_checked' ? message : [],
  );
  if (found.length === 0) return [];
  const failure = new Failure(found.join('; '), { code: 'partial', exit: EXIT.partial });
  return [{ noun: 'some records', failure }];
}

/** @throws the failure of a list without which nobody knows who is late; last, of what leaves the list incomplete */
export async function listMissing(run: Run, values: Values): Promise<void> {
  const { api, output, watch, commandLine } = run;
  const { user_id: ids, ...days } = values as { user_id: unknown; date_from: string; date_to: string };
  const period = { from: days.date_from, to: days.date_to };
  const scope = toScope(run, ids, period);
  const read = () =>
    readLists(run, {
      members: { noun: 'members', calls: [api.members.list({})] },
      contracts: { noun: 'contracts', calls: [api.contracts.list({})] },
      timesheets: { noun: 'timesheets', calls: [api.timesheets.list(days)] },
      leaves: { noun: 'approved leave requests', calls: [api.leaves.list({ status: APPROVED, ...days })] },
    });
  const { rows, unread } = await watch.during(() => 'reading the period', read);
  const needed = unread.find(({ noun }) => noun !== 'contracts');
  if (needed !== undefined) throw needed.failure;
  checkMembers(run, scope, rows.members);
  const view = openDays(rows, scope, run);
  const unsure = [...unread, ...findUnclear(view)];
  for (const one of unsure) output.warn(describeUnread(one));
  const getName = createNamer((rows.members ?? []).map(toPerson));
  const late = findLate(view);
  const done = `All timesheets for ${formatDays(period.from, period.to, scope.today)} are submitted.`;
  await output.list(toPages(late), {
    noun: 'people',
    columns: [
      { field: 'name', title: 'member', show: ({ id, name }) => getName(id, name), least: 12 },
      { field: 'email', least: 16 },
      ...createPeriodColumns('from', 'to'),
      { field: 'reason', kind: 'state' },
    ],
    ...{ id: 'email', once: true },
    emptyMessage: unsure[0] ? 'Nobody was found in what could be read.' : done,
  });
  const { period: word } = run.invocation.options;
  const line = commandLine`ttctl timesheets missing --period ${word} --output ids`;
  if (late.length > 0) output.hint(`For their addresses: ${line}`);
  requireAllRead('the list', unsure);
}

export function status(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: ['ttctl status', 'ttctl status --json --query "waiting.with_warnings"'],
    more: [
      {
        title: 'What it shows',
        text: 'Also how long the sign-in lasts. Without a command, ttctl shows the same in a terminal.',
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
      lines: [describePeople(lateNames, commandLine`ttctl timesheets missing`)],
    },
    {
      title: 'Away',
      lines: [
        describePeople(listAway(true), commandLine`ttctl leaves away --period today`, 'today: '),
        describePeople(listAway(false), commandLine`ttctl leaves away --period this-week`, others),
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
  const { api } = run;
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
  const open = (period: DayPeriod) =>
    openDays({ ...rows, leaves }, { period, today, timeZone, members: undefined }, run);
  const unclear = findUnclear(open({ from: lastWeek.from, to: thisWeek.to }));
  const unread = [...inbox.missing, ...unreadLists, ...more.unread, ...unclear];
  const late = findLate(open(lastWeek)).map(({ id, name, email }) => ({ id, name, email }));
  const isLateKnown = rows.members && timesheets && leaves && unclear.length === 0;
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
