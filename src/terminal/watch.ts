import type { Clock } from '../clock.ts';
import type { Progress } from './progress.ts';

/** Long work as one line on a terminal, drawn again and again until the work has ended. In a pipe: nothing. */
export interface Watch {
  /** @param words how far it has come */
  during<T>(words: () => string, work: () => Promise<T>): Promise<T>;
  /** The same of one request: what is longer speaks for it, and a wait before it is told elsewhere. */
  request<T>(words: () => string, work: () => Promise<T>): Promise<T>;
  /** Why nothing happens: `waiting 12 s for the rate limit`. False when no line is shown that could say it. */
  waits(why: string): boolean;
  /** While a question has the terminal nothing is drawn. The answer ends that. */
  hold(): () => void;
}

const TICK_MS = 250;
/** What is done sooner is not told. */
const PATIENCE_MS = 1_000;

interface Work {
  readonly words: () => string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly takesWaits: boolean;
}

interface Wait {
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The seconds in a text that says how long something takes; counted down as time passes. */
const SECONDS = /\d+(?= s\b)/;

export const createWatch = (progress: Progress, clock: Pick<Clock, 'now' | 'sleep'>): Watch => {
  const works = new Set<Work>();
  let over = new AbortController();
  let ticking: Promise<void> | undefined;
  let wait: Wait | undefined;
  let held = 0;
  const long = (): Work | undefined => [...works].find(({ takesWaits }) => takesWaits);
  const waitText = (): string => {
    const rest = wait === undefined ? 0 : Math.ceil((wait.until - clock.now()) / 1000);
    return wait === undefined || rest <= 0 ? '' : `; ${wait.why.replace(SECONDS, String(rest))}`;
  };
  const draw = (): void => {
    // What is done in the course of something longer is part of it.
    const work = long() ?? [...works][0];
    if (work === undefined || held > 0 || clock.now() - work.since < PATIENCE_MS) return;
    progress.update(`${work.words()}${work.takesWaits ? waitText() : ''}`);
  };
  const tick = async (end: AbortSignal): Promise<void> => {
    while (!end.aborted) {
      draw();
      await clock.sleep(TICK_MS, end).catch(() => undefined);
    }
  };
  const begin = (work: Work): void => {
    works.add(work);
    if (ticking !== undefined) return;
    over = new AbortController();
    ticking = tick(over.signal);
  };
  const end = async (work: Work): Promise<void> => {
    works.delete(work);
    if (works.size === 0) {
      const last = ticking;
      ticking = undefined;
      over.abort();
      await last;
    }
    progress.clear();
  };
  const watched =
    (takesWaits: boolean): Watch['during'] =>
    async (words, work) => {
      if (!progress.visible) return work();
      const one = { words, since: clock.now(), takesWaits };
      begin(one);
      try {
        return await work();
      } finally {
        await end(one);
      }
    };
  return {
    during: watched(true),
    request: watched(false),
    waits(why) {
      if (long() === undefined) return false;
      wait = { why, until: clock.now() + 1000 * Number(SECONDS.exec(why)?.[0] ?? 0) };
      return true;
    },
    hold() {
      held += 1;
      progress.clear();
      return () => {
        held -= 1;
      };
    },
  };
};
