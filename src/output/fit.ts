import { GAP } from './terminal.ts';

/** A text longer than this is shortened before another column is dropped for it. */
export const COMFORTABLE = 28;
/** A text is not made shorter than this while anything else can give way. */
const READABLE_WIDTH = 8;
const MIN_WIDTH = 3;
/** An id that takes more than this is given up rather than what the record is about. */
const WIDE_ID = 12;

export interface ColumnWidth {
  /** Columns that the widest cell takes, the heading counted. */
  readonly natural: number;
  /** The higher, the earlier it is dropped; 0: only when nothing else helps. */
  readonly drop: number;
  /** A text may be shortened: to so many columns, before another column is dropped for it. */
  readonly least?: number;
  /** What names the record. Never shortened. */
  readonly id?: boolean;
}

/**
 * Texts are shortened as far as they may be, then the least important columns dropped, then texts cut to what can still
 * be read, then a wide id given up, at last what stands at the end.
 * @param width of the terminal in columns; `undefined`: nothing is dropped or shortened
 * @returns the indexes of the columns that stay, in order, with a width for each
 */
export function fitColumns(
  columns: readonly ColumnWidth[],
  width = Number.POSITIVE_INFINITY,
): { readonly kept: readonly number[]; readonly widths: readonly number[] } {
  let all = columns.map((column, index) => ({ ...column, index }));
  let kept = all;
  for (;;) {
    const [first] = kept.filter(({ drop }) => drop > 0).sort((a, b) => b.drop - a.drop || b.index - a.index);
    const floors = first === undefined ? [getLeast, getReadable] : [getLeast];
    const widths = kept.length === 1 ? fitWidths(kept, width) : shrink(kept, width, floors);
    if (measure(widths) <= width || kept.length <= 1) return { kept: kept.map(({ index }) => index), widths };
    const wideId = kept.find(({ id, natural }) => id === true && natural > WIDE_ID);
    if (first !== undefined) kept = kept.filter((one) => one !== first);
    else if (wideId === undefined) kept = kept.slice(0, -1);
    else {
      // What was dropped for it may have room after all.
      all = all.filter((one) => one !== wideId);
      kept = all;
    }
  }
}

/** The widths of columns that all stay: texts are shortened, the rest may be wider than the terminal. */
export function fitWidths(
  columns: readonly ColumnWidth[],
  width = Number.POSITIVE_INFINITY,
): readonly number[] {
  return shrink(columns, width, [getLeast, getReadable, () => MIN_WIDTH]);
}

type Floor = (least: number) => number;

const getLeast: Floor = (least) => least;
const getReadable: Floor = (least) => Math.min(least, READABLE_WIDTH);

/** Takes from the widest first, down to its floor, until all fit; each floor only once nothing is above the one before. */
function shrink(columns: readonly ColumnWidth[], width: number, floors: readonly Floor[]): readonly number[] {
  const cells = columns.map(({ natural, least }) => ({ width: natural, least }));
  for (const floor of floors) {
    const getFloor = ({ width: now, least }: (typeof cells)[number]) =>
      least === undefined ? now : floor(least);
    for (;;) {
      const over = measure(cells.map((cell) => cell.width)) - width;
      const [widest, next] = cells
        .filter((cell) => cell.width > getFloor(cell))
        .sort((a, b) => b.width - a.width);
      if (over <= 0 || widest === undefined) break;
      const level = Math.max(getFloor(widest), Math.min(next?.width ?? 0, widest.width - 1));
      widest.width = Math.max(level, widest.width - over);
    }
  }
  return cells.map((cell) => cell.width);
}

function measure(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + GAP, -GAP);
}
