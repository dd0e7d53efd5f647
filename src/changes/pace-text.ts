import type { Context } from '../context.ts';
import { formatDuration } from '../parsing/span.ts';
import { createRateWindows } from '../rate-limit/windows.ts';
import type { Tally } from './run-summary.ts';

/** How long a run will take by the limits, and how far it has come, in words. */

type Rate = Exclude<Context['settings']['rateLimit']['value'], 'off'>;

/** What a run may use of requests and of writes: it leaves a little to single commands. */
const sharesOf = (rate: Rate): readonly [requests: number, writes: number] => {
  const [requests, writes] = createRateWindows(rate);
  return [requests.places - requests.reserve, writes.places - writes.reserve];
};

/** The shortest time for so many writes in a row, in seconds. */
export const estimateSeconds = (count: number, rate: Rate): number => {
  const { perSeconds, writesPerSeconds } = rate;
  const [requests, writes] = sharesOf(rate);
  const last = Math.max(0, count - 1);
  const windows = Math.floor(last / requests);
  return windows * perSeconds + Math.floor((last % requests) / writes) * writesPerSeconds;
};

/** Said before a run that does not fit into what the limits allow at once; undefined for another. */
export const formatPaceNotice = ({ settings }: Context, requests: number): string | undefined => {
  const rate = settings.rateLimit.value;
  if (rate === 'off' || requests <= sharesOf(rate)[0]) return undefined;
  const { perSeconds } = rate;
  const span = perSeconds === 60 ? 'a minute' : `in ${perSeconds} s`;
  const time = formatDuration(estimateSeconds(requests, rate));
  return `${requests} requests, and the limit is ${rate.requests} ${span}: this takes about ${time}`;
};

/** The same as a line of the question before the run. */
export const describePace = (context: Context, requests: number): readonly string[] => {
  const said = formatPaceNotice(context, requests);
  return said === undefined ? [] : [`time       ${said}`];
};

/** `118 done, 2 failed, 180 left, 2.5/s, 1 min 12 s to go` */
export const formatProgress = (context: Context, summary: Tally, count: number): string => {
  const { done, failures, unknown, since } = summary;
  const ended = done.length + failures.length;
  const left = count - ended;
  const elapsed = (context.clock.now() - since) / 1000;
  const parts = [`${done.length} done`, `${failures.length - unknown} failed`];
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
