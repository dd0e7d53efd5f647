import type { Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import type { Column } from '../output/list-view.ts';
import { addDays, getToday } from '../parsing/calendar.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { formatEntryId, parseEntryId, type StoredWrite } from './journal.ts';
import { findLocalId } from './select.ts';
import { createDamagedError, openRuns, parseStart, type RunStore, type StoredRun } from './store.ts';

/** Every write that was sent, as people and scripts see it: the rows of all runs. */

export const ENTRY_STATUSES = ['done', 'failed', 'unknown'] as const;
type EntryStatus = (typeof ENTRY_STATUSES)[number];

export const ENTRY_FIELDS = [
  ...(['id', 'time', 'run', 'account', 'workspace_id', 'command', 'operation', 'target', 'label'] as const),
  ...(['before', 'after', 'status', 'request_id'] as const),
];

export function toEntryRecord(run: Pick<StoredRun, 'id' | 'head'>, row: StoredWrite): Row {
  const id = formatEntryId(run.id, row.n - 1);
  const { operation, target, label, before, after } = row;
  return {
    ...toRunFacts(run, id, row.sent?.time ?? null),
    ...{ operation, target, label, before, after },
    status: getEntryStatus(row),
    request_id: id,
  };
}

function toRunFacts({ id: run, head }: Pick<StoredRun, 'id' | 'head'>, id: string, time: string | null): Row {
  const { account = null, workspace_id = null, command = null } = head ?? {};
  return { id, time, run, account, workspace_id, command };
}

/** A write on its way when its process ended is one whose outcome nobody knows. */
export function getEntryStatus({ step }: StoredWrite): EntryStatus {
  return step === 'done' || step === 'failed' ? step : 'unknown';
}

export function listSent({ rows }: Pick<StoredRun, 'rows'>): readonly StoredWrite[] {
  return rows.filter(
    ({ sent, step }) => sent !== undefined && ['sending', 'done', 'failed', 'unknown'].includes(step),
  );
}

export interface EntryFilter {
  readonly target?: string | undefined;
  readonly operation?: string | undefined;
  /** Id of a member, or a part of what is known of the target: a name, an address. */
  readonly member?: string | undefined;
  readonly status?: string | undefined;
  /** Days in the zone, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timeZone: string;
}

/**
 * The latest first, as JSON has them; read only as far as they are asked for.
 * @param known the run that is filtered; default: all of the history
 */
export function* listEntries(store: RunStore, filter: EntryFilter, known?: StoredRun): Generator<Row> {
  // A day more on each side: the days of files are in UTC.
  const from = filter.from === undefined ? undefined : addDays(filter.from, -1);
  const to = filter.to === undefined ? undefined : addDays(filter.to, 1);
  for (const run of known === undefined ? store.runs({ from, to }) : [known]) {
    const wanted = listSent(run).filter((row) => isWanted(row, filter));
    const timeOf = ({ sent }: StoredWrite): string => sent?.time ?? '';
    wanted.sort((a, b) => (timeOf(a) === timeOf(b) ? b.n - a.n : timeOf(a) < timeOf(b) ? 1 : -1));
    for (const row of wanted) yield toEntryRecord(run, row);
    // What cannot be read of a run may be what is wanted, whatever its target is.
    const isPartial = run.damaged && [undefined, 'unreadable'].includes(filter.status);
    if (!isPartial || !isOfDays(parseStart(run.id), filter)) continue;
    const nothing = Object.fromEntries(ENTRY_FIELDS.map((field) => [field, null]));
    yield { ...nothing, ...toRunFacts(run, run.id, parseStart(run.id)), status: 'unreadable' };
  }
}

function isWanted(row: StoredWrite, filter: EntryFilter): boolean {
  const { target, operation, status, member: text } = filter;
  if (target !== undefined && row.target !== target) return false;
  if (operation !== undefined && row.operation !== operation) return false;
  if (status !== undefined && getEntryStatus(row) !== status) return false;
  if (!isOfDays(row.sent?.time ?? '', filter)) return false;
  if (text === undefined) return true;
  const { member, label } = row;
  if (member?.id === text) return true;
  if (/^\d+$/.test(text)) return row.operation.startsWith('members.') && row.target === text;
  const known = [row.target, label, member?.name, member?.email].join(' ').toLowerCase();
  return known.includes(text.toLowerCase());
}

function isOfDays(time: string, { from, to, timeZone }: EntryFilter): boolean {
  if (from === undefined && to === undefined) return true;
  const day = getToday(Date.parse(time), timeZone);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}

/**
 * The entries that an id means: one, or all of a run.
 * @throws UsageError for an id of nothing, and for a run of which nothing can be read
 */
export function findEntries(
  store: RunStore,
  id: string,
): { readonly run: StoredRun; readonly entries: readonly StoredWrite[]; readonly isPartial: boolean } {
  const parsed = parseEntryId(id);
  const none = (reason?: string) =>
    new UsageError(`there is no entry "${id}" in the history`, {
      code: 'no_entry',
      reason,
      hint: 'List them: ttctl history list',
    });
  if (parsed === undefined) throw none();
  if (!store.has(parsed.run)) throw none();
  const run = store.read(parsed.run);
  const entries = listSent(run).filter(({ n }) => parsed.n === undefined || n === parsed.n);
  if (entries.length > 0) return { run, entries, isPartial: run.damaged && parsed.n === undefined };
  if (run.damaged) throw createDamagedError(run.id, store);
  throw none(parsed.n === undefined ? 'The run has sent nothing.' : undefined);
}

/** Of a run that is to be taken back as a whole. */
export function createPartialError(id: string): UsageError {
  return new UsageError(`the journal of ${id} is damaged`, {
    code: 'damaged_job',
    reason: 'Some of what it sent is unknown.',
    hint: `See what is known, and undo it entry by entry: ${commandLine`ttctl history list --run ${id}`}`,
  });
}

const RUN_WORDS: readonly Column[] = [{ field: 'command' }, { field: 'started_at', kind: 'time' }];
const ENTRY_WORDS: readonly Column[] = [
  { field: 'operation' },
  { field: 'label', show: ({ label, target }) => label ?? target },
  { field: 'time', kind: 'time' },
];

/** The id of an entry or of a run, at a terminal also by its beginning. @param among `runs`: ids of runs alone */
export async function findEntryId(context: Run, text: string, among?: 'runs'): Promise<string> {
  const store = openRuns(context);
  const list = (): readonly Row[] => {
    // The day of an id, where so much of it is there.
    const [, ...parts] = /^(\d{4})(\d\d)(\d\d)/.exec(text) ?? [];
    const day = parts.length === 0 ? undefined : parts.join('-');
    const runs = [...store.runs({ from: day, to: day })];
    if (among === 'runs' && parseEntryId(text)?.n !== undefined) return [];
    if (among === 'runs')
      return runs.map(({ id, head }) => ({ id, command: head?.command, started_at: head?.created_at }));
    // A run is all of its writes.
    if (runs.some(({ id }) => id === text)) return [];
    return runs.flatMap((run) => listSent(run).map((row) => toEntryRecord(run, row)));
  };
  return findLocalId(context, text, list, among === 'runs' ? RUN_WORDS : ENTRY_WORDS);
}
