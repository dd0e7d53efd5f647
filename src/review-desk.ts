import { dirname, join } from 'node:path';
import { parseJson } from './disk/json.ts';
import { makePrivateDirectory, readPrivate, writeDurably } from './disk/write.ts';
import type { Machine } from './machine.ts';
import { Failure } from './outcome.ts';
import type { Choice, Review } from './review.ts';
import { loadPalette } from './terminal/palette.ts';
import { reviewOnScreen } from './terminal/review/screen.ts';
import { choicesOf, declined, type State } from './terminal/review/state.ts';
import { measureFor } from './terminal/width.ts';

/** The review screen on this machine, and the reasons that were given on it before. */

export interface ReviewDeskOptions {
  readonly machine: Machine;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  readonly colour: boolean;
  readonly unicode: boolean;
}

/** So many reasons are kept, of so many characters. */
const REASONS = 10;
const LONGEST = 200;

const fileIn = (directory: string): string => join(directory, 'inbox', 'reasons.json');

/** The latest first. A file that cannot be read is a comfort lost, and no more. */
const readReasons = (directory: string | undefined): readonly string[] => {
  if (directory === undefined) return [];
  try {
    const parsed = parseJson(readPrivate(fileIn(directory))?.text ?? '[]');
    const list: unknown = 'value' in parsed ? parsed.value : [];
    if (!Array.isArray(list)) return [];
    return list.filter((reason): reason is string => typeof reason === 'string').slice(0, REASONS);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
};

const writeReasons = (directory: string, reasons: readonly string[]): void => {
  const file = fileIn(directory);
  try {
    makePrivateDirectory(dirname(file));
    writeDurably(file, `${JSON.stringify(reasons, null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
};

export const createReviewDesk = ({ machine, directory, colour, unicode }: ReviewDeskOptions) => {
  const { stdin, stderrStream, interrupted, redactor } = machine;
  return {
    /** @param agrees whether all that was chosen is to be sent; a no leads back to the screen as it was left */
    async ask(
      review: Review,
      agrees: (choices: readonly Choice[]) => Promise<boolean>,
    ): Promise<readonly Choice[]> {
      const palette = await loadPalette(colour);
      // Anything may be typed, so the measure for all texts is loaded.
      const measure = await measureFor(['é']);
      const options = {
        stdin,
        stderr: stderrStream,
        signal: interrupted,
        style: { palette, unicode, measure },
        recent: readReasons(directory),
      };
      for (let last: State | undefined; ; ) {
        last = await reviewOnScreen(review, options, last && declined(last));
        const choices = choicesOf(last);
        if (choices.length === 0 || (await agrees(choices))) return choices;
      }
    },
    /** A text with a secret in it is not kept. */
    remember(given: readonly string[]): void {
      const fit = given.filter((reason) => reason.length <= LONGEST && redactor.text(reason) === reason);
      if (directory === undefined || fit.length === 0) return;
      const all = [...new Set([...fit.reverse(), ...readReasons(directory)])];
      writeReasons(directory, all.slice(0, REASONS));
    },
  };
};
