import type { Flag, OptionValues } from '../../cli/flag.ts';
import { UsageError } from '../../outcome.ts';
import { parseDuration } from '../../parsing/duration.ts';

/** The fault that the flags of `sandbox fault add` ask for. */

export const faultFlags = [
  { name: 'times', value: 'n', about: 'number of calls to fail (1)' },
  { name: 'status', value: 'code', about: 'respond with this status, 300 to 599, without doing the work' },
  { name: 'after-commit', about: 'do the work, then fail (blind retries do it twice)' },
  { name: 'retry-after', value: 'seconds', about: 'seconds to wait, with --status 429 (60) or 503' },
  { name: 'drop', value: 'when', about: 'close the connection before or after doing the work' },
  { name: 'body', value: 'kind', about: 'truncated, broken, html, empty, wrong-type, failure, deep' },
  { name: 'latency', value: 'duration', about: 'delay the response: 500ms, 3s' },
] as const satisfies readonly Flag[];

const parseCount = (text: string | undefined, flag: string): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${flag}: "${text}" is not a whole number`);
  return Number(text);
};

/** What the flags say, by the names of the control; what is not said is left out. */
export const readFaultFlags = (options: OptionValues<typeof faultFlags>) => {
  const { times, status, retryAfter, afterCommit, latency, drop, body } = options;
  const fault = {
    times: parseCount(times, '--times'),
    status: parseCount(status, '--status'),
    retry_after: parseCount(retryAfter, '--retry-after'),
    after_commit: afterCommit,
    latency_ms: latency === undefined ? undefined : parseDuration(latency, '--latency'),
    drop,
    body,
  };
  return Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined));
};
