import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import type { Output } from '../../output/output.ts';
import { listOpenSingles } from '../history/runs.ts';
import { findLocalId } from '../select.ts';
import { formatResumeCommand } from './destination.ts';
import {
  countJobRows,
  countOpen,
  deriveJobState,
  type Job,
  type JobCounts,
  type JobRowStatus,
  readJob,
  replayJournal,
} from './record.ts';
import type { JobStore } from './store.ts';

/** Jobs as people and scripts see them. */

/** Undefined for a journal that cannot be read, or is none. */
const tryReadJob = (store: JobStore, id: string): Job | undefined => {
  try {
    return replayJournal(store.read(id));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
};

const UNREADABLE = {
  ...{ command: null, state: 'unreadable', done: null, failed: null, skipped: null, unknown: null },
  ...{ left: null, started_at: null, failed_file: null },
};

interface JobFilter {
  readonly state?: string | undefined;
  readonly profile?: string | undefined;
}

/** Undefined for a run that is not listed: of one write that is over, or of another profile. */
const jobRow = (store: JobStore, id: string, { profile, state }: JobFilter): Row | undefined => {
  const running = store.isRunning(id);
  const job = tryReadJob(store, id);
  if (job === undefined)
    return profile === undefined && state !== 'unfinished' ? { id, ...UNREADABLE } : undefined;
  const { head } = job;
  const counts = countJobRows(job, running);
  const { done, failed, skipped, unknown, left } = counts;
  if (profile !== undefined && head.profile !== profile) return undefined;
  const isUnfinished = countOpen(counts) > 0;
  if (head.rows === 1 && !isUnfinished) return undefined;
  if (state === 'unfinished' && (!isUnfinished || running)) return undefined;
  return {
    id,
    command: head.command,
    state: deriveJobState(counts, running),
    ...{ done, failed, skipped, unknown, left },
    started_at: head.started_at,
    failed_file: store.failedFile(id) ?? null,
  };
};

export const listJobRows = (store: JobStore, filter: JobFilter = {}): readonly Row[] =>
  [...store.ids(), ...listOpenSingles(store)]
    .map((id) => jobRow(store, id, filter))
    .filter((row) => row !== undefined)
    .filter((row) => [undefined, 'unfinished', row['state']].includes(filter.state))
    .sort((a, b) => String(b['started_at'] ?? '').localeCompare(String(a['started_at'] ?? '')));

const WORDS: readonly Column[] = [
  { field: 'command' },
  { field: 'state' },
  { field: 'started_at', kind: 'time' },
];

export const findJobId = async (context: Context, text: string): Promise<string> => {
  const store = await context.jobs();
  return findLocalId(context, text, () => (store.ids().includes(text) ? [] : listJobRows(store)), WORDS);
};

/** @throws UsageError when there is no such job, or its journal says nothing */
const requireJob = (store: JobStore, id: string): Job => readJob(id, store.read(id));

const NOT_SENT = 'not sent';

/** A row in the words of the results: once the run is over, nothing is planned or on its way any more. */
const describeEnd = (
  { state, message }: Pick<JobRowStatus, 'state' | 'message'>,
  running: boolean,
): Pick<JobRowStatus, 'state' | 'message'> => {
  if (running) return { state, message };
  if (state === 'planned') return { state: 'skipped', message: message ?? NOT_SENT };
  return { state: state === 'sending' ? 'unknown' : state, message };
};

export const listTargetRows = (store: JobStore, id: string): readonly Row[] => {
  const running = store.isRunning(id);
  return requireJob(store, id).rows.map((row) => {
    const { target, operation, at, error } = row;
    const { state, message } = describeEnd(row, running);
    return {
      target,
      status: state,
      operation,
      at: at === undefined ? null : new Date(at).toISOString(),
      message: error?.['message'] ?? message ?? null,
      error: error ?? null,
    };
  });
};

/** Rows that are left are skipped ones too, once the run is over. */
const formatCounts = ({ done, failed, skipped, unknown, left }: JobCounts, running: boolean): string => {
  const first = `${done} done, ${failed} failed`;
  if (running) return `${first}, ${skipped} skipped, ${unknown} unknown, ${left} left`;
  const open = left === 0 ? '' : ` (${left} left)`;
  return `${first}, ${skipped + left} skipped${open}, ${unknown} unknown`;
};

export const formatJobDetails = async (
  store: JobStore,
  id: string,
  output: Pick<Output, 'inWords'>,
): Promise<readonly string[]> => {
  const { head, damaged, rows } = requireJob(store, id);
  const running = store.isRunning(id);
  const counts = countJobRows({ rows }, running);
  const file = store.failedFile(id);
  const open = countOpen(counts) > 0 && !running;
  const [[started] = []] = await output.inWords([{ at: head.started_at }], [{ field: 'at', kind: 'time' }]);
  return [
    `job        ${id}  ${deriveJobState(counts, running)}`,
    `command    ${head.command}`,
    `target     profile ${head.profile}, ${head.origin}, workspace ${head.workspace_id ?? 'none'}`,
    `started    ${started}`,
    `rows       ${formatCounts(counts, running)}`,
    ...(file === undefined ? [] : [`failed     ${file}`]),
    ...(damaged ? ['damaged    lines are lost; rows that may have been sent are checked first'] : []),
    ...(open ? [`resume     ${formatResumeCommand(head)}`] : []),
    '',
  ];
};
