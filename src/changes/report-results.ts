import type { Context, TargetResult } from '../context.ts';
import type { AfterRun, Change, RunWords } from './change.ts';
import { captureOutputFailure, type OutputFailure, warnUnprinted, withOutputWarning } from './report-one.ts';
import {
  countResults,
  createRunFailure,
  createRunSummary,
  type EarlierCounts,
  formatPaceNotice,
  formatProgress,
  type JobSummary,
  pluralize,
  type RunSummary,
} from './run-summary.ts';
import type { SendResult } from './send.ts';
import type { CircuitBreaker } from './send-all.ts';

/** A write as people see it: what is said before, while it goes on, and after. */

interface RunReport extends RunWords, AfterRun {
  readonly changes: readonly Pick<Change, 'target' | 'label'>[];
  /** Different rows. */
  readonly count: number;
  readonly breaker: CircuitBreaker;
  readonly results: AsyncIterable<SendResult>;
  /** What became of the rows of earlier runs of the same job. */
  readonly earlier?: EarlierCounts | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly confirmed?: boolean | undefined;
  /** The command line that shows what became of it, where there is no job. */
  readonly inspectLine?: string | undefined;
  /** After the last row: what the job adds to the end. */
  readonly close?: () => Promise<JobSummary>;
}

/** What is known of targets in words; undefined where nothing is. */
const mapLabels = ({ changes }: RunReport): ((target: string) => string | undefined) | undefined => {
  const known = new Map<string, string>();
  for (const { target, label } of changes) if (label !== undefined) known.set(target, label);
  return known.size === 0 ? undefined : (target) => known.get(target);
};

/** From here on a run lets single commands pass (docs/requirements.md, CLI-6). */
const BULK_FROM = 20;

/** Different rows of the whole job. */
const countAllRows = ({ count, earlier }: RunReport): number =>
  count + (earlier === undefined ? 0 : earlier.done + earlier.failures.length);

/** @throws as `warnUnprinted`; of a dry run the loss itself */
const warnOutputLost = (
  context: Context,
  { verb, noun, inspectLine: look }: RunWords & Pick<RunReport, 'inspectLine'>,
  { done }: RunSummary,
  { lost: outputFailure, job }: { readonly lost: OutputFailure; readonly job: JobSummary },
): void => {
  if (context.settings.dryRun.value) throw outputFailure;
  const text = `${pluralize(done.length, noun)} ${verb[1]}`;
  const details = { ...job.details, done: done.length };
  warnUnprinted(context, outputFailure, { text, inspectLine: job.inspectLine ?? look, details });
};

/**
 * Carries a run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else Unprinted where the results could not be printed as asked
 */
export const reportRun = async (context: Context, run: RunReport): Promise<void> => {
  const { count, results, confirmed, next, formatSummary, hint, close, breaker } = run;
  const { output, settings, watch, clock } = context;
  const summary = createRunSummary(clock.now());
  const writes = !settings.dryRun.value;
  const paceNotice = writes ? formatPaceNotice(context, count) : undefined;
  if (paceNotice !== undefined && !confirmed) output.note(paceNotice);
  if (writes && count > BULK_FROM) await context.bulk();
  const findLabel = mapLabels(run);
  const isUnbegun = (result: TargetResult): boolean => summary.unbegun.has(result);
  const resultOptions = {
    count: countAllRows(run),
    unsaid: isUnbegun,
    ...(findLabel === undefined ? {} : { words: findLabel }),
  };
  const printing = watch.during(
    () => formatProgress(context, summary, count),
    () => output.results(countResults(results, summary), resultOptions),
  );
  const outputFailure = await captureOutputFailure(printing);
  const job = (await close?.()) ?? {};
  if (formatSummary !== undefined && writes) output.note(formatSummary(summary.done));
  const stopped = breaker.tripped;
  const end = createRunFailure(context, {
    ...run,
    words: run,
    stopped,
    summary,
    job,
    printed: outputFailure === undefined,
  });
  if (end !== undefined) throw withOutputWarning(context, end, outputFailure);
  if (summary.done.length > 0 && writes) {
    if (next !== undefined) output.note(next(summary.done));
    if (hint !== undefined) output.hint(hint(summary.done));
  }
  if (paceNotice !== undefined && job.doneNote !== undefined) output.note(job.doneNote);
  if (outputFailure !== undefined) warnOutputLost(context, run, summary, { lost: outputFailure, job });
};

/**
 * Prints a result for each of some targets that nothing is sent to the service for.
 * @throws Failure when any of them failed, after all results are printed; Cancelled when interrupted
 */
export const reportLocal = async (
  context: Context,
  words: RunWords,
  sendResults: AsyncIterable<SendResult>,
  count: number,
): Promise<void> => {
  await context.output.checkNames();
  const summary = createRunSummary(context.clock.now());
  const outputFailure = await captureOutputFailure(
    context.output.results(countResults(sendResults, summary)),
  );
  const end = createRunFailure(context, {
    summary,
    count,
    words,
    job: {},
    printed: outputFailure === undefined,
  });
  if (end !== undefined) throw withOutputWarning(context, end, outputFailure);
  if (outputFailure !== undefined) warnOutputLost(context, words, summary, { lost: outputFailure, job: {} });
};
