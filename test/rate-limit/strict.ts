import type { Rate } from '../../src/http/links.ts';

/** What a service saw of one request. */
export interface Arrival {
  /** Milliseconds. */
  readonly at: number;
  readonly write: boolean;
}

/** The most that any closed window of the length holds, wherever it begins: the strictest reading of a limit. */
const most = (times: readonly number[], seconds: number): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at <= from + seconds * 1000).length));

/** Knows nothing of the program: counts arrivals in windows. */
export const exceeds = (arrivals: readonly Arrival[], rate: Rate): boolean => {
  const writes = arrivals.filter(({ write }) => write);
  const at = (some: readonly Arrival[]) => some.map((arrival) => arrival.at);
  return (
    most(at(arrivals), rate.perSeconds) > rate.requests ||
    most(at(writes), rate.writesPerSeconds) > rate.writes
  );
};

/** A service that refuses like the strictest one: a refused request does not count. */
export const createStrictCounter = (rate: Rate) => {
  const taken: Arrival[] = [];
  let refused = 0;
  const within = (now: number, seconds: number, some: readonly Arrival[]): number =>
    some.filter(({ at }) => at >= now - seconds * 1000).length;
  return {
    taken,
    refused: () => refused,
    /** Seconds for `Retry-After`; undefined: let in. */
    arrive(now: number, write: boolean): number | undefined {
      const full = within(now, rate.perSeconds, taken) >= rate.requests;
      const writes = taken.filter((arrival) => arrival.write);
      const fast = write && within(now, rate.writesPerSeconds, writes) >= rate.writes;
      if (!full && !fast) return void taken.push({ at: now, write });
      refused += 1;
      return full ? rate.perSeconds : rate.writesPerSeconds;
    },
  };
};
