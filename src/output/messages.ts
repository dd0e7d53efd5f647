import type { Format } from './formats/formats.ts';
import { type Palette, PLAIN_PALETTE } from './palette.ts';
import type { Progress } from './progress.ts';
import { safeLines } from './safe-text.ts';
import type { Sink } from './sink.ts';

/** What is said on stderr beside the data. */
export interface Messages {
  /** Not with `--quiet`, not with a JSON format. */
  note(text: string): void;
  /** A faint note, for a terminal alone. */
  hint(text: string): void;
  /** Not with `--quiet`. */
  warn(text: string): void;
  /** Sets the colours of stderr, and what breaks its lines where it is a terminal. */
  dress(palette: Palette, fold?: (text: string) => string): void;
}

export interface MessageOptions {
  readonly stderr: Sink;
  readonly format: Format;
  readonly quiet: boolean;
  readonly progress?: Progress;
}

/** A stderr that cannot be written to is no reason to fail: what matters went to stdout. */
export const createMessages = ({ stderr, format, quiet, progress }: MessageOptions): Messages => {
  let palette = PLAIN_PALETTE;
  let fold = (text: string): string => text;
  const say = (text: string): void => {
    progress?.clear();
    void stderr.write(`${fold(text)}\n`).catch(() => undefined);
  };
  const notes = !quiet && !format.errorsAsJson;
  return {
    note: (text) => {
      if (notes) say(safeLines(text));
    },
    hint: (text) => {
      if (notes && stderr.isTTY) say(palette.faint(safeLines(text)));
    },
    warn: (text) => {
      if (!quiet) say(`${palette.waiting('warning:')} ${safeLines(text)}`);
    },
    dress: (chosen, folded = fold) => {
      palette = chosen;
      fold = folded;
    },
  };
};
