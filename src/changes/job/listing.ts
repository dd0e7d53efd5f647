import type { Row } from '../../api/page.ts';
import type { Output } from '../../context.ts';
import { Failure } from '../../outcome.ts';
import type { JobDesk } from './desk.ts';
import { resumeLine } from './place.ts';
import { countsOf, type Job, readJob, replay, stateOf } from './record.ts';

/** Jobs as people and scripts see them. */

/** Undefined for a journal that cannot be read, or is none. */
const readable = (desk: JobDesk, id: string): Job | undefined => {
  try {
    return replay(desk.read(id));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
};

const UNREADABLE = {
  command: null,
  state: 'unreadable',
  done: null,
  failed: null,
  unknown: null,
  left: null,
  started_at: null,
  failed_file: null,
};

const jobRow = (desk: JobDesk, id: string): Row => {
  const job = readable(desk, id);
  if (job === undefined) return { id, ...UNREADABLE };
  const running = desk.isRunning(id);
  const counts = countsOf(job, running);
  return {
    id,
    command: job.head.command,
    state: stateOf(counts, running),
    ...counts,
    started_at: job.head.started_at,
    failed_file: desk.failedFile(id) ?? null,
  };
};

/** The latest first. */
export const jobRows = (desk: JobDesk): readonly Row[] =>
  desk
    .ids()
    .map((id) => jobRow(desk, id))
    .sort((a, b) => String(b['started_at'] ?? '').localeCompare(String(a['started_at'] ?? '')));

/** @throws UsageError when there is no such job, or its journal says nothing */
const jobOf = (desk: JobDesk, id: string): Job => readJob(id, desk.read(id));

/** What became of every row, in the order given. */
export const targetRows = (desk: JobDesk, id: string): readonly Row[] =>
  jobOf(desk, id).rows.map(({ target, state, operation, at, message, error }) => ({
    target,
    status: state,
    operation,
    at: at === undefined ? null : new Date(at).toISOString(),
    message: error?.['message'] ?? message ?? null,
    error: error ?? null,
  }));

/** The record of a job for people: one line each. */
export const factsText = async (
  desk: JobDesk,
  id: string,
  { inWords }: Pick<Output, 'inWords'>,
): Promise<readonly string[]> => {
  const { head, damaged, rows } = jobOf(desk, id);
  const running = desk.isRunning(id);
  const counts = countsOf({ rows }, running);
  const { done, failed, unknown, left } = counts;
  const file = desk.failedFile(id);
  const open = unknown + left > 0 && !running;
  const [[started] = []] = await inWords([{ at: head.started_at }], [{ field: 'at', kind: 'time' }]);
  return [
    `job        ${id}  ${stateOf(counts, running)}`,
    `command    ${head.command}`,
    `target     profile ${head.profile}, ${head.origin}, workspace ${head.workspace_id ?? 'none'}`,
    `started    ${started}`,
    `rows       ${done} done, ${failed} failed, ${unknown} unknown, ${left} left`,
    ...(file === undefined ? [] : [`failed     ${file}`]),
    ...(damaged ? ['damaged    lines are lost; rows that may have been sent are checked first'] : []),
    ...(open ? [`resume     ${resumeLine(head)}`] : []),
    '',
  ];
};

/** Rows that are not settled, and the record. */
export const jobFacts = async (desk: JobDesk, id: string, output: Pick<Output, 'inWords'>) => {
  const { unknown, left } = countsOf(jobOf(desk, id));
  return { open: unknown + left, facts: (await factsText(desk, id, output)).slice(0, -1) };
};
