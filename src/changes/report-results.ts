import type { Context, ResultsInfo } from '../context.ts';
import { EXIT } from '../outcome.ts';
import type { AfterRun, Changes, RunWords } from './change.ts';
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
import type { CircuitBreaker } from './send-all.ts';
import type { SendResult } from './send-result.ts';

/** A write as people see it: what is said before, while it goes on, and after. */

interface RunReport extends RunWords, AfterRun {
  /** Different rows. */
  readonly count: number;
  /** How many of them are sent. Default: all. */
  readonly toSend?: number;
  /** Requests that are made beside these writes. */
  readonly looks?: number;
  readonly breaker: CircuitBreaker;
  readonly results: AsyncIterable<SendResult>;
  /** What became of the rows of earlier runs of the same job. */
  readonly earlier?: EarlierCounts | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly confirmed?: boolean | undefined;
  readonly exitCode?: boolean | undefined;
  /** Whether stdout is for something else. */
  readonly silent?: boolean;
  /** The command line that shows what became of it, where there is no job. */
  readonly inspectLine?: string | undefined;
  /** After the last row: what the job adds to the end. */
  readonly close?: () => Promise<JobSummary>;
}

/** Different rows of the whole job. */
const countAllRows = ({ count, earlier }: RunReport): number =>
  count + (earlier === undefined ? 0 : earlier.done + earlier.failures.length);

/** What is said of each result beside what is in it. */
const createResultsInfo = (
  { output, settings }: Context,
  run: RunReport,
  summary: RunSummary,
): ResultsInfo => ({
  count: countAllRows(run),
  // What stays as it is stands in the summary alone.
  unsaid: (result) => summary.unbegun.has(result) || (result.status === 'unchanged' && run.count > 1),
  requests: settings.debug.value,
  changes: async (result) => {
    if (result.status !== 'planned' || result.after === undefined) return '';
    const { describeEffect } = await import('./describe-change.ts');
    return describeEffect(output, result);
  },
});

/** The results, in the order of the changes, with what has to be heeded of each. */
export async function* withWarnings(
  results: AsyncIterable<SendResult>,
  { changes, warnings }: Changes,
): AsyncGenerator<SendResult> {
  let n = 0;
  for await (const sent of results) {
    const found = warnings?.get(changes[n]?.key ?? '');
    n += 1;
    yield found === undefined ? sent : { ...sent, result: { ...sent.result, ...found } };
  }
}

/** Each result is in the log before it is printed. */
async function* logResults(
  { events }: Pick<Context, 'events'>,
  results: AsyncIterable<SendResult>,
): AsyncGenerator<SendResult> {
  for await (const sent of results) {
    events.result(sent.result, sent.requestId);
    yield sent;
  }
}

const drain = async (results: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of results);
};

/** From here on a run lets single commands pass. */
const BULK_FROM = 20;

/** @throws as `warnUnprinted`; where nothing was written, the loss itself */
const warnOutputLost = (
  context: Context,
  { verb, noun, inspectLine: look }: RunWords & Pick<RunReport, 'inspectLine'>,
  { done }: RunSummary,
  { lost: outputFailure, job }: { readonly lost: OutputFailure; readonly job: JobSummary },
): void => {
  if (context.settings.dryRun.value || (done.length === 0 && job.inspectLine === undefined))
    throw outputFailure;
  const text = `${pluralize(done.length, noun)} ${verb[1]}`;
  const details = { ...job.details, done: done.length };
  warnUnprinted(context, outputFailure, { text, inspectLine: job.inspectLine ?? look, details });
};

/** What people are told when all is done. */
const sayNext = ({ output }: Context, { next, hint }: AfterRun, done: readonly string[]): void => {
  if (done.length === 0) return;
  if (next !== undefined) output.note(next(done));
  if (hint !== undefined) output.hint(hint(done));
};

/**
 * Carries a run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else OutputError where the results could not be printed as asked
 */
export const reportRun = async (context: Context, run: RunReport): Promise<void> => {
  const { count, toSend = count, looks = 0, results, confirmed, formatSummary, close, breaker } = run;
  const { output, settings, watch, clock } = context;
  const summary = createRunSummary(clock.now());
  const writes = !settings.dryRun.value;
  const paceNotice = writes ? formatPaceNotice(context, toSend + looks) : undefined;
  if (paceNotice && !confirmed) output.note(paceNotice);
  if (writes && toSend > BULK_FROM) await context.bulk();
  const print = run.silent === true ? drain : output.results;
  const printing = watch.during(
    () => formatProgress(context, summary, count),
    () =>
      print(countResults(logResults(context, results), summary), createResultsInfo(context, run, summary)),
  );
  const outputFailure = await captureOutputFailure(printing);
  const job = (await close?.()) ?? {};
  if (formatSummary !== undefined && writes) output.note(formatSummary(summary.done));
  const end = createRunFailure(context, {
    ...run,
    words: run,
    stopped: breaker.tripped,
    summary,
    job,
    printed: outputFailure === undefined,
  });
  if (end !== undefined) throw withOutputWarning(context, end, outputFailure);
  if (writes) sayNext(context, run, summary.done);
  if (paceNotice && job.doneNote) output.note(job.doneNote);
  if (run.exitCode === true && summary.done.length > 0) context.exit(EXIT.found);
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
    context.output.results(countResults(logResults(context, sendResults), summary)),
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
