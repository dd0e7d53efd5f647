import type { Row } from '../../api/page.ts';
import { readDestination } from '../../changes/job/destination.ts';
import { findCloseFindings } from '../../close/find.ts';
import { type CloseFinding, sortFindings, toFindingRow } from '../../close/finding.ts';
import type { CloseScope } from '../../close/records.ts';
import {
  type CheckedScope,
  formatSavedCheck,
  parseSavedCheck,
  requireSameScope,
  type SavedCheck,
} from '../../close/saved-check.ts';
import { findChanges, listSeenRecords } from '../../close/seen.ts';
import { type CloseView, createCloseView } from '../../close/view.ts';
import type { Column, Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT, Failure } from '../../outcome.ts';
import { getToday } from '../../parsing/calendar.ts';
import { commandLine, placeholder } from '../../parsing/shell-word.ts';
import { describeUnread } from '../../pending/load-inbox.ts';
import { formatCount, formatDays } from '../../pending/text.ts';
import { createPeriodColumns } from '../../resources/display/columns.ts';
import { type LoadedLists, loadCloseLists } from './load-lists.ts';

/** Checks a period, and says what keeps it from being closed. */

export interface CheckOptions {
  readonly from: string;
  readonly to: string;
  readonly members: readonly unknown[] | undefined;
  /** As they were given: `2026-10`, `ana@example.com`. */
  readonly period: string;
  readonly memberWords: readonly string[];
  readonly save: string | undefined;
  readonly since: string | undefined;
  /** Whether groups are printed in place of findings. */
  readonly grouped: boolean;
}

const showMember = (row: Row): unknown => {
  const { name, id } = row.member as CloseFinding['member'];
  return name ?? id ?? '?';
};

const COLUMNS: readonly Column[] = [
  { field: 'member', show: showMember, least: 12 },
  { field: 'code', drop: 2 },
  ...createPeriodColumns('from', 'to'),
  { field: 'message', title: 'finding', least: 40, wrap: true },
  { field: 'fix', drop: 3, least: 70, wrap: true },
];

/** The same check, with more flags. */
const formatCheckCommand = (
  { commandLine }: Context,
  { period, memberWords }: CheckOptions,
  more: string,
): string =>
  (memberWords.length === 0
    ? commandLine`ttctl close check --period ${period}`
    : commandLine`ttctl close check --period ${period} --member ${memberWords.join(',')}`) + more;

const readCheckedScope = async (context: Context, scope: CloseScope): Promise<CheckedScope> => {
  const { origin, workspace_id } = await readDestination(context);
  const { period, timeZone, members } = scope;
  const ids = members === undefined ? null : [...members].sort();
  return { base_url: origin, workspace_id, ...period, timezone: timeZone, members: ids };
};

/** Read before the first request. */
const readSavedCheck = async (
  context: Context,
  scope: CloseScope,
  file: string | undefined,
): Promise<SavedCheck | undefined> => {
  if (file === undefined) return undefined;
  const place = file === '-' ? 'stdin' : file;
  const saved = parseSavedCheck(await context.files.read(file), place);
  requireSameScope(saved, await readCheckedScope(context, scope), place);
  return saved;
};

/** Not of half the data: a later check would take what is missing for new. */
const save = async (context: Context, view: CloseView, file: string): Promise<void> => {
  const { output, clock, files, settings } = context;
  const seen = listSeenRecords(view);
  const count = formatCount(seen.length, 'record');
  if (settings.dryRun.value) return output.note(`Would save ${count} to ${file}.`);
  const head = {
    created_at: new Date(clock.now()).toISOString(),
    ttctl: (await context.jobs()).version,
    ...(await readCheckedScope(context, view.scope)),
  };
  await files.write(file, formatSavedCheck(head, seen));
  output.note(`Saved ${count} to ${file}.`);
};

/** Those that `--where` means. */
const chooseRows = async (context: Context, findings: readonly CloseFinding[]): Promise<readonly Row[]> => {
  async function* pages() {
    yield { rows: findings.map(toFindingRow), total: findings.length };
  }
  const rows: Row[] = [];
  for await (const page of context.choose(pages())) rows.push(...page.rows);
  return rows;
};

const printFindings = async (
  context: Context,
  findings: readonly CloseFinding[],
  options: CheckOptions,
  { isWhole, today }: { readonly isWhole: boolean; readonly today: string },
): Promise<void> => {
  const { output } = context;
  const { from, to } = options;
  const rows = await chooseRows(context, findings);
  async function* pages() {
    yield { rows, total: rows.length };
  }
  const count = formatCount(findings.length, 'finding');
  const emptyMessage = isWhole
    ? `Nothing is open for ${formatDays(from, to, today)}.`
    : 'Nothing was found in the lists that could be read.';
  await output.list(pages(), {
    noun: 'findings',
    chosen: true,
    columns: COLUMNS,
    id: 'member.id',
    emptyMessage: findings.length === 0 ? emptyMessage : 'No findings match.',
  });
  if (findings.length === 0 || options.grouped) return;
  output.note(rows.length < findings.length ? `${rows.length} of ${count}.` : `${count}.`);
  output.hint(
    `Commands that mend them: ${formatCheckCommand(context, options, ' --columns member.name,fix')}`,
  );
};

/** @throws Failure with the exit code of the first list that could not be read */
const requireWholeCheck = ({ unread }: LoadedLists, options: CheckOptions): void => {
  const [first] = unread;
  if (first === undefined) return;
  const { code, exit, message, reason, hint, details } = first.failure;
  throw new Failure(
    `the check is incomplete: ${unread.map(({ noun }) => noun).join(' and ')} could not be read`,
    {
      code,
      exit,
      reason: [message, reason, options.save === undefined ? undefined : 'Nothing was saved.']
        .filter(Boolean)
        .join('\n'),
      hint,
      details,
    },
  );
};

/** @throws UsageError for a saved check of something else; Failure when a list could not be read */
export const checkClose = async (context: Context, options: CheckOptions): Promise<void> => {
  const { clock, output, watch } = context;
  const timeZone = context.timeZone();
  const scope: CloseScope = {
    period: { from: options.from, to: options.to },
    today: getToday(clock.now(), timeZone),
    timeZone,
    members: options.members && new Set(options.members.map(toText)),
  };
  const { save: file, since } = options;
  const saved = await readSavedCheck(context, scope, since);
  const decided = file !== undefined || saved !== undefined;
  const loaded = await watch.during(
    () => 'reading the period',
    () => loadCloseLists(context, scope, decided),
  );
  for (const unread of loaded.unread) output.warn(describeUnread(unread));
  if (scope.today <= scope.period.to)
    output.note('The period is not over: days from today on are not checked.');
  const view = createCloseView(loaded.lists, scope, context.commandLine);
  const isWhole = loaded.unread.length === 0;
  const again = since === undefined || since === '-' ? placeholder('file') : since;
  const accept = formatCheckCommand(context, options, commandLine` --save ${again}`);
  const changes = saved === undefined ? [] : findChanges(saved.rows, view, accept);
  const findings = sortFindings([...findCloseFindings(view), ...changes]);
  await printFindings(context, findings, options, { isWhole, today: scope.today });
  if (file !== undefined && isWhole) await save(context, view, file);
  requireWholeCheck(loaded, options);
  if (findings.length > 0) context.exit(EXIT.found);
};
