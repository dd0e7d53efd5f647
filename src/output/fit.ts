import { GAP } from './terminal.ts';

/** Which columns of a table there is room for, and how wide each is. */

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
  /** A text may be shortened: to so many columns, before an important column is dropped for it. */
  readonly least?: number;
  /** What names the record. Never shortened. */
  readonly id?: boolean;
}

export interface FittedColumns {
  /** Indexes of the columns that stay, in order. */
  readonly kept: readonly number[];
  /** One width for each of `kept`. */
  readonly widths: readonly number[];
}

interface Cell {
  readonly index: number;
  readonly column: ColumnWidth;
  width: number;
}

/** @param width of the terminal in columns; `undefined`: nothing is dropped or shortened. */
export function fitColumns(columns: readonly ColumnWidth[], width: number | undefined): FittedColumns {
  const all: Cell[] = columns.map((column, index) => ({ index, column, width: column.natural }));
  let cells = all;
  if (width !== undefined) {
    cells = dropColumns(all, width);
    const others = all.filter(({ column }) => column.id !== true || column.natural <= WIDE_ID);
    if (getExcess(cells, width) > 0 && others.length > 0) cells = dropColumns(others, width);
    while (getExcess(cells, width) > 0 && cells.length > 1) cells = tightenColumns(cells.slice(0, -1), width);
    shrink(cells, width, () => MIN_WIDTH);
  }
  return { kept: cells.map((cell) => cell.index), widths: cells.map((cell) => cell.width) };
}

/** Drops the least important columns, then takes back those that there is room for after all. */
function dropColumns(all: readonly Cell[], width: number): Cell[] {
  let kept = easeColumns(all, width);
  const dropped: Cell[] = [];
  while (getExcess(kept, width) > 0) {
    const [first] = kept
      .filter((cell) => cell.column.drop > 0)
      .sort((a, b) => b.column.drop - a.column.drop || b.index - a.index);
    if (first === undefined || kept.length === 1) return tightenColumns(kept, width);
    dropped.unshift(first);
    kept = easeColumns(
      kept.filter((cell) => cell.index !== first.index),
      width,
    );
  }
  for (const cell of dropped.slice(1)) {
    const more = easeColumns([...kept, cell].sort(compareIndexes), width);
    if (getExcess(more, width) <= 0) kept = more;
  }
  return kept;
}

/** All as wide as they want, texts shortened as far as they may be without harm. */
function easeColumns(cells: readonly Cell[], width: number): Cell[] {
  const copy = cells.map((cell) => ({ ...cell, width: cell.column.natural }));
  const hasUnimportant = cells.some(({ column }) => column.drop > IMPORTANT);
  shrink(copy, width, (least) => (hasUnimportant ? Math.max(least, EASY_WIDTH) : least));
  return copy;
}

/** Takes from the widest first, down to its floor, until all fit or nothing is left to take. */
function shrink(cells: readonly Cell[], width: number, getFloor: (least: number) => number): void {
  const floor = ({ column, width: now }: Cell): number =>
    column.least === undefined ? now : getFloor(column.least);
  for (let over = getExcess(cells, width); over > 0; over = getExcess(cells, width)) {
    const shrinkable = cells.filter((cell) => cell.width > floor(cell)).sort((a, b) => b.width - a.width);
    const [widest, next] = shrinkable;
    if (widest === undefined) return;
    const level = Math.max(floor(widest), Math.min(next?.width ?? 0, widest.width - 1));
    widest.width = Math.max(level, widest.width - over);
  }
}

function getExcess(cells: readonly Cell[], width: number): number {
  return cells.reduce((sum, cell) => sum + cell.width + GAP, -GAP) - width;
}

function tightenColumns(cells: readonly Cell[], width: number): Cell[] {
  const copy = easeColumns(cells, width);
  shrink(copy, width, (least) => Math.min(least, READABLE_WIDTH));
  return copy;
}

function compareIndexes(a: Cell, b: Cell): number {
  return a.index - b.index;
}

/** The widths of columns that all stay: texts are shortened, the rest may be wider than the terminal. */
export function fitWidths(columns: readonly ColumnWidth[], width: number | undefined): readonly number[] {
  const all: Cell[] = columns.map((column, index) => ({ index, column, width: column.natural }));
  if (width === undefined) return all.map((cell) => cell.width);
  const cells = tightenColumns(all, width);
  shrink(cells, width, () => MIN_WIDTH);
  return cells.map((cell) => cell.width);
}
