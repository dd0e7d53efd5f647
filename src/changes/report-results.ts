import type { Context, TargetResult } from '../context.ts';
import type { AfterRun, Change, RunWords } from './change.ts';
import { captureOutputFailure, type OutputFailure, warnUnprinted, withOutputWarning } from './report-one.ts';
import {
  countResults,
  createRunFailure,
  type EarlierCounts,
  formatPaceNotice,
  formatProgress,
  type JobSummary,
  newTally,
  pluralize,
  type Tally,
} from './run-summary.ts';
import type { SendResult } from './send.ts';
import type { CircuitBreaker } from './send-all.ts';

/** A write as people see it: what is said before, while it goes on, and after. */

interface Course extends RunWords, AfterRun {
  readonly changes: readonly Pick<Change, 'target' | 'label'>[];
  /** Different rows. */
  readonly count: number;
  readonly brake: CircuitBreaker;
  readonly results: AsyncIterable<SendResult>;
  /** What became of the rows of earlier runs of the same job. */
  readonly earlier?: EarlierCounts | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly asked?: boolean | undefined;
  /** The command line that shows what became of it, where there is no job. */
  readonly look?: string | undefined;
  /** After the last row: what the job adds to the end. */
  readonly close?: () => Promise<JobSummary>;
}

/** What is known of targets in words; undefined where nothing is. */
const labelsOf = ({ changes }: Course): ((target: string) => string | undefined) | undefined => {
  const known = new Map<string, string>();
  for (const { target, label } of changes) if (label !== undefined) known.set(target, label);
  return known.size === 0 ? undefined : (target) => known.get(target);
};

/** From here on a run lets single commands pass (docs/requirements.md, CLI-6). */
const MANY = 20;

/** Different rows of the whole job. */
const wholeOf = ({ count, earlier }: Course): number =>
  count + (earlier === undefined ? 0 : earlier.done + earlier.failures.length);

/** @throws as `warnUnprinted`; of a dry run the loss itself */
const tellLoss = (
  context: Context,
  { verb, noun, look }: RunWords & Pick<Course, 'look'>,
  { done }: Tally,
  { lost, job }: { readonly lost: OutputFailure; readonly job: JobSummary },
): void => {
  if (context.settings.dryRun.value) throw lost;
  const text = `${pluralize(done.length, noun)} ${verb[1]}`;
  const details = { ...job.details, done: done.length };
  warnUnprinted(context, lost, { text, look: job.look ?? look, details });
};

/**
 * Carries a run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else Unprinted where the results could not be printed as asked
 */
export const reportRun = async (context: Context, course: Course): Promise<void> => {
  const { count, results, asked, next, told, hint, close, brake: breaker } = course;
  const { output, settings, watch, clock } = context;
  const summary = newTally(clock.now());
  const writes = !settings.dryRun.value;
  const said = writes ? formatPaceNotice(context, count) : undefined;
  if (said !== undefined && !asked) output.note(said);
  if (writes && count > MANY) await context.bulk();
  const words = labelsOf(course);
  const unsaid = (result: TargetResult): boolean => summary.unbegun.has(result);
  const about = {
    count: wholeOf(course),
    unsaid,
    ...(words === undefined ? {} : { words }),
  };
  const printing = watch.during(
    () => formatProgress(context, summary, count),
    () => output.results(countResults(results, summary), about),
  );
  const lost = await captureOutputFailure(printing);
  const job = (await close?.()) ?? {};
  if (told !== undefined && writes) output.note(told(summary.done));
  const stopped = breaker.tripped;
  const end = createRunFailure(context, {
    ...course,
    words: course,
    stopped,
    tally: summary,
    job,
    printed: lost === undefined,
  });
  if (end !== undefined) throw withOutputWarning(context, end, lost);
  if (summary.done.length > 0 && writes) {
    if (next !== undefined) output.note(next(summary.done));
    if (hint !== undefined) output.hint(hint(summary.done));
  }
  if (said !== undefined && job.done !== undefined) output.note(job.done);
  if (lost !== undefined) tellLoss(context, course, summary, { lost, job });
};

/**
 * Prints a result for each of some targets that nothing is sent to the service for.
 * @throws Failure when any of them failed, after all results are printed; Cancelled when interrupted
 */
export const reportLocal = async (
  context: Context,
  words: RunWords,
  sents: AsyncIterable<SendResult>,
  count: number,
): Promise<void> => {
  await context.output.checkNames();
  const summary = newTally(context.clock.now());
  const lost = await captureOutputFailure(context.output.results(countResults(sents, summary)));
  const end = createRunFailure(context, {
    tally: summary,
    count,
    words,
    job: {},
    printed: lost === undefined,
  });
  if (end !== undefined) throw withOutputWarning(context, end, lost);
  if (lost !== undefined) tellLoss(context, words, summary, { lost, job: {} });
};
