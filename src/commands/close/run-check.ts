import type { Row } from '../../api/page.ts';
import { findCloseFindings } from '../../close/find.ts';
import { CLOSE_FIELDS, type CloseFinding, sortFindings, toFindingRow } from '../../close/finding.ts';
import { type CloseScope, toPerson } from '../../close/records.ts';
import { type CloseView, createCloseView } from '../../close/view.ts';
import type { Column, Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT, Failure } from '../../outcome.ts';
import { getToday } from '../../parsing/calendar.ts';
import { requireMembers } from '../../parsing/names.ts';
import { describeUnread } from '../../pending/load-inbox.ts';
import { formatCount, formatDays } from '../../pending/text.ts';
import { createPeriodColumns } from '../../resources/display/columns.ts';
import { createNamer } from '../../resources/kinds.ts';
import { type ChooseFindings, createChoice, createJoins, createMemberFinder } from './choose-findings.ts';
import { type LoadedLists, loadCloseLists } from './load-lists.ts';

/** Checks a period, and says what keeps it from being closed. */

export interface CheckOptions {
  readonly from: string;
  readonly to: string;
  readonly members: readonly unknown[] | undefined;
  /** As they were given: `2026-10`, `ana@example.com`. */
  readonly period: string;
  readonly memberWords: readonly string[];
  readonly where: string | undefined;
  /** Whether groups are printed in place of findings. */
  readonly grouped: boolean;
}

const createColumns = ({ lists }: CloseView): readonly Column[] => {
  const getName = createNamer((lists.members ?? []).map(toPerson));
  const showMember = ({ member }: Row): unknown => {
    const { id, name } = member as CloseFinding['member'];
    return getName(id, name);
  };
  return [
    { field: 'member', show: showMember, least: 12 },
    { field: 'code', drop: 2 },
    ...createPeriodColumns('from', 'to'),
    { field: 'message', title: 'finding', least: 40, wrap: true },
    { field: 'fix', drop: 3, least: 70, wrap: true },
  ];
};

const CELLS = CLOSE_FIELDS.flatMap((field) =>
  field === 'member' ? ['member.id', 'member.name', 'member.email'] : [field],
);

/** The same check, with more flags. */
const formatCheckCommand = (
  { commandLine }: Context,
  { period, memberWords }: CheckOptions,
  more: string,
): string =>
  (memberWords.length === 0
    ? commandLine`ttctl close check --period ${period}`
    : commandLine`ttctl close check --period ${period} --member ${memberWords.join(',')}`) + more;

/** @returns how many are left */
const printFindings = async (
  context: Context,
  findings: readonly CloseFinding[],
  options: CheckOptions,
  {
    view,
    isWhole,
    choose,
  }: { readonly view: CloseView; readonly isWhole: boolean; readonly choose: ChooseFindings },
): Promise<number> => {
  const { output } = context;
  const { from, to } = options;
  const findMember = createMemberFinder(view);
  const chosen = await choose(findings, view);
  async function* pages() {
    yield { rows: chosen.map(toFindingRow), total: chosen.length };
  }
  const count = formatCount(findings.length, 'finding');
  const emptyMessage = isWhole
    ? `Nothing is open for ${formatDays(from, to, view.scope.today)}.`
    : 'Nothing was found in the lists that could be read.';
  await output.list(pages(), {
    noun: 'findings',
    chosen: true,
    columns: createColumns(view),
    joins: createJoins(chosen, findMember),
    cells: CELLS,
    id: 'member.id',
    once: true,
    emptyMessage: findings.length === 0 ? emptyMessage : 'No findings match.',
  });
  if (findings.length === 0 || options.grouped) return chosen.length;
  output.note(chosen.length < findings.length ? `${chosen.length} of ${count}.` : `${count}.`);
  if (context.settings.columns?.value.includes('fix') === true) return chosen.length;
  output.hint(
    `To list a next step for each: ${formatCheckCommand(context, options, ' --columns member.name,fix')}`,
  );
  return chosen.length;
};

/** @throws Failure with the exit code of the first list that could not be read */
const requireWholeCheck = ({ unread }: LoadedLists): void => {
  const [first] = unread;
  if (first === undefined) return;
  const { code, exit, message, reason, hint, details } = first.failure;
  throw new Failure(
    `the check is incomplete: ${unread.map(({ noun }) => noun).join(' and ')} could not be read`,
    {
      code,
      exit,
      reason: [message, reason].filter(Boolean).join('\n'),
      hint,
      details,
    },
  );
};

/** @throws Failure when a list could not be read */
export const checkClose = async (context: Context, options: CheckOptions): Promise<void> => {
  const { clock, output, watch } = context;
  const timeZone = context.timeZone();
  const scope: CloseScope = {
    period: { from: options.from, to: options.to },
    today: getToday(clock.now(), timeZone),
    timeZone,
    members: options.members && new Set(options.members.map(toText)),
  };
  const choose = await createChoice(context, options.where);
  const loaded = await watch.during(
    () => 'reading the period',
    () => loadCloseLists(context, scope),
  );
  const { members } = loaded.lists;
  if (members !== undefined) {
    const known = new Set(members.map(({ id }) => toText(id)));
    requireMembers(scope.members ?? [], (id) => known.has(id), context.commandLine);
  }
  for (const unread of loaded.unread) output.warn(describeUnread(unread));
  if (scope.today <= scope.period.to)
    output.note('The period is not over: days from today on are not checked.');
  const view = createCloseView(loaded.lists, scope, context.commandLine);
  const isWhole = loaded.unread.length === 0;
  const findings = sortFindings(findCloseFindings(view));
  const left = await printFindings(context, findings, options, { view, isWhole, choose });
  requireWholeCheck(loaded);
  if (left > 0) context.exit(EXIT.found);
};
