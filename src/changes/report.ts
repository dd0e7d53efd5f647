import type { Row } from '../api/page.ts';
import {
  Cancelled,
  EXIT,
  Failure,
  type FailureFacts,
  OutputClosed,
  OutputError,
  toFailureJson,
} from '../errors.ts';
import { createRateWindows } from '../http/budget.ts';
import type { Rate } from '../http/links.ts';
import type { Result, ResultsInfo } from '../output/result.ts';
import { formatDuration } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { findCreatedId } from './accepted.ts';
import type { Change, Changes, RunWords, SendResult } from './change.ts';
import { describeChange, describeEffect } from './describe-change.ts';
import { formatInspectLine } from './proof.ts';

/** What people are told of writes: before they are sent, while they are, and of what became of them. */

export function pluralize(count: number, [single, many]: readonly [string, string]): string {
  return `${count} ${count === 1 ? single : many}`;
}

/** How a run is counted, and what is said of it beside its results. */
export interface RunReport {
  readonly count: number;
  readonly toSend?: number;
  readonly looks?: number;
  /** Why it ended early. */
  readonly stopped?: () => Failure | undefined;
  readonly earlier?: EarlierCounts | undefined;
  readonly silent?: boolean;
  readonly inspectLine?: string | undefined;
  readonly close?: () => Promise<JobSummary>;
}

/** What a job that is gone on with had come to before. */
export interface EarlierCounts {
  readonly done: number;
  readonly failures: readonly Failure[];
}

/** What a job adds to the end of its run: its name, how to go on. */
export interface JobSummary {
  readonly hint?: string;
  /** The same with the details in it, for an end that has none. */
  readonly hintWithDetails?: string;
  readonly details?: FailureFacts['details'];
  readonly inspectLine?: string;
  readonly doneNote?: string;
}

/** From here on a run lets single commands pass. */
const BULK_FROM = 20;

/**
 * Carries a run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else OutputError where the results could not be printed as asked
 */
export async function reportRun(
  context: Run,
  run: Changes,
  sent: AsyncIterable<SendResult>,
  report: RunReport,
): Promise<void> {
  const { count, toSend = count, looks = 0, earlier, close, stopped, inspectLine } = report;
  const { output, settings, watch, clock } = context;
  const summary = createRunSummary(clock.now());
  const { done } = summary;
  const writes = !settings.dryRun.value;
  const paceNotice = writes ? formatPaceNotice(context, toSend + looks) : undefined;
  if (paceNotice && run.confirmed !== true) output.note(paceNotice);
  if (writes && toSend > BULK_FROM) await context.bulk();
  const results = countResults(context, sent, summary);
  const about: ResultsInfo = {
    count: count + (earlier === undefined ? 0 : earlier.done + earlier.failures.length),
    // What stays as it is stands in the summary alone.
    unsaid: (result) => summary.unbegun.has(result) || (result.status === 'unchanged' && count > 1),
    requests: settings.debug.value,
    changes: async (result) =>
      result.status === 'planned' && result.after !== undefined ? describeEffect(output, result) : '',
  };
  const print = () => (report.silent === true ? drain(results) : output.results(results, about));
  const lost = await captureOutputFailure(watch.during(() => formatProgress(context, summary, count), print));
  const job = (await close?.()) ?? {};
  if (run.formatSummary !== undefined && writes) output.note(run.formatSummary(done));
  const printed = lost === undefined;
  const end = createRunFailure(context, {
    ...{ words: run, stopped: stopped?.(), summary, job, printed, count, earlier },
  });
  if (end !== undefined) throw withOutputWarning(context, end, lost);
  if (writes && done.length > 0) sayNext(output, run, done);
  if (paceNotice && job.doneNote) output.note(job.doneNote);
  if (run.exitCode === true && done.length > 0) context.exit(EXIT.found);
  if (lost !== undefined) warnOutputLost(context, run, summary, lost, { inspectLine, ...job });
}

function sayNext(output: Run['output'], { next, hint }: Changes, done: readonly string[]): void {
  if (next !== undefined) output.note(next(done));
  if (hint !== undefined) output.hint(hint(done));
}

/** Counts the results that pass; each is in the log before it is printed. */
async function* countResults(
  { events }: Pick<Run, 'events'>,
  results: AsyncIterable<SendResult>,
  summary: RunSummary,
): AsyncGenerator<Result> {
  for await (const { result, requestId, failure, unbegun } of results) {
    events.result(result, requestId);
    if (unbegun === true) summary.unbegun.add(result);
    if (result.status === 'unchanged') summary.unchanged += 1;
    else if (result.status === 'done' || result.status === 'planned') summary.done.push(result.target);
    else if (failure !== undefined && unbegun !== true) summary.failures.push(failure);
    if (result.status === 'unknown') {
      summary.unknown += 1;
      summary.unknownFailure ??= failure;
    }
    yield result;
  }
}

async function drain(results: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of results);
}

/** @throws as `warnUnprinted`; where nothing was written, the loss itself */
function warnOutputLost(
  run: Run,
  { verb, noun }: RunWords,
  { done }: RunSummary,
  lost: OutputFailure,
  { inspectLine, details }: JobSummary,
): void {
  const isJob = details !== undefined;
  if (run.settings.dryRun.value || (done.length === 0 && !isJob)) throw lost;
  const text = `${pluralize(done.length, noun)} ${verb[1]}`;
  warnUnprinted(run, lost, { text, inspectLine, details: { ...details, done: done.length } });
}

/**
 * Prints the record or the result of a single write.
 * @throws the failure, after a result of an unknown outcome has been printed; Cancelled when interrupted
 */
export async function reportOne(context: Run, run: Changes, change: Change, sent: SendResult): Promise<void> {
  const { result, failure, requestId } = sent;
  const { interrupted } = context;
  context.events.result(result, requestId);
  if (sent.unbegun === true) interrupted.throwIfAborted();
  if (failure !== undefined) {
    // What was made or changed is there, though not as it was meant: people and scripts need to know which.
    if (result.status !== 'unknown' && failure.code !== 'not_saved') throw failure;
    const { aborted, reason } = interrupted;
    const exit = reason instanceof Cancelled ? reason.exit : EXIT.interrupted;
    const end = aborted ? new Cancelled(`interrupted: ${failure.message}`, exit, failure.hint) : failure;
    return failAfter(context, result, end);
  }
  if (sent.lostAnswer !== undefined) await reportLostAnswer(context, run, result, sent.lostAnswer);
  await printOne(context, run, change, sent);
  // It was in flight. What has this command in a loop has to end too.
  interrupted.throwIfAborted();
  if (run.exitCode === true && result.status === 'planned') context.exit(EXIT.found);
}

/**
 * Of a creation whose answer was lost: the record is what was promised. Where the service's records do not show
 * which one it is, the outcome stays unknown.
 */
async function reportLostAnswer(
  { output }: Run,
  { single: { record, columns } = {} }: Changes,
  result: Result,
  failure: Failure,
): Promise<void> {
  const creates = record === undefined && columns !== undefined;
  if (creates && result.data == null) {
    const unknown: Result = { ...result, status: 'unknown', error: toFailureJson(failure) };
    return failAfter({ output }, unknown, failure);
  }
  if (creates) output.note(result.message ?? '');
}

async function printOne(
  context: Run,
  run: Changes,
  change: Change,
  { result, observation }: SendResult,
): Promise<void> {
  const { single: { columns, record, recordHint } = {}, noun, verb } = run;
  const { output } = context;
  const { status, target } = result;
  const data = result.data as Row | null | undefined;
  const changes = async (): Promise<string> => {
    if (status === 'unchanged' || (record === undefined && result.after === undefined)) return '';
    const { before, after } = result.after === undefined ? (observation ?? {}) : result;
    if (after === undefined) return status === 'planned' ? '' : describeChange(output, change);
    return describeEffect(output, { operation: result.operation, before, after });
  };
  const print = async (): Promise<void> => {
    if (columns !== undefined && (status === 'done' || status === 'unchanged') && data != null) {
      // The record has no place for them.
      for (const text of result.warning_messages ?? []) output.warn(text);
      return output.record(data, columns);
    }
    return output.result(result, { changes, requests: context.settings.debug.value });
  };
  if (status === 'unchanged' && data != null) output.note(`The ${noun[0]} already exists. Nothing was sent.`);
  // Nothing was written: if its output is lost, that is like the output of a read.
  if (status === 'planned' || status === 'unchanged') return print();
  const lost = await captureOutputFailure(print());
  if (recordHint !== undefined && status === 'done') output.hint(recordHint(data ?? {}));
  const created = findCreatedId(change.call, data);
  const subject = created ?? target;
  warnUnprinted(context, lost, {
    text: `${subject === noun[0] ? subject : `${noun[0]} ${subject}`} ${verb[1]}`,
    inspectLine: formatInspectLine({ call: change.call, target }, created),
    details: created === undefined ? {} : { created },
  });
}

/** Results that could not be printed: what became of the writes is told all the same, so that nobody repeats them. */
type OutputFailure = OutputError | OutputClosed;

/** @returns why the results could not be printed as asked, where that is so */
export async function captureOutputFailure(printing: Promise<void>): Promise<OutputFailure | undefined> {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof OutputError || error instanceof OutputClosed) return error;
    throw error;
  }
}

/** Prints the result of a write that failed. @throws the failure */
export async function failAfter(
  { output }: Pick<Run, 'output'>,
  result: Result,
  failure: Failure,
): Promise<never> {
  throw withOutputWarning({ output }, failure, await captureOutputFailure(output.result(result)));
}

/** The end of a run, with a warning of what could not be printed: what failed at the service matters more. */
function withOutputWarning(
  { output }: Pick<Run, 'output'>,
  end: Failure,
  lost: OutputFailure | undefined,
): Failure {
  if (lost !== undefined) output.warn([lost.message, lost.reason].filter(Boolean).join(': '));
  return end;
}

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
export async function printChange(
  run: Pick<Run, 'output'>,
  printing: Promise<void>,
  completed: CompletedChange,
  next: () => unknown = () => {},
): Promise<void> {
  const lost = await captureOutputFailure(printing);
  next();
  warnUnprinted(run, lost, completed);
}

/**
 * After writes that are done. Of a reader that has gone people are told, and the command is none the worse for it.
 * @throws OutputError for any other loss
 */
export function warnUnprinted(
  { output }: Pick<Run, 'output'>,
  lost: OutputFailure | undefined,
  { text, inspectLine, details = {} }: CompletedChange,
): void {
  if (lost === undefined) return;
  const hint = `Do not run the command again. ${inspectLine === undefined ? 'Check the records first.' : `See the results: ${inspectLine}`}`;
  if (lost instanceof OutputClosed) {
    output.warn(`${text}, but the output was closed. ${hint}`);
    return;
  }
  if (lost.code !== 'output_failed') throw lost;
  const { code, reason } = lost;
  const facts = { code, exit: EXIT.fault, reason, hint, details, cause: lost };
  throw new OutputError(`${text}, but the output could not be written`, facts);
}

export interface RunSummary {
  readonly done: string[];
  unchanged: number;
  readonly failures: Failure[];
  unknown: number;
  unknownFailure?: Failure | undefined;
  readonly unbegun: Set<Result>;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
}

export function createRunSummary(since: number): RunSummary {
  return { done: [], unchanged: 0, failures: [], unknown: 0, unbegun: new Set(), since };
}

interface RunEnd extends Pick<RunReport, 'count' | 'earlier'> {
  readonly summary: RunSummary;
  readonly words: RunWords;
  readonly stopped?: Failure | undefined;
  readonly job: JobSummary;
  readonly printed?: boolean;
}

const NONE: EarlierCounts = { done: 0, failures: [] };

/** How a run ends that is not all done: all failed alike is that failure's code, else 8. */
export function createRunFailure(run: Run, end: RunEnd): Failure | undefined {
  if (run.interrupted.aborted) return createCancelled(run.interrupted.reason, end);
  const { summary, count, words, stopped, job, printed = true } = end;
  const earlier = end.earlier ?? NONE;
  const failures = [...earlier.failures, ...summary.failures];
  const first = failures[0] ?? stopped;
  if (first === undefined) return undefined;
  const total = count + earlier.done + earlier.failures.length;
  if (total === 1) return first;
  const done = summary.done.length + summary.unchanged;
  const notDone = stopped === undefined ? failures.length : total - earlier.done - done;
  const isAlike = notDone === total && failures.every((failure) => failure.exit === first.exit);
  let cause: Failure | undefined;
  if (stopped?.exit === EXIT.fault) cause = stopped;
  else if (isAlike) cause = first;
  // Of a job that is gone on with nothing more could be done, and nothing else is wrong with it.
  else if (done + earlier.failures.length === 0) cause = stopped;
  return new Failure(`${notDone} of ${pluralize(total, words.noun)} not ${words.verb[1]}`, {
    code: cause?.code ?? 'partial',
    exit: cause?.exit ?? EXIT.partial,
    reason: (cause ?? stopped)?.message,
    hint: [stopped?.hint, job.hint ?? (printed ? 'See stdout for each result.' : '')]
      .filter(Boolean)
      .join('\n'),
    details: job.details ?? {},
  });
}

function createCancelled(reason: unknown, { summary, count, words, job, earlier = NONE }: RunEnd): Cancelled {
  const done = earlier.done + summary.done.length;
  const failed = earlier.failures.length + summary.failures.length - summary.unknown;
  const left = count - summary.done.length - summary.unchanged - summary.failures.length;
  const unknown = summary.unknown === 0 ? '' : `, ${summary.unknown} unknown`;
  return new Cancelled(
    `interrupted: ${done} ${words.verb[1]}, ${failed} failed${unknown}, ${left} not sent`,
    reason instanceof Cancelled ? reason.exit : EXIT.interrupted,
    (job.hintWithDetails ?? summary.unknownFailure?.hint) || undefined,
  );
}

/** What a run may use of requests and of writes: it leaves a little to single commands. */
function getBulkLimits(rate: Rate): readonly [requests: number, writes: number] {
  const [requests, writes] = createRateWindows(rate);
  return [requests.limit - requests.reserve, writes.limit - writes.reserve];
}

/** The shortest time for so many writes in a row, in seconds. */
export function estimateSeconds(count: number, rate: Rate): number {
  const { perSeconds, writesPerSeconds } = rate;
  const [requests, writes] = getBulkLimits(rate);
  const last = Math.max(0, count - 1);
  const windows = Math.floor(last / requests);
  return windows * perSeconds + Math.floor((last % requests) / writes) * writesPerSeconds;
}

/**
 * Said before a run that does not fit into what the limits allow at once; undefined for another.
 * @param left requests that are still to come
 */
export function formatPaceNotice(
  { settings, countRequests }: Pick<Run, 'settings' | 'countRequests'>,
  left: number,
): string | undefined {
  const rate = settings.rateLimit.value;
  const requests = countRequests() + left;
  if (rate === 'off' || requests <= getBulkLimits(rate)[0]) return undefined;
  const { perSeconds } = rate;
  const span = perSeconds === 60 ? 'a minute' : `in ${perSeconds} s`;
  const time = formatDuration(estimateSeconds(requests, rate));
  return `${requests} requests at a limit of ${rate.requests} ${span} take about ${time}`;
}

/** The same as a line of the question before the run. */
export function describePace(run: Run, left: number): readonly string[] {
  const notice = formatPaceNotice(run, left);
  return notice === undefined ? [] : [`time       ${notice}`];
}

/** `118 done, 2 failed, 180 left, 2.5/s, 1 min 12 s to go` */
export function formatProgress(run: Run, summary: RunSummary, count: number): string {
  const { done, unchanged, failures, unknown, since } = summary;
  const ended = done.length + unchanged + failures.length;
  const left = count - ended;
  const elapsed = (run.clock.now() - since) / 1000;
  const parts = [`${done.length} done`, `${failures.length - unknown} failed`];
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  if (unknown > 0) parts.push(`${unknown} unknown`);
  parts.push(`${left} left`);
  if (run.interrupted.aborted) return `${parts.join(', ')}; finishing requests in flight`;
  if (ended === 0 || elapsed <= 0) return parts.join(', ');
  const speed = ended / elapsed;
  const rate = run.settings.rateLimit.value;
  // A burst at the beginning says nothing of the whole.
  const byLimits = rate === 'off' ? 0 : estimateSeconds(count, rate) - elapsed;
  parts.push(`${speed.toFixed(1)}/s`, `${formatDuration(Math.max(left / speed, byLimits))} to go`);
  return parts.join(', ');
}
