import { findOperation } from '../api/operations.ts';
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
import type { Result, ResultsInfo } from '../output/results.ts';
import { formatDuration } from '../parsing/calendar.ts';
import { formatCreation } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { canUndo, describeLasting, findCreatedId, listLasting } from './accepted.ts';
import type { Change, Changes, RunWords, SendResult } from './change.ts';
import { parseEntryId } from './journal.ts';
import { describeEffect } from './look.ts';
import { formatInspectLine } from './proof.ts';
import type { CircuitBreaker } from './send.ts';

/** What people are told of writes: before they are sent, while they are, and of what became of them. */

export function pluralize(count: number, [single, many]: readonly [string, string]): string {
  return `${count} ${count === 1 ? single : many}`;
}

export interface RunReport {
  readonly count: number;
  readonly breaker?: CircuitBreaker;
  /** What a job that is gone on with had come to before. */
  readonly earlier?: { readonly done: number; readonly failures: readonly Failure[] } | undefined;
  readonly silent?: boolean;
  readonly close?: () => Promise<JobSummary>;
}

export interface JobSummary {
  readonly hint?: string;
  readonly details?: FailureFacts['details'];
  readonly inspectLine?: string;
}

/**
 * Carries a run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else OutputError where the results could not be printed as asked
 */
export async function reportRun(
  run: Run,
  work: Changes,
  sent: AsyncIterable<SendResult>,
  report: RunReport,
): Promise<void> {
  const { count, earlier = NONE, close, breaker } = report;
  const { output, settings, watch, clock } = run;
  const summary = createRunSummary(clock.now());
  const { done, gone } = summary;
  const writes = !settings.dryRun.value;
  const { formatSummary }: Partial<Changes> = writes ? work : {};
  const results = countResults(run, sent, summary, count > 1);
  const about: ResultsInfo = {
    count: count + earlier.done + earlier.failures.length,
    unsaid: summary.unsaid,
    requests: settings.debug.value,
    ...(!writes && { changes: async (result: Result) => describeEffect(run, result) }),
  };
  const printing = watch.during(
    () => formatProgress(run, summary, count),
    async () => {
      if (report.silent !== true) return output.results(results, about);
      for await (const _ of results);
    },
  );
  const lost = await captureLoss(printing);
  const job = (await close?.()) ?? {};
  if (formatSummary !== undefined) output.note(formatSummary(done));
  for (const line of gone.length > 0 ? await listRemakeLines(run, gone.slice(0, MAX_REMAKES)) : [])
    output.note(line);
  if (gone.length > MAX_REMAKES)
    output.note(`${gone.length - MAX_REMAKES} more: the history keeps what they were.`);
  const isShown = lost === undefined && !run.interrupted.aborted;
  const advice = { ...(isShown && { hint: 'See stdout for each result.' }), ...job };
  const counted = { summary, count, earlier, words: work, stopped: breaker?.tripped, job: advice };
  const end = createRunFailure(run, counted);
  if (end !== undefined) return failAfter(run, printing, end);
  if (done.length > 0) tellNext(run, work, summary);
  if (work.exitCode === true && done.length > 0) run.exit(EXIT.found);
  const { inspectLine, details } = job;
  if (lost === undefined || !writes || (done.length === 0 && details === undefined)) return printing;
  const [first, second] = work.changes;
  await printChange(run, printing, {
    text: `${pluralize(done.length, work.noun)} ${work.verb[1]}`,
    inspectLine: inspectLine ?? (first && second === undefined ? formatInspectLine(first) : undefined),
    details: { ...details, done: done.length },
  });
}

/** How to take it back, and what to do next. */
function tellNext(run: Run, work: Changes, { done, undos, lasting }: RunSummary): void {
  if (run.settings.dryRun.value) for (const text of describeLasting(lasting.flat())) run.output.note(text);
  const { next, hint }: Partial<Changes> = run.settings.dryRun.value ? {} : work;
  const lines = undos.filter((text) => text !== '');
  const [whole = ''] = lines;
  const part = `Undo ${lines.length} of ${done.length} with:`;
  const line = lines.length === done.length ? whole : whole.replace('Undo with:', part);
  // A line with the ids of very many is none to copy.
  const isLong = line !== '' && done.length > MAX_UNDO_IDS;
  const text = (isLong ? line : hint?.(done)) || line;
  if (next !== undefined) run.output.note(isLong ? line : next(done));
  else if (text !== '') run.output.hint(text);
}

/** The same of one record that is printed by itself. */
function tellNextOfOne(run: Run, { single }: Changes, sent: SendResult): void {
  if (sent.status !== 'done') return;
  const line = single?.recordHint?.((sent.data ?? {}) as Row) || formatUndoLine(run, sent);
  if (line !== '') run.output.hint(line);
}

/** So many ids stand in a line to copy; of more it names the run. */
export const MAX_UNDO_IDS = 3;

/** What takes the run of this write back; `''` where nothing does. */
function formatUndoLine(
  { commandLine }: Run,
  { status, operation, observation, requestId = '' }: SendResult,
): string {
  if (status !== 'done' || !canUndo(findOperation(operation), observation?.old)) return '';
  const id = parseEntryId(requestId)?.run;
  return id === undefined ? '' : `Undo with: ${commandLine`ttctl undo ${id}`}`;
}

/** What of a planned update could not be set back. */
function listLastingOf({ operation, observation }: SendResult): readonly string[] {
  return listLasting(findOperation(operation), observation?.old);
}

const MAX_REMAKES = 10;

/** The command lines that make deleted records again. @param gone operation and record of each */
export async function listRemakeLines(
  { commandLine }: Pick<Run, 'commandLine'>,
  gone: readonly (readonly [operation: string, record: Row])[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [operation, record] of gone) {
    const line = await formatCreation(commandLine, operation.split('.')[0] ?? '', record);
    // Nobody can make one for somebody else.
    const whose = record['member'] === undefined ? '' : ' in your name';
    if (line !== undefined) lines.push(`Create it again${whose} with: ${line}`);
  }
  return lines;
}

async function* countResults(
  run: Run,
  results: AsyncIterable<SendResult>,
  summary: RunSummary,
  isMany: boolean,
): AsyncGenerator<Result> {
  for await (const sent of results) {
    const { status, failure, unbegun, observation: { before, after } = {} } = sent;
    const result = toResult(sent);
    run.requests.result(result, sent.requestId);
    if (unbegun === true || (status === 'unchanged' && isMany)) summary.unsaid.add(result);
    if (status === 'unchanged') summary.unchanged += 1;
    else if (status === 'done' || status === 'planned') summary.done.push(sent.target);
    else if (failure !== undefined && unbegun !== true) summary.failures.push(failure);
    summary.undos.push(formatUndoLine(run, sent));
    if (status === 'planned') summary.lasting.push(listLastingOf(sent));
    if (status === 'done' && after === null && before !== undefined)
      summary.gone.push([sent.operation, before]);
    if (status === 'unknown') summary.unknown += 1;
    yield result;
  }
}

export function toResult(sent: SendResult): Result {
  const { observation: _, failure: __, answered: ___, unbegun: ____, lostAnswer: _____, ...more } = sent;
  const { open: ______, lostAt: _______, requestId: ________, ...result } = more;
  return result;
}

/** @throws the failure, after a result of an unknown outcome has been printed; Cancelled when interrupted */
export async function reportOne(run: Run, work: Changes, change: Change, sent: SendResult): Promise<void> {
  const { status, failure, lostAnswer } = sent;
  const { output, interrupted, requests } = run;
  const { record, columns } = work.single ?? {};
  requests.result(sent, sent.requestId);
  if (sent.unbegun === true) interrupted.throwIfAborted();
  if (failure !== undefined) {
    // What was made or changed is there, though not as it was meant: people and scripts need to know which.
    if (status !== 'unknown' && failure.code !== 'not_saved') throw failure;
    const { aborted, reason } = interrupted;
    const exit = reason instanceof Cancelled ? reason.exit : EXIT.interrupted;
    const end = aborted ? new Cancelled(`interrupted: ${failure.message}`, exit, failure.hint) : failure;
    return failAfter(run, output.result(toResult(sent)), end);
  }
  if (lostAnswer !== undefined && record === undefined && columns !== undefined) {
    // The new record is what was promised. Where none shows which one it is, the outcome stays unknown.
    const unknown = { ...toResult(sent), status: 'unknown', error: toFailureJson(lostAnswer) } as const;
    if (sent.data == null) return failAfter(run, output.result(unknown), lostAnswer);
    output.note(sent.message ?? '');
  }
  await printOne(run, work, change, sent);
  // It was in flight. What has this command in a loop has to end too.
  interrupted.throwIfAborted();
  if (work.exitCode === true && status === 'planned') run.exit(EXIT.found);
}

async function printOne(run: Run, work: Changes, { call }: Change, sent: SendResult) {
  const { output, settings } = run;
  const { single: { columns, record } = {}, noun, verb } = work;
  const { status, target, operation, label } = sent;
  const data = sent.data as Row | null | undefined;
  if (status === 'unchanged' && data != null) output.note(`The ${noun[0]} already exists. Nothing was sent.`);
  const { before, after } = sent.after === undefined && record ? (sent.observation ?? {}) : sent;
  const changes = async (): Promise<string> =>
    status === 'unchanged' ? '' : describeEffect(run, { operation, before, after, status, label, target });
  const isRecord = columns !== undefined && data != null && (status === 'done' || status === 'unchanged');
  // The record has no place for them.
  for (const text of isRecord ? (sent.warning_messages ?? []) : []) output.warn(text);
  const printing = isRecord
    ? output.record(data, columns)
    : output.result(toResult(sent), { changes, requests: settings.debug.value });
  if (status === 'planned') for (const text of describeLasting(listLastingOf(sent))) output.note(text);
  // Nothing was written: if its output is lost, that is like the output of a read.
  if (status === 'planned' || status === 'unchanged') return printing;
  const created = findCreatedId(call, data);
  const subject = created ?? target;
  const completed = {
    text: `${subject === noun[0] ? subject : `${noun[0]} ${subject}`} ${verb[1]}`,
    inspectLine: formatInspectLine({ call, target }, created),
    details: created === undefined ? {} : { created },
  };
  await printChange(run, printing, completed, () => tellNextOfOne(run, work, sent));
}

async function captureLoss(printing: Promise<void>): Promise<OutputError | OutputClosed | undefined> {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof OutputError || error instanceof OutputClosed) return error;
    throw error;
  }
}

/** Prints, and fails: what failed at the service matters more than output that is lost. @throws the failure */
export async function failAfter(
  { output }: Pick<Run, 'output'>,
  printing: Promise<void>,
  failure: unknown,
): Promise<never> {
  const lost = await captureLoss(printing);
  if (lost !== undefined) output.warn(lost.tell());
  throw failure;
}

export interface CompletedChange {
  readonly text: string;
  readonly inspectLine?: string | undefined;
  readonly details?: FailureFacts['details'];
}

/**
 * Prints what became of a change that is done. Where that cannot be printed, people are told what was done, so that
 * nobody repeats it; of a reader that has gone the command is none the worse.
 * @param next what is said after it, printed or not
 * @throws OutputError for any other loss
 */
export async function printChange(
  { output }: Pick<Run, 'output'>,
  printing: Promise<void>,
  { text, inspectLine, details = {} }: CompletedChange,
  next?: () => unknown,
): Promise<void> {
  const lost = await captureLoss(printing);
  next?.();
  if (lost === undefined) return;
  const inspect = inspectLine === undefined ? 'Check the records first.' : `See the results: ${inspectLine}`;
  const hint = `Do not run the command again. ${inspect}`;
  if (lost instanceof OutputClosed) return output.warn(`${text}, but the output was closed. ${hint}`);
  const { code, reason } = lost;
  if (code !== 'output_failed') throw lost;
  const facts = { code, exit: EXIT.fault, reason, hint, details, cause: lost };
  throw new OutputError(`${text}, but the output could not be written`, facts);
}

export type RunSummary = ReturnType<typeof createRunSummary>;

/** @param since in milliseconds since the epoch */
export function createRunSummary(since: number) {
  return {
    done: [] as string[],
    /** The line that takes the run back, of each that is done; `''` where nothing does. */
    undos: [] as string[],
    /** Of a dry run: the fields that nothing sets back. */
    lasting: [] as (readonly string[])[],
    /** What was deleted, as it was. */
    gone: [] as [operation: string, record: Row][],
    unchanged: 0,
    /** Those of which it is unknown too. */
    failures: [] as Failure[],
    unknown: 0,
    /** What the lines leave out: what was not begun, and of several what stays as it is. */
    unsaid: new Set<Result>(),
    since,
  };
}

interface RunEnd extends Pick<RunReport, 'count' | 'earlier'> {
  readonly summary: RunSummary;
  readonly words: RunWords;
  readonly stopped?: Failure | undefined;
  readonly job: JobSummary;
}

const NONE = { done: 0, failures: [] };

/** How a run ends that is not all done: all failed alike is that failure's code, else 8. */
export function createRunFailure(
  { interrupted: { aborted, reason } }: Run,
  { summary, count, words, stopped, job, earlier = NONE }: RunEnd,
): Failure | undefined {
  const { done, unchanged, unknown } = summary;
  const isOver = done.length + unchanged;
  const failures = [...earlier.failures, ...summary.failures];
  if (aborted) {
    const counts = [
      `${earlier.done + done.length} ${words.verb[1]}`,
      `${failures.length - unknown} failed`,
      ...(unknown === 0 ? [] : [`${unknown} unknown`]),
      `${count - isOver - summary.failures.length} not sent`,
    ];
    const exit = reason instanceof Cancelled ? reason.exit : EXIT.interrupted;
    const hint = job.hint ?? failures.find((failure) => failure.hint)?.hint;
    return new Cancelled(`interrupted: ${counts.join(', ')}`, exit, hint);
  }
  const first = failures[0] ?? stopped;
  if (first === undefined) return undefined;
  const total = count + earlier.done + earlier.failures.length;
  if (total === 1) return first;
  const notDone = stopped === undefined ? failures.length : total - earlier.done - isOver;
  const isAlike = notDone === total && failures.every((failure) => failure.exit === first.exit);
  let cause: Failure | undefined;
  if (stopped?.exit === EXIT.fault) cause = stopped;
  else if (isAlike) cause = first;
  // Of a job that is gone on with nothing more could be done, and nothing else is wrong with it.
  else if (isOver + earlier.failures.length === 0) cause = stopped;
  return new Failure(`${notDone} of ${pluralize(total, words.noun)} not ${words.verb[1]}`, {
    code: cause?.code ?? 'partial',
    exit: cause?.exit ?? EXIT.partial,
    reason: (cause ?? stopped)?.message,
    hint: [stopped?.hint, job.hint].filter(Boolean).join('\n'),
    details: job.details ?? {},
  });
}

/** The shortest time for so many writes in a row, in seconds: a run leaves a little to single commands. */
export function estimateSeconds(count: number, rate: Rate): number {
  const { perSeconds, writesPerSeconds } = rate;
  const [requests, writes] = createRateWindows(rate);
  const ofRequests = requests.limit - requests.reserve;
  const last = Math.max(0, count - 1);
  const inWindow = Math.floor((last % ofRequests) / (writes.limit - writes.reserve));
  return Math.floor(last / ofRequests) * perSeconds + inWindow * writesPerSeconds;
}

/**
 * Said before a run that does not fit into what the limits allow at once; undefined for another.
 * @param left requests that are still to come
 */
export function formatPaceNotice({ settings, requests: { count } }: Run, left: number): string | undefined {
  const rate = settings.rateLimit.value;
  if (rate === 'off') return undefined;
  const requests = count + left;
  const [{ limit, reserve }] = createRateWindows(rate);
  if (requests <= limit - reserve) return undefined;
  const { perSeconds } = rate;
  const span = perSeconds === 60 ? 'a minute' : `in ${perSeconds} s`;
  const time = formatDuration(estimateSeconds(requests, rate));
  return `${requests} requests at a limit of ${rate.requests} ${span} take about ${time}`;
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
