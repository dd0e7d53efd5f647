import { GAP, type Measure } from '../layout.ts';
import { splitAddress, wrapPieces } from '../wrap.ts';

/** The last cell of a row of a table, where it goes on below instead of being cut. */

interface CellLayout {
  /** Of all columns. */
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly style: { readonly width: number | undefined };
}

/** What stands in the cell, and below the row; `undefined` where it fits. */
export type WrapCell = (
  text: string,
  layout: CellLayout,
) => { readonly cell: string; readonly below: readonly string[] } | undefined;

/** Where less is left beside the others, all of it stands below. */
const MIN_BESIDE = 24;
const BELOW_INDENT = 4;

export const wrapCell: WrapCell = (text, { widths, measure, style }) => {
  const room = widths.at(-1) ?? 0;
  if (style.width === undefined || measure(text) <= room) return undefined;
  const beside = room >= MIN_BESIDE;
  const indent = beside ? widths.slice(0, -1).reduce((sum, one) => sum + one + GAP, 0) : BELOW_INDENT;
  const words = text.split(' ').map((word) => ({ text: word, seams: splitAddress }));
  const [first = '', ...wrapped] = wrapPieces(' '.repeat(indent), words, {
    width: style.width,
    indent,
    measure,
  });
  return beside ? { cell: first.trimStart(), below: wrapped } : { cell: '', below: [first, ...wrapped] };
};
