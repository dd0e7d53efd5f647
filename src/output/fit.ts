import { GAP } from './terminal.ts';

/** A text longer than this is shortened before another column is dropped for it. */
export const COMFORTABLE = 28;
/** A text is not made shorter than this while anything else can give way. */
const READABLE_WIDTH = 8;
const MIN_WIDTH = 3;
/** No text is cut to less than `EASY_WIDTH` for the sake of a column that is less important than this. */
const IMPORTANT = 2;
const EASY_WIDTH = 20;
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
  let dropped: typeof all = [];
  const ease = (some: typeof all) => shrink(some, width, [getEasyFloor(some)]);
  for (;;) {
    const [first] = kept.filter(({ drop }) => drop > 0).sort((a, b) => b.drop - a.drop || b.index - a.index);
    let widths = ease(kept);
    if (kept.length === 1) widths = fitWidths(kept, width);
    else if (first === undefined) widths = shrink(kept, width, [getEasyFloor(kept), getReadableFloor]);
    const wideId = kept.find(({ id, natural }) => id === true && natural > WIDE_ID);
    if (measure(widths) <= width || kept.length <= 1) {
      // What was dropped before the last one may have room after all.
      for (const one of dropped.slice(1)) {
        const more = [...kept, one].sort((a, b) => a.index - b.index);
        if (measure(ease(more)) <= width) [kept, widths] = [more, ease(more)];
      }
      return { kept: kept.map(({ index }) => index), widths };
    }
    if (first !== undefined) {
      kept = kept.filter((one) => one !== first);
      dropped = [first, ...dropped];
    } else if (wideId === undefined) kept = kept.slice(0, -1);
    else {
      all = all.filter((one) => one !== wideId);
      [kept, dropped] = [all, []];
    }
  }
}

/** The widths of columns that all stay: texts are shortened, the rest may be wider than the terminal. */
export function fitWidths(
  columns: readonly ColumnWidth[],
  width = Number.POSITIVE_INFINITY,
): readonly number[] {
  return shrink(columns, width, [getEasyFloor(columns), getReadableFloor, () => MIN_WIDTH]);
}

type Floor = (least: number) => number;

function getEasyFloor(columns: readonly ColumnWidth[]): Floor {
  const isEasy = columns.some(({ drop }) => drop > IMPORTANT);
  return (least) => (isEasy ? Math.max(least, EASY_WIDTH) : least);
}

function getReadableFloor(least: number): number {
  return Math.min(least, READABLE_WIDTH);
}

/** Takes from the widest first, down to its floor, until all fit; each floor only once nothing is above the one before. */
function shrink(columns: readonly ColumnWidth[], width: number, floors: readonly Floor[]): readonly number[] {
  const cells = columns.map(({ natural, least }) => ({ width: natural, least }));
  for (const getFloor of floors) {
    const floorOf = ({ width: now, least }: (typeof cells)[number]) =>
      least === undefined ? now : getFloor(least);
    for (;;) {
      const over = measure(cells.map((cell) => cell.width)) - width;
      const [widest, next] = cells
        .filter((cell) => cell.width > floorOf(cell))
        .sort((a, b) => b.width - a.width);
      if (over <= 0 || widest === undefined) break;
      const level = Math.max(floorOf(widest), Math.min(next?.width ?? 0, widest.width - 1));
      widest.width = Math.max(level, widest.width - over);
    }
  }
  return cells.map((cell) => cell.width);
}

function measure(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + GAP, -GAP);
}
