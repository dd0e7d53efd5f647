import type { Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { formatCsv } from '../output/formats/writers.ts';
import { commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { writeDurably } from '../storage/write.ts';
import type { Changes } from './change.ts';
import {
  countOpen,
  countRows,
  deriveRunState,
  isFedBack,
  type RunHead,
  type RunSettings,
  type StepName,
  type StoredWrite,
} from './journal.ts';
import { formatResumeCommand, readDestination } from './log.ts';
import type { JobSummary } from './report.ts';
import { findLocalId } from './select.ts';
import { isSingleWrite, openRuns, type RunStore, type WholeRun } from './store.ts';

/** Runs as jobs: how they are listed, named and ended, and where they may be gone on with. */

interface JobFilter {
  readonly state?: string | undefined;
  readonly profile?: string | undefined;
}

/** The latest first: runs of several writes, and single ones that are not over. Of a damaged one there is a warning. */
export function listJobRows(store: RunStore, { state, profile }: JobFilter = {}): readonly Row[] {
  const listed: Row[] = [];
  for (const { id, head, problem, rows } of store.runs()) {
    if (problem !== undefined || head?.run === undefined) {
      store.warnDamaged(id);
      continue;
    }
    const open = countRows(rows);
    const isUnfinished = isSingleWrite(id) ? open.unknown > 0 : countOpen(open) > 0;
    if ((rows.length === 1 && !isUnfinished) || (profile ?? head.run.profile) !== head.run.profile) continue;
    const isRunning = store.isRunning({ id, rows });
    const counts = countRows(rows, isRunning);
    const { done, failed, skipped, unknown, left } = counts;
    const is = deriveRunState(counts, isRunning);
    if (state === 'unfinished' ? !isUnfinished || isRunning : (state ?? is) !== is) continue;
    listed.push({
      ...{ id, command: head.command, state: is, done, failed, skipped, unknown, left },
      started_at: head.created_at,
      failed_file: store.failedFile(id) ?? null,
    });
  }
  return listed;
}

export async function findJobId(run: Run, text: string): Promise<string> {
  const store = openRuns(run);
  return store.has(text) ? text : findLocalId(run, text, () => listJobRows(store));
}

export async function formatJobFacts(
  { output }: Pick<Run, 'output'>,
  store: RunStore,
  run: WholeRun,
): Promise<readonly string[]> {
  const { head, damaged, rows, id } = run;
  const isRunning = store.isRunning(run);
  const counts = countRows(rows, isRunning);
  const { done, failed, skipped, unknown, left } = counts;
  const file = store.failedFile(id);
  const isOpen = countOpen(counts) > 0 && !isRunning;
  const [[started] = []] = await output.inWords([{ at: head.created_at }], [{ field: 'at', kind: 'time' }]);
  return [
    `job        ${id}  ${deriveRunState(counts, isRunning)}`,
    `command    ${head.command}`,
    `target     profile ${head.run.profile}, ${head.base_url}, workspace ${head.workspace_id ?? 'none'}`,
    `started    ${started}`,
    `rows       ${done} done, ${failed} failed, ${skipped} skipped, ${unknown} unknown, ${left} left`,
    ...(file === undefined ? [] : [`failed     ${file}`]),
    ...(damaged ? ['damaged    lines are lost; rows that may have been sent are checked first'] : []),
    ...(isOpen ? [`resume     ${formatResumeCommand(id, head.run)}`] : []),
    '',
  ];
}

/**
 * Of a job whose run has ended: writes the file of its failed rows, and says how to go on.
 * @param idle whether nothing was left to do: a file of failed rows that may have been corrected meanwhile stays
 */
export function closeJob(run: Run, id: string, idle = false): JobSummary {
  const store = openRuns(run);
  const { head, rows } = store.read(id);
  if (head?.run === undefined) return {};
  const { plan, undoes } = head.run;
  // The rows of a plan are planned anew, and those of an undo undone again.
  const failed = plan === undefined && undoes === undefined ? rows.filter(isFedBack) : [];
  let file = idle ? store.failedFile(id) : undefined;
  if (failed.length > 0 && file === undefined) {
    file = store.failedPath(id);
    const names = new Set(failed.flatMap(({ columns = { id: '' } }) => Object.keys(columns)));
    names.delete('error');
    const lines = failed.map(({ target, columns = { id: target }, error, message }) => ({
      ...columns,
      error: toText(error?.['message'] ?? message ?? ''),
    }));
    writeDurably(file, formatCsv([...names, 'error'], lines));
  }
  const hints: string[] = [];
  // Records that were made all the same: fed back, their rows would make others.
  if (rows.some(({ step, error }) => step === 'failed' && error?.['created'] !== undefined))
    hints.push('Some records were created with some fields missing. Do not create them again; update them');
  if (file !== undefined) hints.push(formatRetryHint(head.run, failed, file));
  const counts = countRows(rows);
  const inspectLine = commandLine`ttctl jobs show ${id}`;
  const first = counts.unknown === 0 ? '' : ' (unknown rows are checked first)';
  if (countOpen(counts) === 0) hints.push(`See the result of each row: ${inspectLine}`);
  else hints.push(`Resume with: ${formatResumeCommand(id, head.run)}${first}`);
  const details = { job: id, ...(file === undefined ? {} : { failed_file: file }) };
  return { hint: hints.join('\n'), inspectLine, details };
}

/**
 * How the failed rows are fed back. Of a run of several operations the file says of each row which it is for; then
 * the commands are named, for the one that ran takes no file.
 */
function formatRetryHint({ flags }: RunSettings, failed: readonly StoredWrite[], file: string): string {
  const advice = 'Correct the failed rows and retry with';
  if (!failed.some(({ columns = {} }) => 'operation' in columns))
    return `${advice} ${commandLine`--from-file ${file}`}`;
  const operations = [...new Set(failed.map(({ operation }) => operation))];
  const lines = operations.map(
    (id) => `\n  ${createCommandTemplate(flags)`ttctl ${id.split('.')} --from-file ${file}`}`,
  );
  return `${advice}:${lines.join('')}`;
}

/**
 * @param name of what is gone on with, applied or taken back @param words of the command that does so
 * @throws UsageError for a run of another profile, and for a file of another service or workspace
 */
export async function checkDestination(
  context: Run,
  { run, base_url, workspace_id }: Pick<RunHead, 'run' | 'base_url' | 'workspace_id'>,
  name: string,
  words: readonly string[],
): Promise<void> {
  const current = await readDestination(context);
  const profile = run?.profile ?? current.profile;
  const flags = run?.flags ?? current.flags;
  const show = context.commandLine`ttctl profile show`;
  const check = (what: string, was: unknown, is: unknown, option: string): void => {
    if (was === is) return;
    const at = flags.indexOf(option);
    const others = at < 0 ? flags : flags.toSpliced(at, 2);
    const line = createCommandTemplate([...others, option, toText(was)])`ttctl ${words}`;
    throw new UsageError(`${name} is for another ${what}`, {
      code: 'other_place',
      reason: `It is for ${what} ${was}; this is ${what} ${is ?? 'none'}.`,
      hint: option === '' ? `The profile points elsewhere. See ${show}` : `Pass it: ${line}`,
    });
  };
  check('profile', profile, current.profile, '--profile');
  check('service', base_url, current.base_url, '');
  check('workspace', workspace_id, current.workspace_id, '--workspace');
}

/** A row that was refused has changed nothing. */
const APPLIED: ReadonlySet<StepName> = new Set(['done', 'sending', 'unknown']);

/**
 * By its content: a copy is the same plan. A run of it that changed nothing has not used it up.
 * @param besides the run that is gone on with: another has not done its work meanwhile
 */
export function checkUnapplied(store: RunStore, plan: string, besides?: string): void {
  for (const { id, run, created_at } of store.heads()) {
    if (run?.plan !== plan || id === besides) continue;
    const rows = store.tryRead(id)?.rows ?? [];
    if (!rows.some(({ step }) => APPLIED.has(step))) continue;
    const again = besides === undefined ? '. To apply it once more: --again' : '';
    throw new UsageError('this plan was already applied on this machine', {
      code: 'already_applied',
      reason: `Job ${id} applied it on ${created_at.slice(0, 10)}.`,
      hint:
        countOpen(countRows(rows)) > 0
          ? `Finish it with: ${formatResumeCommand(id, run)}`
          : `See the results: ${commandLine`ttctl jobs show ${id}`}${again}`,
    });
  }
}

/** `the same rows were already sent on 2026-11-21 at 16:18 UTC: ttctl jobs show …`; undefined where none is known. */
export async function describeEarlierJob(
  context: Run,
  verb: Changes['verb'],
  input: Changes['input'],
): Promise<string | undefined> {
  if (input === undefined) return undefined;
  const { profile, base_url, workspace_id } = await readDestination(context);
  for (const { id, run, created_at, ...head } of openRuns(context).heads()) {
    if (run?.input?.sha256 !== input.sha256 || run.verb[0] !== verb[0] || run.profile !== profile) continue;
    if (head.base_url !== base_url || head.workspace_id !== workspace_id) continue;
    const [day, time = ''] = created_at.split('T');
    return `the same rows were already sent on ${day} at ${time.slice(0, 5)} UTC: ${commandLine`ttctl jobs show ${id}`}`;
  }
  return undefined;
}
