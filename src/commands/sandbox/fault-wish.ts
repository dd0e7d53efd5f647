import { readDuration } from '../../notation/duration.ts';
import { UsageError } from '../../outcome.ts';

/** The fault that the flags of `sandbox fault add` ask for. */

type Options = Readonly<Record<string, unknown>>;

const numberOf = (options: Options, name: string, flag: string): number | undefined => {
  const text = options[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(String(text))) throw new UsageError(`${flag}: "${text}" is not a whole number`);
  return Number(text);
};

/** What the flags say, by the names of the control; what is not said is left out. */
export const wishOf = ({ latency, ...options }: Options) => {
  const said = {
    times: numberOf(options, 'times', '--times'),
    status: numberOf(options, 'status', '--status'),
    retry_after: numberOf(options, 'retryAfter', '--retry-after'),
    after_commit: options.afterCommit,
    latency_ms: latency === undefined ? undefined : readDuration(String(latency), '--latency'),
    drop: options.drop,
    body: options.body,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
};
