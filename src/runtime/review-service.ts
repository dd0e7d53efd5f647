import { dirname, join } from 'node:path';
import { reviewOnScreen } from '../inbox/screen.ts';
import { listDecisions, reopenReview, type State } from '../inbox/state.ts';
import { parseJson } from '../json/parse.ts';
import { Failure } from '../outcome.ts';
import { measureFor } from '../output/layout.ts';
import { loadPalette } from '../output/palette.ts';
import type { Machine } from '../platform/machine.ts';
import type { Review, ReviewDecision, ReviewEnd } from '../review.ts';
import { readPrivate } from '../storage/own-files.ts';
import { findWriteProblem, makePrivateDirectory, writeDurably } from '../storage/write.ts';

/** The review screen on this machine, and the reasons that were given on it before. */

export interface ReviewServiceOptions {
  readonly machine: Machine;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  /** Which service is meant, by which profile: what was said to one company's people is not offered at another's. */
  readonly place: string;
  readonly colour: boolean;
  readonly unicode: boolean;
  /** As in `QuestionOptions`. */
  readonly hold: () => () => void;
}

/** Places whose reasons are stored, the latest first. */
const MAX_PLACES = 20;
/** Reasons that are stored of each place, and characters of a reason. */
const MAX_REASONS = 10;
const MAX_LENGTH = 200;

const getReasonsFile = (directory: string): string => join(directory, 'inbox', 'reasons.json');

/** The reasons of one place, the latest first. */
interface StoredReasons {
  readonly place: string;
  readonly reasons: readonly string[];
}

const isStoredReasons = (one: unknown): one is StoredReasons => {
  const { place, reasons } = (one ?? {}) as Partial<Record<keyof StoredReasons, unknown>>;
  return typeof place === 'string' && Array.isArray(reasons) && reasons.every((r) => typeof r === 'string');
};

/** Of all places. A file that cannot be read counts as empty. */
const readReasons = (directory: string | undefined): readonly StoredReasons[] => {
  if (directory === undefined) return [];
  try {
    const parsed = parseJson(readPrivate(getReasonsFile(directory))?.text ?? '[]');
    const list: unknown = 'value' in parsed ? parsed.value : [];
    return Array.isArray(list) ? list.filter(isStoredReasons).slice(0, MAX_PLACES) : [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
};

const findReasons = (stored: readonly StoredReasons[], place: string): readonly string[] =>
  (stored.find((one) => one.place === place)?.reasons ?? []).slice(0, MAX_REASONS);

const writeReasons = (directory: string, stored: readonly StoredReasons[]): void => {
  const file = getReasonsFile(directory);
  try {
    makePrivateDirectory(dirname(file));
    writeDurably(file, `${JSON.stringify(stored, null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
};

export const createReviewService = (options: ReviewServiceOptions) => {
  const { machine, directory, place, colour, unicode, hold } = options;
  const { stdin, stderrStream, interrupted, suspend, redactor } = machine;
  return {
    /** @param agrees whether all that was chosen is to be sent; a no leads back to the screen as it was left */
    async ask(
      review: Review,
      agrees: (choices: readonly ReviewDecision[]) => Promise<boolean>,
    ): Promise<ReviewEnd> {
      // Anything may be typed, so the measure for all texts is loaded.
      const style = { palette: await loadPalette(colour), unicode, measure: await measureFor(['é']) };
      const recent = findReasons(readReasons(directory), place);
      const screen = { stdin, stderr: stderrStream, signal: interrupted, suspend, hold, style, recent };
      let previous: State | undefined;
      for (;;) {
        const last = await reviewOnScreen(review, screen, previous);
        const choices = listDecisions(last);
        const plan = last.end === 'plan' ? last.input : undefined;
        // Nothing that was decided is lost for want of a place.
        const problem = plan === undefined ? undefined : findWriteProblem(plan);
        if (plan !== undefined && problem === undefined) return { choices, plan };
        if (plan === undefined && (choices.length === 0 || (await agrees(choices)))) return { choices };
        previous = reopenReview(last, problem && `Cannot write to ${problem}. Your decisions are kept.`);
      }
    },
    /** A text with a secret in it is not kept. */
    remember(given: readonly string[]): void {
      const fit = given.filter((reason) => reason.length <= MAX_LENGTH && redactor.text(reason) === reason);
      if (directory === undefined || fit.length === 0) return;
      const stored = readReasons(directory);
      const reasons = [...new Set([...fit.reverse(), ...findReasons(stored, place)])].slice(0, MAX_REASONS);
      const others = stored.filter((one) => one.place !== place);
      writeReasons(directory, [{ place, reasons }, ...others].slice(0, MAX_PLACES));
    },
  };
};
