/** Colours by meaning. Colour is decided by the caller for each stream; chalk decides nothing. */

export type Paint = (text: string) => string;

export interface Palette {
  readonly heading: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly waiting: Paint;
  readonly bad: Paint;
  /** The line of a list that keys act on. */
  readonly cursor: Paint;
}

const asIs: Paint = (text) => text;

export const PLAIN_PALETTE: Palette = {
  heading: asIs,
  faint: asIs,
  good: asIs,
  waiting: asIs,
  bad: asIs,
  cursor: asIs,
};

/** chalk is loaded only when there is colour. */
export const loadPalette = async (colour: boolean): Promise<Palette> => {
  if (!colour) return PLAIN_PALETTE;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    heading: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    waiting: (text) => chalk.yellow(text),
    bad: (text) => chalk.red(text),
    cursor: (text) => chalk.inverse(text),
  };
};

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(', '));

const GOOD = wordSet('active, approved, accepted, done, running, paid, delivered, visible, ok, valid');
const WAITING = wordSet('submitted, pending, paused, planned, in progress, unknown, sending, warning');
const BAD = wordSet('rejected, failed, blocked, urgent, expired, invalid, problem');
const GONE = wordSet('inactive, left, archived, closed, skipped');

/** The colour of a state; the word itself is always there too. */
export const getStatePaint = (palette: Palette, word: string): Paint => {
  const key = word.toLowerCase().replace(/[_-]/g, ' ');
  if (GOOD.has(key)) return palette.good;
  if (WAITING.has(key)) return palette.waiting;
  if (BAD.has(key)) return palette.bad;
  return GONE.has(key) ? palette.faint : asIs;
};
