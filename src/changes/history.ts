import type { Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { addDays, getToday } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { formatEntryId, parseEntryId, type StoredWrite } from './journal.ts';
import { findLocalId } from './select.ts';
import { openRuns, type RunStore, requireRun, type StoredRun, type WholeRun } from './store.ts';

/** Every write that was sent, as people and scripts see it: the rows of all runs. */

export const ENTRY_STATUSES = ['done', 'failed', 'unknown'] as const;
type EntryStatus = (typeof ENTRY_STATUSES)[number];

export const ENTRY_FIELDS = [
  ...(['id', 'time', 'run', 'account', 'workspace_id', 'command', 'operation', 'target', 'label'] as const),
  ...(['before', 'after', 'status', 'request_id'] as const),
];

export function toEntryRecord({ id: run, head }: Pick<StoredRun, 'id' | 'head'>, row: StoredWrite): Row {
  const id = formatEntryId(run, row.n - 1);
  const { account = null, workspace_id = null, command = null } = head ?? {};
  const { operation, target, label, before, after, sent } = row;
  return {
    ...{ id, time: sent?.time ?? null, run, account, workspace_id, command },
    ...{ operation, target, label, before, after, status: getEntryStatus(row), request_id: id },
  };
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
 * The latest first, as JSON has them; read only as far as they are asked for. Of a damaged run there is a warning.
 * @param known the run that is filtered; default: all of the history
 */
export function* listEntries(store: RunStore, filter: EntryFilter, known?: StoredRun): Generator<Row> {
  // A day more on each side: the days of files are in UTC.
  const from = filter.from === undefined ? undefined : addDays(filter.from, -1);
  const to = filter.to === undefined ? undefined : addDays(filter.to, 1);
  for (const run of known === undefined ? store.runs({ from, to }) : [known]) {
    if (run.damaged) store.warnDamaged(run.id);
    const wanted = listSent(run).filter((row) => isWanted(row, filter));
    const timeOf = ({ sent }: StoredWrite): string => sent?.time ?? '';
    wanted.sort((a, b) => (timeOf(a) === timeOf(b) ? b.n - a.n : timeOf(a) < timeOf(b) ? 1 : -1));
    for (const row of wanted) yield toEntryRecord(run, row);
  }
}

function isWanted(row: StoredWrite, filter: EntryFilter): boolean {
  const { target, operation, status, member: text, from, to, timeZone } = filter;
  if (target !== undefined && row.target !== target) return false;
  if (operation !== undefined && row.operation !== operation) return false;
  if (status !== undefined && getEntryStatus(row) !== status) return false;
  if (from !== undefined || to !== undefined) {
    const day = getToday(Date.parse(row.sent?.time ?? ''), timeZone);
    if (day < (from ?? day) || day > (to ?? day)) return false;
  }
  if (text === undefined) return true;
  const { member, label } = row;
  if (member?.id === text) return true;
  if (/^\d+$/.test(text)) return row.operation.startsWith('members.') && row.target === text;
  const known = [row.target, label, member?.name, member?.email].join(' ').toLowerCase();
  return known.includes(text.toLowerCase());
}

/**
 * The entries that an id means: one, or all of a run.
 * @throws UsageError for an id of nothing, and for a run of which nothing is known
 */
export function findEntries(
  store: RunStore,
  id: string,
): { readonly run: WholeRun; readonly entries: readonly StoredWrite[] } {
  const { run: runId = '', n } = parseEntryId(id) ?? {};
  const none = (reason?: string) =>
    new UsageError(`there is no entry "${id}" in the history`, {
      code: 'no_entry',
      reason,
      hint: 'List them: ttctl history list',
    });
  if (!store.has(runId)) throw none();
  const stored = store.read(runId);
  const entries = listSent(stored).filter((entry) => n === undefined || entry.n === n);
  const run = requireRun(stored, store, entries.length === 0);
  if (entries.length > 0) return { run, entries };
  throw none(n === undefined ? 'The run has sent nothing.' : undefined);
}

/** The id of an entry or of a run, at a terminal also by its beginning. @param among `runs`: ids of runs alone */
export async function findEntryId(context: Run, text: string, among?: 'runs'): Promise<string> {
  const store = openRuns(context);
  if (store.has(parseEntryId(text)?.run ?? '')) return text;
  const listIds = (run: StoredRun): readonly string[] =>
    among === 'runs' ? [run.id] : listSent(run).map(({ n }) => formatEntryId(run.id, n - 1));
  return findLocalId(context, text, () => [...store.runs()].flatMap(listIds).map((id) => ({ id })));
}
