import { createNamer, PENDING } from '../../api/fields.ts';
import { collectRows, toPages } from '../../api/page.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import {
  type CloseFinding,
  type CloseScope,
  createCloseView,
  findCloseFindings,
  hasNegativeBalance,
  toPerson,
} from '../../decide/close.ts';
import { describeUnread, FEW_PEOPLE, readLists, requireAllRead } from '../../decide/lists.ts';
import { formatCount, formatDays } from '../../decide/text.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { toNumber, toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { addDays, getToday } from '../../parsing/calendar.ts';
import { requireMembers } from '../../parsing/names.ts';
import { createPeriodColumns } from '../../resources/columns.ts';
import { listFieldsOf } from '../../resources/joins.ts';
import type { Run } from '../../run.ts';
import { flag, groupFlags, periodFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

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
    entries: [
      ['no_timesheet', 'workdays with no timesheet and no approved leave'],
      ['not_submitted', 'an open timesheet whose period is over, unless all of it was leave'],
      ['rejected', 'a rejected timesheet, which the member has to correct'],
      ['waiting', 'a submitted timesheet that is not decided'],
      ['over_limit', "more hours than the member's weekly limit allows for the days of a timesheet"],
      ['sheet_on_leave', 'more hours than the weekly limit allows for its workdays without approved leave'],
      ['leave_pending', 'a leave request that is not decided'],
      ['time_request_pending', 'a time request that is not decided; its days are those in --timezone'],
      ['negative_balance', 'a leave balance of the year below zero, if the policy does not allow it'],
      ['archived_with_open_items', 'an archived member with timesheets or requests that are not settled'],
      ['expense_without_project', 'an expense with no project'],
      ['not_checked', 'a record with a value that is missing or cannot be read'],
    ],
  },
  {
    title: 'Partial data',
    text: 'A timesheet or request that extends beyond the period is partial: only its days inside the period count. If a list cannot be read, the findings from the others are printed, and the exit code says why (4: not allowed, 7: try later); it is never 0 or 10. Missing timesheets are then listed only if timesheets and leaves could be read. With --where, the exit code is 10 if any finding matches.',
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
  run: (context, { values, options }) => checkClose(context, values, options),
});

type Options = Readonly<Record<string, unknown>>;

/** @throws Failure with the exit code of the first list that could not be read */
async function checkClose(run: Run, values: Options, options: Options): Promise<void> {
  if (options.period === undefined) throw new UsageError('missing --period', { code: 'missing_value' });
  const { clock, output, watch, commandLine, settings } = run;
  const timeZone = run.timeZone();
  const scope: CloseScope = {
    period: { from: String(values.date_from), to: String(values.date_to) },
    today: getToday(clock.now(), timeZone),
    timeZone,
    members: values.members === undefined ? undefined : new Set([values.members].flat().map(toText)),
  };
  const { lists, unread } = await watch.during(
    () => 'reading the period',
    () => readPeriod(run, scope),
  );
  if (lists.members !== undefined) {
    const known = new Set(lists.members.map(({ id }) => toText(id)));
    requireMembers(scope.members ?? [], (id) => known.has(id), commandLine);
  }
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
  const nothing =
    unread.length === 0 ? `Nothing is open for ${days}.` : 'Nothing was found in what could be read.';
  await output.list(toPages(rows), {
    noun: 'findings',
    chosen: true,
    columns: [
      { field: 'member', show: showMember, least: 12 },
      { field: 'code', drop: 2 },
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

/** @throws the failure when none of the lists can be read */
async function readPeriod(run: Run, { members: ids, period: { from, to } }: CloseScope) {
  const { members, contracts, timesheets, leaves, timeRequests, expenses } = run.api;
  const people =
    ids === undefined || ids.size > FEW_PEOPLE ? [{}] : [...ids].map((id) => ({ user_id: toNumber(id) }));
  const days = { date_from: from, date_to: to };
  // The service compares the days as they are written: in the zone they may be others.
  const pending = { status: PENDING, date_from: addDays(from, -1), date_to: addDays(to, 1) };
  const years: { date_from: string; date_to: string }[] = [];
  for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year += 1)
    years.push({ date_from: `${year}-01-01`, date_to: `${year}-12-31` });
  const reads = {
    members: { noun: 'members', calls: [members.list({})] },
    contracts: { noun: 'contracts', calls: people.map((person) => contracts.list(person)) },
    timesheets: { noun: 'timesheets', calls: [timesheets.list(days)] },
    leaves: { noun: 'leave requests', calls: people.map((person) => leaves.list({ ...days, ...person })) },
    timeRequests: {
      noun: 'time requests',
      calls: people.map((person) => timeRequests.list({ ...pending, ...person })),
    },
    expenses: { noun: 'expenses', calls: [expenses.list(days)] },
    balances: {
      noun: 'leave balances',
      calls: years.flatMap((year) => people.map((person) => leaves.balances({ ...year, ...person }))),
    },
  };
  const { rows, unread } = await readLists(run, reads);
  if (unread[0] !== undefined && unread.length === Object.keys(reads).length) throw unread[0].failure;
  // Only the policies say where a balance may be negative.
  if (!hasNegativeBalance(rows.balances)) return { lists: { ...rows, policies: [] }, unread };
  const more = await readLists(run, { policies: { noun: 'leave policies', calls: [leaves.policies({})] } });
  return { lists: { ...rows, ...more.rows }, unread: [...unread, ...more.unread] };
}
