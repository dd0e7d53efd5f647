import type { Clock } from '../clock.ts';
import { measureFor, truncateText } from './layout.ts';
import { safeCell } from './safe-text.ts';
import type { Sink } from './sink.ts';

/** One line on a terminal that says how far a long thing has come. */
export interface Progress {
  /** Whether anything is ever shown: on a terminal, unless switched off. */
  readonly visible: boolean;
  /** What is going on: `fetched 3 of 12 pages`. */
  update(text: string): void;
  /** Takes the line away, before anything else is written. */
  clear(): void;
}

export interface ProgressOptions {
  readonly stderr: Sink;
  /** No progress with `--quiet` or in CI. In a pipe there is none in any case. */
  readonly enabled: boolean;
  readonly width: number;
  readonly clock: Clock;
}

const REDRAW_MS = 100;
const ERASE = '\r\x1b[2K';

/** Draws only when it is told something: there is no timer to stop. */
export const createProgress = (options: ProgressOptions): Progress => {
  const { stderr, clock } = options;
  let lastDrawn: number | undefined;
  let latest = 0;
  const write = (text: string): void => void stderr.write(text).catch(() => undefined);

  const draw = async (text: string): Promise<void> => {
    const turn = ++latest;
    const shown = safeCell(text);
    const measure = await measureFor([shown]);
    // Something else has been written, or a newer text drawn, while the measure was loaded.
    if (turn === latest) write(ERASE + truncateText(shown, options.width - 1, measure, '...'));
  };

  const visible = options.enabled && stderr.isTTY;
  return {
    visible,
    update: (text) => {
      if (!visible) return;
      const now = clock.now();
      if (lastDrawn !== undefined && now - lastDrawn < REDRAW_MS) return;
      lastDrawn = now;
      void draw(text);
    },
    clear: () => {
      latest += 1;
      if (lastDrawn === undefined) return;
      lastDrawn = undefined;
      write(ERASE);
    },
  };
};

/** Long work as one line on a terminal, drawn again and again until the work has ended. In a pipe: nothing. */
export interface ProgressIndicator {
  /** @param words how far it has come */
  during<T>(words: () => string, work: () => Promise<T>): Promise<T>;
  /** The same of one request: what is longer speaks for it, and a wait before it has a line of its own. */
  request<T>(words: () => string, work: () => Promise<T>): Promise<T>;
  /** Why nothing happens: `waiting 12 s for the rate limit`. False where no line can be shown that says it. */
  reportWait(why: string): boolean;
  /** While a question has the terminal nothing is drawn. The answer ends that. */
  hold(): () => void;
}

const TICK_MS = 250;
/** What is done sooner is not told. */
const DELAY_MS = 1_000;

interface Work {
  readonly words: () => string;
  readonly since: number;
  readonly showsWaits: boolean;
}

/** The seconds in a text that says how long something takes; counted down as time passes. */
const SECONDS = /\d+(?= s\b)/;

export function createProgressIndicator(
  progress: Progress,
  clock: Pick<Clock, 'now' | 'sleep'>,
): ProgressIndicator {
  const works = new Set<Work>();
  let holders = 0;
  let wait = { reason: '', until: 0 };
  let ticking: Promise<void> | undefined;
  let over = new AbortController();
  /** What is done in the course of something longer is part of it. */
  const findMainWork = (): Work | undefined =>
    [...works].find(({ showsWaits }) => showsWaits) ?? [...works][0];
  const formatWait = (): string => {
    const seconds = Math.ceil((wait.until - clock.now()) / 1000);
    return seconds <= 0 ? '' : `; ${wait.reason.replace(SECONDS, String(seconds))}`;
  };
  const tick = async (end: AbortSignal): Promise<void> => {
    while (!end.aborted) {
      const work = findMainWork();
      if (work !== undefined && holders === 0 && clock.now() - work.since >= DELAY_MS)
        progress.update(`${work.words()}${work.showsWaits ? formatWait() : ''}`);
      await clock.sleep(TICK_MS, end).catch(() => undefined);
    }
  };
  const start = (): void => {
    if (ticking !== undefined) return;
    over = new AbortController();
    ticking = tick(over.signal);
  };
  const stop = async (): Promise<void> => {
    const last = ticking;
    ticking = undefined;
    over.abort();
    await last;
  };
  const track =
    (showsWaits: boolean): ProgressIndicator['during'] =>
    async (words, work) => {
      if (!progress.visible) return work();
      const one = { words, since: clock.now(), showsWaits };
      works.add(one);
      start();
      try {
        return await work();
      } finally {
        works.delete(one);
        if (works.size === 0) await stop();
        progress.clear();
      }
    };
  return {
    during: track(true),
    request: track(false),
    reportWait(why) {
      if (!progress.visible) return false;
      if (findMainWork()?.showsWaits === true)
        wait = { reason: why, until: clock.now() + 1000 * Number(SECONDS.exec(why)?.[0] ?? 0) };
      else if (holders === 0) progress.update(why);
      return true;
    },
    hold() {
      holders += 1;
      progress.clear();
      return () => {
        holders -= 1;
      };
    },
  };
}
