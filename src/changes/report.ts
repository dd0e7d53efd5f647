import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import {
  Cancelled,
  EXIT,
  type Failure,
  type FailureFacts,
  OutputClosed,
  OutputError,
  toFailureJson,
} from '../errors.ts';
import type { Result, ResultsInfo } from '../output/result.ts';
import type { AfterRun, Change, RunWords, WriteOne } from './change.ts';
import {
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
import { findCreatedId, type SendResult } from './send-result.ts';

/** Results that could not be printed: what became of the writes is told all the same, so that nobody repeats them. */

export type OutputFailure = OutputError | OutputClosed;

/** @returns why the results could not be printed as asked, where that is so */
export const captureOutputFailure = async (printing: Promise<void>): Promise<OutputFailure | undefined> => {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof OutputError || error instanceof OutputClosed) return error;
    throw error;
  }
};

/** The end of a run, with a warning of what could not be printed: what failed at the service matters more. */
export const withOutputWarning = (
  { output }: Pick<Context, 'output'>,
  end: Failure,
  outputFailure: OutputFailure | undefined,
): Failure => {
  if (outputFailure !== undefined)
    output.warn([outputFailure.message, outputFailure.reason].filter(Boolean).join(': '));
  return end;
};

export interface CompletedChange {
  readonly text: string;
  readonly inspectLine?: string | undefined;
  readonly details?: FailureFacts['details'];
}

/**
 * Prints what became of a change that is done.
 * @param next what is said after it, printed or not
 * @throws as `warnUnprinted`
 */
export const printChange = async (
  context: Pick<Context, 'output'>,
  printing: Promise<void>,
  completed: CompletedChange,
  next: () => unknown = () => {},
): Promise<void> => {
  const outputFailure = await captureOutputFailure(printing);
  next();
  warnUnprinted(context, outputFailure, completed);
};

/**
 * After writes that are done. Of a reader that has gone people are told, and the command is none the worse for it.
 * @throws OutputError for any other loss
 */
export const warnUnprinted = (
  { output }: Pick<Context, 'output'>,
  outputFailure: OutputFailure | undefined,
  { text, inspectLine, details = {} }: CompletedChange,
): void => {
  if (outputFailure === undefined) return;
  const hint = `Do not run the command again. ${inspectLine === undefined ? 'Check the records first.' : `See the results: ${inspectLine}`}`;
  if (outputFailure instanceof OutputClosed) {
    output.warn(`${text}, but the output was closed. ${hint}`);
    return;
  }
  if (outputFailure.code !== 'output_failed') throw outputFailure;
  throw new OutputError(`${text}, but the output could not be written`, {
    code: outputFailure.code,
    exit: EXIT.fault,
    reason: outputFailure.reason,
    hint,
    details,
    cause: outputFailure,
  });
};

const describeCompleted = async <V>(
  { noun, verb }: WriteOne<V>,
  { call }: SentChange,
  { target, data }: Result,
): Promise<CompletedChange> => {
  const { formatInspectLine } = await import('./unknown-outcome.ts');
  const created = findCreatedId(call, data);
  const subject = created ?? target;
  const text = `${subject === noun[0] ? subject : `${noun[0]} ${subject}`} ${verb[1]}`;
  const details = created === undefined ? {} : { created };
  return { text, inspectLine: formatInspectLine({ call, target }, created), details };
};

type SentChange = Pick<Change, 'call' | 'after'>;

/** What a record is printed after: one that was made, or that was there already. */
const PRINTED: ReadonlySet<string> = new Set(['done', 'unchanged']);

const printResult = async <V>(
  context: Context,
  work: WriteOne<V>,
  change: SentChange,
  { result, observation }: SendResult,
): Promise<void> => {
  const { columns, hint, record, noun } = work;
  const { output } = context;
  const data = result.data as Row | null | undefined;
  const changes = async (): Promise<string> => {
    if (result.status === 'unchanged' || (record === undefined && result.after === undefined)) return '';
    const { describeChange, describeEffect } = await import('./describe-change.ts');
    const { before, after } = result.after === undefined ? (observation ?? {}) : result;
    if (after === undefined) return result.status === 'planned' ? '' : describeChange(output, change);
    return describeEffect(output, { operation: result.operation, before, after });
  };
  const print = async (): Promise<void> => {
    if (columns !== undefined && PRINTED.has(result.status) && data != null) {
      // The record has no place for them.
      for (const text of result.warning_messages ?? []) output.warn(text);
      return output.record(data, columns);
    }
    return output.result(result, { changes, requests: context.settings.debug.value });
  };
  if (result.status === 'unchanged' && data != null)
    output.note(`The ${noun[0]} already exists. Nothing was sent.`);
  // Nothing was written: if its output is lost, that is like the output of a read.
  if (result.status === 'planned' || result.status === 'unchanged') return print();
  const outputFailure = await captureOutputFailure(print());
  if (hint !== undefined && result.status === 'done') output.hint(hint(data ?? {}));
  if (outputFailure !== undefined)
    warnUnprinted(context, outputFailure, await describeCompleted(work, change, result));
};

/**
 * Of a creation whose answer was lost: the record is what was promised. Where the service's records do not show
 * which one it is, the outcome stays unknown.
 */
const reportLostAnswer = async <V>(
  { output }: Context,
  { record, columns }: WriteOne<V>,
  result: Result,
  failure: Failure,
): Promise<void> => {
  const creates = record === undefined && columns !== undefined;
  if (creates && result.data == null) {
    const unknown: Result = { ...result, status: 'unknown', error: toFailureJson(failure) };
    throw withOutputWarning({ output }, failure, await captureOutputFailure(output.result(unknown)));
  }
  if (creates) output.note(result.message ?? '');
};

/**
 * Prints the record or the result of a single write.
 * @throws the failure, after a result of an unknown outcome has been printed
 */
export const reportOne = async <V>(
  context: Context,
  work: WriteOne<V>,
  change: SentChange,
  sent: SendResult,
): Promise<void> => {
  const { result, failure, lostAnswer, requestId } = sent;
  const { interrupted } = context;
  context.events.result(result, requestId);
  if (failure !== undefined) {
    // What was made or changed is there, though not as it was meant: people and scripts need to know which.
    if (result.status !== 'unknown' && failure.code !== 'not_saved') throw failure;
    const outputFailure = await captureOutputFailure(context.output.result(result));
    const { aborted, reason } = interrupted;
    const exit = reason instanceof Cancelled ? reason.exit : EXIT.interrupted;
    const end = aborted ? new Cancelled(`interrupted: ${failure.message}`, exit, failure.hint) : failure;
    throw withOutputWarning(context, end, outputFailure);
  }
  if (lostAnswer !== undefined) await reportLostAnswer(context, work, result, lostAnswer);
  await printResult(context, work, change, sent);
  // It was in flight. What has this command in a loop has to end too.
  interrupted.throwIfAborted();
};

/** A write as people see it: what is said before, while it goes on, and after. */

export interface RunReport extends RunWords, AfterRun {
  readonly count: number;
  readonly toSend?: number;
  readonly looks?: number;
  readonly breaker: CircuitBreaker;
  readonly results: AsyncIterable<SendResult>;
  readonly earlier?: EarlierCounts | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly confirmed?: boolean | undefined;
  readonly exitCode?: boolean | undefined;
  readonly silent?: boolean;
  readonly inspectLine?: string | undefined;
  readonly close?: () => Promise<JobSummary>;
}

/** Counts the results that pass; each is in the log before it is printed. */
async function* countResults(
  { events }: Pick<Context, 'events'>,
  results: AsyncIterable<SendResult>,
  summary: RunSummary,
): AsyncGenerator<Result> {
  for await (const { result, requestId, failure, unbegun, moved } of results) {
    events.result(result, requestId);
    if (unbegun === true) summary.unbegun.add(result);
    if (result.status === 'unchanged') summary.unchanged += 1;
    else if (result.status === 'done' || result.status === 'planned') summary.done.push(result.target);
    else if (failure !== undefined && (result.status !== 'skipped' || moved)) summary.failures.push(failure);
    if (result.status === 'unknown') {
      summary.unknown += 1;
      summary.unknownFailure ??= failure;
    }
    yield result;
  }
}

const sayNext = (output: Context['output'], { next, hint }: AfterRun, done: readonly string[]): void => {
  if (next !== undefined) output.note(next(done));
  if (hint !== undefined) output.hint(hint(done));
};

const describePlanned = async (output: Context['output'], result: Result): Promise<string> => {
  if (result.status !== 'planned' || result.after === undefined) return '';
  return (await import('./describe-change.ts')).describeEffect(output, result);
};

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

/**
 * Carries a run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else OutputError where the results could not be printed as asked
 */
export const reportRun = async (context: Context, run: RunReport): Promise<void> => {
  const { count, toSend = count, looks = 0, earlier, confirmed, formatSummary, close, breaker } = run;
  const { output, settings, watch, clock } = context;
  const summary = createRunSummary(clock.now());
  const { done } = summary;
  const writes = !settings.dryRun.value;
  const paceNotice = writes ? formatPaceNotice(context, toSend + looks) : undefined;
  if (paceNotice && !confirmed) output.note(paceNotice);
  if (writes && toSend > BULK_FROM) await context.bulk();
  const results = countResults(context, run.results, summary);
  const about: ResultsInfo = {
    count: count + (earlier === undefined ? 0 : earlier.done + earlier.failures.length),
    // What stays as it is stands in the summary alone.
    unsaid: (result) => summary.unbegun.has(result) || (result.status === 'unchanged' && count > 1),
    requests: settings.debug.value,
    changes: (result) => describePlanned(output, result),
  };
  const print = () => (run.silent === true ? drain(results) : output.results(results, about));
  const outputFailure = await captureOutputFailure(
    watch.during(() => formatProgress(context, summary, count), print),
  );
  const job = (await close?.()) ?? {};
  if (formatSummary !== undefined && writes) output.note(formatSummary(done));
  const printed = outputFailure === undefined;
  const end = createRunFailure(context, {
    ...run,
    words: run,
    stopped: breaker.tripped,
    summary,
    job,
    printed,
  });
  if (end !== undefined) throw withOutputWarning(context, end, outputFailure);
  if (writes && done.length > 0) sayNext(output, run, done);
  if (paceNotice && job.doneNote) output.note(job.doneNote);
  if (run.exitCode === true && done.length > 0) context.exit(EXIT.found);
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
    context.output.results(countResults(context, sendResults, summary)),
  );
  const printed = outputFailure === undefined;
  const end = createRunFailure(context, { summary, count, words, job: {}, printed });
  if (end !== undefined) throw withOutputWarning(context, end, outputFailure);
  if (outputFailure !== undefined) warnOutputLost(context, words, summary, { lost: outputFailure, job: {} });
};
