/** Which columns fit a terminal, and how wide each becomes. Pure. */

/** Spaces between columns. */
export const GAP = 2;

/** A text longer than this is shortened before another column is dropped for it. */
const COMFORTABLE = 28;
/** A text is not made shorter than this while anything else can give way. */
const READABLE = 8;
const LEAST = 3;

export interface Track {
  /** Columns that the widest cell takes, the heading counted. */
  readonly natural: number;
  /** The higher, the earlier it is dropped; 0: never. */
  readonly drop: number;
  /** Text that may be shortened. */
  readonly elastic: boolean;
}

export interface Fit {
  /** Indexes of the tracks that stay, in order. */
  readonly kept: readonly number[];
  /** One width for each of `kept`. */
  readonly widths: readonly number[];
}

interface Cell {
  readonly index: number;
  readonly track: Track;
  width: number;
}

const excess = (cells: readonly Cell[], width: number): number =>
  cells.reduce((sum, cell) => sum + cell.width + GAP, -GAP) - width;

/** Takes from the widest first, down to `floor`, until all fit or nothing is left to take. */
const shrink = (cells: readonly Cell[], width: number, floor: number, all: boolean): void => {
  const able = cells.filter((cell) => all || cell.track.elastic);
  for (let over = excess(cells, width); over > 0; over = excess(cells, width)) {
    const [widest, next] = [...able].sort((a, b) => b.width - a.width);
    if (widest === undefined || widest.width <= floor) return;
    const level = Math.max(floor, Math.min(next?.width ?? 0, widest.width - 1));
    widest.width = Math.max(level, widest.width - over);
  }
};

const droppedFirst = (cells: readonly Cell[]): Cell | undefined =>
  cells
    .filter((cell) => cell.track.drop > 0)
    .sort((a, b) => b.track.drop - a.track.drop || b.index - a.index)
    .at(0);

const fresh = (cells: readonly Cell[], width: number): Cell[] => {
  const copy = cells.map((cell) => ({ ...cell, width: cell.track.natural }));
  shrink(copy, width, COMFORTABLE, false);
  return copy;
};

/** @param width of the terminal in columns; `undefined`: nothing is dropped or shortened. */
export const fitTracks = (tracks: readonly Track[], width: number | undefined): Fit => {
  let cells: Cell[] = tracks.map((track, index) => ({ index, track, width: track.natural }));
  if (width !== undefined) {
    cells = fresh(cells, width);
    for (
      let drop = droppedFirst(cells);
      drop !== undefined && excess(cells, width) > 0;
      drop = droppedFirst(cells)
    ) {
      const gone = drop.index;
      cells = fresh(
        cells.filter((cell) => cell.index !== gone),
        width,
      );
    }
    shrink(cells, width, READABLE, false);
    shrink(cells, width, READABLE, true);
    shrink(cells, width, LEAST, true);
  }
  return { kept: cells.map((cell) => cell.index), widths: cells.map((cell) => cell.width) };
};
