import type { Clock } from '../clock.ts';
import { safeCell } from './safe-text.ts';
import type { Sink } from './sink.ts';
import { measureFor, truncateText } from './width.ts';

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
  /** Columns of the terminal. */
  readonly width: number;
  readonly clock: Clock;
}

const REDRAW = 100;
const ERASE = '\r\x1b[2K';

/** Draws only when it is told something: there is no timer to stop. */
export const createProgress = (options: ProgressOptions): Progress => {
  const { stderr, clock } = options;
  let drawn: number | undefined;
  let latest = 0;
  const put = (text: string): void => void stderr.write(text).catch(() => undefined);

  const draw = async (text: string): Promise<void> => {
    const turn = ++latest;
    const shown = safeCell(text);
    const measure = await measureFor([shown]);
    // Something else has been written, or a newer text drawn, while the measure was loaded.
    if (turn === latest) put(ERASE + truncateText(shown, options.width - 1, measure, '...'));
  };

  const visible = options.enabled && stderr.isTTY;
  return {
    visible,
    update: (text) => {
      if (!visible) return;
      const now = clock.now();
      if (drawn !== undefined && now - drawn < REDRAW) return;
      drawn = now;
      void draw(text);
    },
    clear: () => {
      latest += 1;
      if (drawn === undefined) return;
      drawn = undefined;
      put(ERASE);
    },
  };
};
