import { lazy } from '../lazy.ts';

/** How many columns a text takes on a terminal (docs/requirements.md, F4). */

export type Measure = (text: string) => number;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * What is more than ASCII, with the character that it may belong to, up to a letter that always begins anew: short
 * pieces, because to find the graphemes of a long text takes minutes.
 */
const piecePattern = lazy(() => {
  const begins = ['Latin', 'Greek', 'Cyrillic', 'Han', 'Hiragana', 'Katakana'].map(
    (name) => `\\p{Script=${name}}`,
  );
  return new RegExp(`[\\x20-\\x7e]?[^\\x20-\\x7e]+?(?=[\\x20-\\x7e${begins.join('')}]|$)`, 'gu');
});

/** So many widths of pieces are remembered. */
const MOST = 10_000;

let stringWidth: Measure | undefined;
const known = new Map<string, number>();

const pieceWidth = (piece: string, measure: Measure): number => {
  const width = known.get(piece) ?? measure(piece);
  if (known.size >= MOST) known.clear();
  known.set(piece, width);
  return width;
};

/** Columns of a text that `measureFor` has seen, or of its parts. */
export const textWidth: Measure = (text) => {
  let width = text.length;
  if (stringWidth === undefined || PLAIN.test(text)) return width;
  for (const [piece] of text.matchAll(piecePattern())) width += pieceWidth(piece, stringWidth) - piece.length;
  return width;
};

/** The measure for these texts; string-width is loaded only when one of them is more than plain ASCII. */
export const measureFor = async (texts: readonly string[]): Promise<Measure> => {
  if (stringWidth === undefined && !texts.every((text) => PLAIN.test(text)))
    stringWidth = (await import('string-width')).default;
  return textWidth;
};

/** Fills up with spaces; a text that is too wide stays as it is. */
export const padText = (text: string, width: number, right: boolean, measure: Measure): string => {
  const space = ' '.repeat(Math.max(0, width - measure(text)));
  return right ? space + text : text + space;
};

/** At most `width` columns, cut between graphemes; what is cut ends with the ellipsis. */
export const truncateText = (text: string, width: number, measure: Measure, ellipsis: string): string => {
  if (measure(text) <= width) return text;
  const mark = ellipsis.slice(0, width);
  let room = width - mark.length;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= measure(segment);
    if (room < 0) break;
    kept += segment;
  }
  return kept.trimEnd() + mark;
};
