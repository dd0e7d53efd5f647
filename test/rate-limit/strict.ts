import type { Rate } from '../../src/http/links.ts';

/**
 * A service that refuses like the strictest one, where a window of the length is full wherever it begins; a refused request
 * does not count. It knows nothing of the program.
 */
export const createStrictCounter = (rate: Rate) => {
  const taken: { readonly at: number; readonly write: boolean }[] = [];
  let refused = 0;
  return {
    refused: () => refused,
    /** @param now milliseconds @returns seconds for `Retry-After`; undefined: let in */
    arrive(now: number, write: boolean): number | undefined {
      const within = (seconds: number) => taken.filter(({ at }) => at >= now - seconds * 1000);
      const isFull = within(rate.perSeconds).length >= rate.requests;
      const writes = within(rate.writesPerSeconds).filter((one) => one.write);
      const isFast = write && writes.length >= rate.writes;
      if (!isFull && !isFast) return void taken.push({ at: now, write });
      refused += 1;
      return isFull ? rate.perSeconds : rate.writesPerSeconds;
    },
  };
};
