import type { Clock } from '../clock.ts';
import type { Progress } from './progress.ts';

/** Long work as one line on a terminal, drawn again and again until the work has ended. In a pipe: nothing. */
export interface Watch {
  /** @param words how far it has come */
  during<T>(words: () => string, work: () => Promise<T>): Promise<T>;
  /** Why nothing happens: `waiting 12 s for the rate limit`. False when no line is shown that could say it. */
  waits(why: string): boolean;
}

const TICK_MS = 250;

interface Wait {
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The seconds in a text that says how long something takes; counted down as time passes. */
const SECONDS = /\d+(?= s\b)/;

export const createWatch = (progress: Progress, clock: Pick<Clock, 'now' | 'sleep'>): Watch => {
  let shown = false;
  let wait: Wait | undefined;
  const waitText = (): string => {
    const rest = wait === undefined ? 0 : Math.ceil((wait.until - clock.now()) / 1000);
    return wait === undefined || rest <= 0 ? '' : `; ${wait.why.replace(SECONDS, String(rest))}`;
  };
  const tick = async (words: () => string, over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      progress.update(`${words()}${waitText()}`);
      await clock.sleep(TICK_MS, over).catch(() => undefined);
    }
  };
  return {
    async during(words, work) {
      // What is done in the course of something longer is part of it.
      if (!progress.visible || shown) return work();
      const over = new AbortController();
      shown = true;
      const ticking = tick(words, over.signal);
      try {
        return await work();
      } finally {
        shown = false;
        over.abort();
        await ticking;
        progress.clear();
      }
    },
    waits(why) {
      if (shown) wait = { why, until: clock.now() + 1000 * Number(SECONDS.exec(why)?.[0] ?? 0) };
      return shown;
    },
  };
};
