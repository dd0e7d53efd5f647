import { decisions } from '../../api/fields.ts';
import { createNamer } from '../../api/kinds.ts';
import { collectRows } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { type CloseFinding, findCloseFindings, hasNegativeBalance } from '../../decide/close.ts';
import { type CloseLists, type CloseScope, createCloseView, toPerson } from '../../decide/close-calendar.ts';
import { describeUnread, readLists, requireAllRead, type UnreadList } from '../../decide/read-lists.ts';
import { formatCount, formatDays } from '../../decide/text.ts';
import { EXIT } from '../../errors.ts';
import { toNumber, toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { addDays, getToday } from '../../parsing/calendar.ts';
import { requireMembers } from '../../parsing/names.ts';
import { createPeriodColumns } from '../../resources/columns.ts';
import { listFieldsOf } from '../../resources/joins.ts';

/** Checks a period, and says what keeps it from being closed. */

export interface CheckOptions {
  readonly from: string;
  readonly to: string;
  readonly members: readonly unknown[] | undefined;
  /** As they were given: `2026-10`, `ana@example.com`. */
  readonly period: string;
  readonly memberWords: readonly string[];
  /** Whether groups are printed in place of findings. */
  readonly grouped: boolean;
}

/** Up to this many people are asked about one by one where a list takes a member. */
const FEW_PEOPLE = 2;

/** @throws the failure when none of the lists can be read */
const readPeriod = async (context: Context, { members: ids, period }: CloseScope) => {
  const { members, contracts, timesheets, leaves, timeRequests, expenses } = context.api;
  const people =
    ids === undefined || ids.size > FEW_PEOPLE ? [{}] : [...ids].map((id) => ({ user_id: toNumber(id) }));
  const days = { date_from: period.from, date_to: period.to };
  // The service compares the days as they are written: in the zone they may be others.
  const wider = { date_from: addDays(period.from, -1), date_to: addDays(period.to, 1) };
  const { from: status } = decisions.approve;
  const [first, last] = [Number(period.from.slice(0, 4)), Number(period.to.slice(0, 4))];
  const years = Array.from({ length: last - first + 1 }, (_, i) => first + i).map((year) => ({
    date_from: `${year}-01-01`,
    date_to: `${year}-12-31`,
  }));
  const reads = {
    members: { noun: 'members', calls: [members.list({})] },
    contracts: { noun: 'contracts', calls: people.map((person) => contracts.list(person)) },
    timesheets: { noun: 'timesheets', calls: [timesheets.list(days)] },
    leaves: { noun: 'leave requests', calls: people.map((person) => leaves.list({ ...days, ...person })) },
    timeRequests: {
      noun: 'time requests',
      calls: people.map((person) => timeRequests.list({ ...wider, status, ...person })),
    },
    expenses: { noun: 'expenses', calls: [expenses.list(days)] },
    balances: {
      noun: 'leave balances',
      calls: years.flatMap((year) => people.map((person) => leaves.balances({ ...year, ...person }))),
    },
  };
  const { rows, unread } = await readLists(context, reads);
  if (unread[0] !== undefined && unread.length === Object.keys(reads).length) throw unread[0].failure;
  // Only the policies say where a balance may be negative.
  if (!hasNegativeBalance(rows.balances)) return { lists: { ...rows, policies: [] }, unread };
  const more = await readLists(context, {
    policies: { noun: 'leave policies', calls: [leaves.policies({})] },
  });
  return { lists: { ...rows, ...more.rows }, unread: [...unread, ...more.unread] };
};

const createColumns = ({ members }: CloseLists): readonly Column[] => {
  const getName = createNamer((members ?? []).map(toPerson));
  const showMember = ({ member }: Pick<CloseFinding, 'member'>): unknown => getName(member.id, member.name);
  return [
    { field: 'member', show: (row) => showMember(row as unknown as CloseFinding), least: 12 },
    { field: 'code', drop: 2 },
    ...createPeriodColumns('from', 'to'),
    { field: 'message', title: 'finding', least: 40, wrap: true },
    { field: 'fix', drop: 3, least: 70, wrap: true },
  ];
};

const MEMBER_CELLS = ['member.id', 'member.name', 'member.email'];
const CELLS = ['code', ...MEMBER_CELLS, 'from', 'to', 'days', 'partial', 'message', 'fix'];

/** @returns how many are left after `--where` */
const printFindings = async (
  context: Context,
  findings: readonly CloseFinding[],
  { period: { from, to }, today }: CloseScope,
  { period, memberWords, grouped }: CheckOptions,
  { lists, unread }: { readonly lists: CloseLists; readonly unread: readonly UnreadList[] },
): Promise<number> => {
  const { output, settings, commandLine } = context;
  async function* all() {
    yield { rows: findings.map((finding) => ({ ...finding })), total: findings.length };
  }
  const rows = await collectRows(context.choose(all()));
  async function* chosen() {
    yield { rows, total: rows.length };
  }
  const nothing =
    unread.length === 0
      ? `Nothing is open for ${formatDays(from, to, today)}.`
      : 'Nothing was found in the lists that could be read.';
  await output.list(chosen(), {
    noun: 'findings',
    chosen: true,
    columns: createColumns(lists),
    joins: async () => ({
      fields: listFieldsOf(['member']),
      find: async (shown) => shown.map(({ member }) => ({ member })),
    }),
    cells: CELLS,
    id: 'member.id',
    once: true,
    emptyMessage: findings.length === 0 ? nothing : 'No findings match.',
  });
  if (findings.length === 0 || grouped) return rows.length;
  const count = formatCount(findings.length, 'finding');
  output.note(rows.length < findings.length ? `${rows.length} of ${count}.` : `${count}.`);
  if (settings.columns?.value.includes('fix') === true) return rows.length;
  const words = memberWords.length === 0 ? [] : ['--member', memberWords.join(',')];
  output.hint(
    `To list a next step for each: ${commandLine`ttctl close check --period ${[period, ...words]} --columns member.name,fix`}`,
  );
  return rows.length;
};

/** @throws Failure with the exit code of the first list that could not be read */
export const checkClose = async (context: Context, options: CheckOptions): Promise<void> => {
  const { clock, output, watch, commandLine } = context;
  const timeZone = context.timeZone();
  const scope: CloseScope = {
    period: { from: options.from, to: options.to },
    today: getToday(clock.now(), timeZone),
    timeZone,
    members: options.members && new Set(options.members.map(toText)),
  };
  const read = await watch.during(
    () => 'reading the period',
    () => readPeriod(context, scope),
  );
  const { members } = read.lists;
  if (members !== undefined) {
    const known = new Set(members.map(({ id }) => toText(id)));
    requireMembers(scope.members ?? [], (id) => known.has(id), commandLine);
  }
  for (const unread of read.unread) output.warn(describeUnread(unread));
  if (scope.today <= scope.period.to)
    output.note('The period is not over: days from today on are not checked.');
  const findings = findCloseFindings(createCloseView(read.lists, scope, commandLine));
  const left = await printFindings(context, findings, scope, options, read);
  if (read.unread[0] !== undefined) requireAllRead('the check', read.unread, read.unread[0].failure);
  if (left > 0) context.exit(EXIT.found);
};
