import type { Context } from '../context.ts';
import { Cancelled, EXIT, Failure, type FailureFacts } from '../errors.ts';
import { createRateWindows } from '../http/budget.ts';
import type { Result } from '../output/result.ts';
import { formatDuration } from '../parsing/calendar.ts';
import type { RunWords } from './change.ts';

/** What has become of a run, and how it ends. */

export const pluralize = (count: number, [single, many]: readonly [string, string]): string =>
  `${count} ${count === 1 ? single : many}`;

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

export const createRunSummary = (since: number): RunSummary => ({
  done: [],
  unchanged: 0,
  failures: [],
  unknown: 0,
  unbegun: new Set(),
  since,
});

/** What a job adds to the end of its run: its name, how to go on. */
export interface JobSummary {
  readonly hint?: string;
  /** The same with the details in it, for an end that has none. */
  readonly hintWithDetails?: string;
  readonly details?: FailureFacts['details'];
  readonly inspectLine?: string;
  readonly doneNote?: string;
}

interface RunEnd {
  readonly summary: RunSummary;
  readonly count: number;
  readonly words: RunWords;
  readonly stopped?: Failure | undefined;
  readonly job: JobSummary;
  readonly earlier?: EarlierCounts | undefined;
  readonly printed?: boolean;
}

export interface EarlierCounts {
  readonly done: number;
  readonly failures: readonly Failure[];
}

const NONE: EarlierCounts = { done: 0, failures: [] };

/** All failed alike is that failure's code, else 8. */
const createFailure = (end: RunEnd): Failure | undefined => {
  const { summary, count, words, stopped, job, earlier = NONE, printed = true } = end;
  const failures = [...earlier.failures, ...summary.failures];
  const first = failures[0] ?? stopped;
  if (first === undefined) return undefined;
  const total = count + earlier.done + earlier.failures.length;
  if (total === 1) return first;
  const notDone =
    stopped === undefined ? failures.length : total - earlier.done - summary.done.length - summary.unchanged;
  const alike = notDone === total && failures.every((failure) => failure.exit === first.exit);
  const fault = stopped?.exit === EXIT.fault;
  // Of a job that is gone on with nothing more could be done, and nothing else is wrong with it.
  const alone = summary.done.length + summary.unchanged + earlier.failures.length === 0 ? stopped : undefined;
  const cause = fault ? stopped : alike ? first : alone;
  const why = cause ?? stopped;
  return new Failure(`${notDone} of ${pluralize(total, words.noun)} not ${words.verb[1]}`, {
    code: cause?.code ?? 'partial',
    exit: cause?.exit ?? EXIT.partial,
    reason: why?.message,
    hint: [stopped?.hint, job.hint ?? (printed ? 'See stdout for each result.' : '')]
      .filter(Boolean)
      .join('\n'),
    details: job.details ?? {},
  });
};

const createCancelled = (
  { interrupted }: Context,
  { summary, count, words, job, earlier = NONE }: RunEnd,
): Cancelled => {
  const done = earlier.done + summary.done.length;
  const failed = earlier.failures.length + summary.failures.length - summary.unknown;
  const left = count - summary.done.length - summary.unchanged - summary.failures.length;
  const { reason } = interrupted;
  const unknown = summary.unknown === 0 ? '' : `, ${summary.unknown} unknown`;
  return new Cancelled(
    `interrupted: ${done} ${words.verb[1]}, ${failed} failed${unknown}, ${left} not sent`,
    reason instanceof Cancelled ? reason.exit : EXIT.interrupted,
    (job.hintWithDetails ?? summary.unknownFailure?.hint) || undefined,
  );
};

export const createRunFailure = (context: Context, end: RunEnd): Failure | undefined =>
  context.interrupted.aborted ? createCancelled(context, end) : createFailure(end);

/** How long a run will take by the limits, and how far it has come, in words. */

type Rate = Exclude<Context['settings']['rateLimit']['value'], 'off'>;

/** What a run may use of requests and of writes: it leaves a little to single commands. */
const getBulkLimits = (rate: Rate): readonly [requests: number, writes: number] => {
  const [requests, writes] = createRateWindows(rate);
  return [requests.limit - requests.reserve, writes.limit - writes.reserve];
};

/** The shortest time for so many writes in a row, in seconds. */
export const estimateSeconds = (count: number, rate: Rate): number => {
  const { perSeconds, writesPerSeconds } = rate;
  const [requests, writes] = getBulkLimits(rate);
  const last = Math.max(0, count - 1);
  const windows = Math.floor(last / requests);
  return windows * perSeconds + Math.floor((last % requests) / writes) * writesPerSeconds;
};

/**
 * Said before a run that does not fit into what the limits allow at once; undefined for another.
 * @param left requests that are still to come
 */
export const formatPaceNotice = (
  { settings, countRequests }: Pick<Context, 'settings' | 'countRequests'>,
  left: number,
): string | undefined => {
  const rate = settings.rateLimit.value;
  const requests = countRequests() + left;
  if (rate === 'off' || requests <= getBulkLimits(rate)[0]) return undefined;
  const { perSeconds } = rate;
  const span = perSeconds === 60 ? 'a minute' : `in ${perSeconds} s`;
  const time = formatDuration(estimateSeconds(requests, rate));
  return `${requests} requests at a limit of ${rate.requests} ${span} take about ${time}`;
};

/** The same as a line of the question before the run. */
export const describePace = (context: Context, left: number): readonly string[] => {
  const notice = formatPaceNotice(context, left);
  return notice === undefined ? [] : [`time       ${notice}`];
};

/** `118 done, 2 failed, 180 left, 2.5/s, 1 min 12 s to go` */
export const formatProgress = (context: Context, summary: RunSummary, count: number): string => {
  const { done, unchanged, failures, unknown, since } = summary;
  const ended = done.length + unchanged + failures.length;
  const left = count - ended;
  const elapsed = (context.clock.now() - since) / 1000;
  const parts = [`${done.length} done`, `${failures.length - unknown} failed`];
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  if (unknown > 0) parts.push(`${unknown} unknown`);
  parts.push(`${left} left`);
  if (context.interrupted.aborted) return `${parts.join(', ')}; finishing requests in flight`;
  if (ended === 0 || elapsed <= 0) return parts.join(', ');
  const speed = ended / elapsed;
  const rate = context.settings.rateLimit.value;
  // A burst at the beginning says nothing of the whole.
  const byLimits = rate === 'off' ? 0 : estimateSeconds(count, rate) - elapsed;
  parts.push(`${speed.toFixed(1)}/s`, `${formatDuration(Math.max(left / speed, byLimits))} to go`);
  return parts.join(', ');
};
