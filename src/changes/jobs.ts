import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { Cancelled, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { formatCsv } from '../output/formats/writers.ts';
import { addDays, getToday } from '../parsing/calendar.ts';
import { commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { writeDurably } from '../storage/write.ts';
import { canUndo } from './accepted.ts';
import type { Changes } from './change.ts';
import {
  countOpen,
  countRows,
  deriveRunState,
  formatEntryId,
  isFedBack,
  parseEntryId,
  type RunHead,
  type StepName,
  type StoredWrite,
} from './journal.ts';
import { formatResumeCommand, readDestination } from './log.ts';
import type { JobSummary } from './report.ts';
import { findLocalId } from './select.ts';
import { isSingleWrite, RunStore, requireRun, type StoredRun, type WholeRun } from './store.ts';

/** What was done, as people and scripts see it: runs as jobs, and the history, which is the rows of all runs. */

/** The latest first: runs of several writes, and single ones that are not over. Of a damaged one there is a warning. */
export function listJobRows(store: RunStore, state?: string, profile?: string): readonly Row[] {
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

/** The id of a run, of one of its writes, or at a terminal a beginning of the run's. */
export async function findJobId(run: Run, text: string): Promise<string> {
  const id = await findEntryId(run, text);
  return parseEntryId(id)?.run ?? id;
}

/** The last runs that changed anything, latest first, for whoever picks one. */
export function listLastRuns(store: RunStore, count: number): readonly Row[] {
  const listed: Row[] = [];
  for (const run of store.runs()) {
    const done = listSent(run).filter((row) => getEntryStatus(row) !== 'failed');
    const [first, ...others] = done;
    if (first === undefined || run.head === undefined) continue;
    const { label, target, sent, operation } = first;
    listed.push({
      id: run.id,
      time: sent?.time,
      did: operation.replace('.', ' '),
      record: others.length === 0 ? (label ?? target) : `${done.length} records`,
      final: done.some((row) => canUndo(findOperation(row.operation), row.old)) ? null : 'final',
    });
    if (listed.length === count) break;
  }
  return listed;
}

/** `2026-11-27 11:26Z` */
export function formatStart({ created_at }: Pick<RunHead, 'created_at'>): string {
  return `${created_at.slice(0, 16).replace('T', ' ')}Z`;
}

export function formatJobFacts(store: RunStore, run: WholeRun): readonly string[] {
  const { head, damaged, rows, id } = run;
  const isRunning = store.isRunning(run);
  const counts = countRows(rows, isRunning);
  const { done, failed, skipped, unknown, left } = counts;
  const said = Object.entries({ done, failed, skipped, unknown, left }).filter(([, count]) => count > 0);
  const file = store.failedFile(id);
  const isOpen = countOpen(counts) > 0 && !isRunning;
  return [
    `job        ${id}  ${deriveRunState(counts, isRunning)}`,
    `command    ${head.command}`,
    `target     profile ${head.run.profile}, ${head.base_url}, workspace ${head.workspace_id ?? 'none'}`,
    `started    ${formatStart(head)}`,
    `rows       ${said.map(([word, count]) => `${count} ${word}`).join(', ')}`,
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
  const store = new RunStore(run);
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
  if (file !== undefined) hints.push(commandLine`Correct the failed rows and retry with --from-file ${file}`);
  const counts = countRows(rows);
  const inspectLine = commandLine`ttctl jobs show ${id}`;
  const first = counts.unknown === 0 ? '' : ' (unknown rows are checked first)';
  if (countOpen(counts) === 0) hints.push(`See the result of each row: ${inspectLine}`);
  else hints.push(`Resume with: ${formatResumeCommand(id, head.run)}${first}`);
  const details = { job: id, ...(file === undefined ? {} : { failed_file: file }) };
  return { hint: hints.join('\n'), inspectLine, details };
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
  input: NonNullable<Changes['input']>,
): Promise<string | undefined> {
  const { profile, base_url, workspace_id } = await readDestination(context);
  for (const { id, run, created_at, ...head } of new RunStore(context).heads()) {
    if (run?.input?.sha256 !== input.sha256 || run.verb[0] !== verb[0] || run.profile !== profile) continue;
    if (head.base_url !== base_url || head.workspace_id !== workspace_id) continue;
    const [day, time = ''] = created_at.split('T');
    return `the same rows were already sent on ${day} at ${time.slice(0, 5)} UTC: ${commandLine`ttctl jobs show ${id}`}`;
  }
  return undefined;
}

export const ENTRY_STATUSES = ['done', 'failed', 'unknown'] as const;
type EntryStatus = (typeof ENTRY_STATUSES)[number];

export const ENTRY_FIELDS = [
  ...(['id', 'time', 'run', 'account', 'workspace_id', 'command', 'operation', 'target', 'label'] as const),
  ...(['before', 'after', 'status', 'request_id', 'caller', 'caller_url', 'sandbox'] as const),
];

export function toEntryRecord({ id: run, head }: StoredRun, row: StoredWrite): Row {
  const id = formatEntryId(run, row.n - 1);
  const { account = null, workspace_id = null, command = null } = head ?? {};
  const { caller = null, caller_url = null } = head ?? {};
  const { operation, target, label, before, after, sent } = row;
  return {
    ...{ id, time: sent?.time ?? null, run, account, workspace_id, command },
    ...{ operation, target, label, before, after, status: getEntryStatus(row), request_id: id },
    ...{ caller, caller_url, sandbox: head?.base_url === 'embedded' || null },
  };
}

/** A write on its way when its process ended is one whose outcome nobody knows. */
export function getEntryStatus({ step }: StoredWrite): EntryStatus {
  return step === 'done' || step === 'failed' ? step : 'unknown';
}

export function listSent({ rows }: StoredRun): readonly StoredWrite[] {
  return rows.filter(
    ({ sent, step }) => sent !== undefined && ['sending', 'done', 'failed', 'unknown'].includes(step),
  );
}

export interface EntryFilter {
  readonly profile?: string | undefined;
  readonly target?: string | undefined;
  readonly operation?: string | undefined;
  /** Id of a member, or a part of what is known of the target: a name, an address. */
  readonly member?: string | undefined;
  /** The ids that it means. */
  readonly memberIds?: ReadonlySet<string> | undefined;
  readonly status?: string | undefined;
  /** Days in the zone, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timeZone: string;
}

/**
 * The latest first, as JSON has them; read only as far as they are asked for. Of a damaged run there is a warning.
 * @param known the run that is filtered; default: all of the history
 */
export function* listEntries(store: RunStore, filter: EntryFilter, known?: StoredRun): Generator<Row> {
  // A day more on each side: the days of files are in UTC.
  const from = filter.from === undefined ? undefined : addDays(filter.from, -1);
  const to = filter.to === undefined ? undefined : addDays(filter.to, 1);
  for (const run of known === undefined ? store.runs({ from, to }) : [known]) {
    if (run.damaged) store.warnDamaged(run.id);
    const profile = run.head?.run?.profile;
    if ((filter.profile ?? profile) !== profile) continue;
    const wanted = listSent(run).filter((row) => isWanted(row, filter));
    const timeOf = ({ sent }: StoredWrite): string => sent?.time ?? '';
    wanted.sort((a, b) => (timeOf(a) === timeOf(b) ? b.n - a.n : timeOf(a) < timeOf(b) ? 1 : -1));
    for (const row of wanted) yield toEntryRecord(run, row);
  }
}

function isWanted(row: StoredWrite, filter: EntryFilter): boolean {
  const { target, operation, status, member: text, memberIds, from, to, timeZone } = filter;
  if (target !== undefined && row.target !== target) return false;
  if (operation !== undefined && row.operation !== operation) return false;
  if (status !== undefined && getEntryStatus(row) !== status) return false;
  if (from !== undefined || to !== undefined) {
    const day = getToday(Date.parse(row.sent?.time ?? ''), timeZone);
    if (day < (from ?? day) || day > (to ?? day)) return false;
  }
  if (text === undefined) return true;
  const { member, label } = row;
  if (member !== undefined && memberIds?.has(member.id)) return true;
  if (/^\d+$/.test(text)) return row.operation.startsWith('members.') && row.target === text;
  return includesText([row.target, label, member?.name, member?.email], text);
}

/**
 * The entries that an id means: one, or all of a run.
 * @throws UsageError for an id of nothing, and for a run of which nothing is known
 */
export function findEntries(store: RunStore, id: string) {
  const { run: runId = '', n } = parseEntryId(id) ?? {};
  const none = (reason?: string) =>
    new UsageError(`there is no entry "${id}" in the history`, {
      code: 'no_entry',
      reason,
      hint: 'In a terminal, ttctl undo offers the last ten. To list them: ttctl history list',
    });
  if (!store.has(runId)) throw none();
  const stored = store.read(runId);
  const entries = listSent(stored).filter((entry) => n === undefined || entry.n === n);
  const run = requireRun(stored, store, entries.length === 0);
  if (entries.length > 0) return { run, entries };
  throw none(n === undefined ? 'The run has sent nothing.' : undefined);
}

/** The id of an entry or of a run, at a terminal also by the beginning of the run's. */
export async function findEntryId(context: Run, text: string): Promise<string> {
  const store = new RunStore(context);
  if (store.has(parseEntryId(text)?.run ?? '')) return text;
  return findLocalId(context, text, () => [...store.ids()].map((id) => ({ id })));
}

/**
 * The ids of a member of whom a part of the name or of the address is given: as the history knows them, else as the
 * service does, where it can be asked.
 */
export async function findMemberIds(
  { lookUps, knownWorkspaceId }: Run,
  store: RunStore,
  text: string,
): Promise<ReadonlySet<string>> {
  if (/^\d+$/.test(text)) return new Set([text]);
  const ids = new Set<string>();
  for (const { rows } of store.runs())
    for (const { member } of rows)
      if (member !== undefined && includesText([member.name, member.email], text)) ids.add(member.id);
  // An address or a whole name that no entry has.
  if (ids.size > 0 || !/[@ ]/.test(text)) return ids;
  try {
    if ((await knownWorkspaceId()) !== undefined) ids.add(await lookUps.find('member', text));
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
  }
  return ids;
}

function includesText(known: readonly (string | null | undefined)[], text: string): boolean {
  return known.join(' ').toLowerCase().includes(text.toLowerCase());
}
