import { EXIT, Failure, parseFailureJson } from '../../outcome.ts';
import { classifyFailure, findRule } from '../outcomes.ts';
import { isJobHeader, isStep, type Job, type JobLines, type JobStep, type RowState } from './record.ts';

/** How many rows of a job came to what. */

export interface JobCounts {
  /** Those that were as they should be already among them. */
  readonly done: number;
  readonly failed: number;
  /** Not sent, and not to be: the record was gone, or had changed. */
  readonly skipped: number;
  /** Those of them whose record had changed. */
  readonly moved: number;
  /** Sent, and what became of it is not known. */
  readonly unknown: number;
  /** Not sent yet. */
  readonly left: number;
  /** Of those that failed: what surely was not done, and is right as it is. Going on sends them again. */
  readonly repeatable: number;
}

type StepState = Pick<JobStep, 'state' | 'error'>;

/** What became of a row that failed, by the table. */
const findFailedRule = ({ error = {} }: StepState) =>
  findRule(
    classifyFailure(parseFailureJson(error, FAILED)),
    error['created'] === undefined ? 'change' : 'creation',
  );

const FAILED = new Failure('failed', { code: 'failed', exit: EXIT.partial });

/** Whether going on sends a row that failed again. */
export const isRepeatable = (step: StepState): boolean =>
  step.state === 'failed' && findFailedRule(step).resume === 'send';

/** Whether a row that failed can be corrected and fed back. */
export const isFedBack = (step: StepState): boolean =>
  step.state === 'failed' && findFailedRule(step).fedBack;

const isMoved = ({ state, error }: StepState): boolean => state === 'skipped' && error !== undefined;

/** Whether something is wrong with a row: also where its record was found changed, so that it was not sent. */
export const hasFailed = (step: StepState): boolean => step.state === 'failed' || isMoved(step);

/** @param running whether the job is at work: then a row under way is only not done yet */
export const countJobRows = (
  { rows }: { readonly rows: readonly StepState[] },
  running = false,
): JobCounts => {
  const count = (...states: readonly RowState[]) => rows.filter(({ state }) => states.includes(state)).length;
  const underWay = count('sending');
  return {
    done: count('done', 'unchanged'),
    failed: count('failed'),
    skipped: count('skipped'),
    moved: rows.filter(isMoved).length,
    unknown: count('unknown') + (running ? 0 : underWay),
    left: count('planned') + (running ? underWay : 0),
    repeatable: rows.filter(isRepeatable).length,
  };
};

/** The same of a journal's steps alone: rows without one are left. Undefined where they are no job's. */
export const countJobSteps = (
  { lines, damaged }: JobLines,
  running: boolean,
): (Pick<Job, 'head'> & { readonly counts: JobCounts }) | undefined => {
  const head = lines.find(isJobHeader);
  if (head === undefined) return undefined;
  const last = new Map(lines.filter(isStep).map((step) => [step.n, step]));
  const counts = countJobRows({ rows: [...last.values()] }, running);
  const left = counts.left + Math.max(0, head.rows - last.size);
  // As in a replay: what may be lost could have been sent.
  if (damaged && !running) return { head, counts: { ...counts, left: 0, unknown: counts.unknown + left } };
  return { head, counts: { ...counts, left } };
};

export const JOB_STATES = ['running', 'interrupted', 'unknown', 'failed', 'done'] as const;
export type JobState = (typeof JOB_STATES)[number];
/** As `jobs list --state` has them: `unfinished` are all that `jobs resume` would do something for. */
export const JOB_FILTERS = [...JOB_STATES, 'unfinished'] as const;

/** How many rows going on would do something for. */
export const countOpen = ({ left, unknown, repeatable }: JobCounts): number => left + unknown + repeatable;

/** `interrupted`: rows are left, or can be sent again as they are. `unknown`: of some it is not known what became of them. */
export const deriveJobState = (
  { left, repeatable, unknown, failed, moved }: JobCounts,
  running: boolean,
): JobState => {
  if (running) return 'running';
  if (left + repeatable > 0) return 'interrupted';
  if (unknown > 0) return 'unknown';
  return failed + moved > 0 ? 'failed' : 'done';
};
