import Table from 'cli-table3';
import { GAP } from '../layout.ts';

/** Draws rows of a table with cli-table3: columns beside each other, no lines around them. */

/** Rows of one table, with the square of which its time grows: 10,000 take 0.47 s by 10 and 0.8 s by 200. */
const MAX_ROWS = 10;

const BORDERS = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
] as const;

const chars = {
  ...Object.fromEntries(BORDERS.map((name) => [name, ''])),
  middle: ' '.repeat(GAP),
};

export interface DrawnColumn {
  /** In columns of the terminal. */
  readonly width: number;
  /** Whether its cells end at the right. */
  readonly right: boolean;
}

/**
 * One line for each row, without its newline and without spaces at its end.
 * @param rows cells that are sanitised and no wider than their columns; they may be coloured
 */
export const drawRows = (
  rows: readonly (readonly string[])[],
  columns: readonly DrawnColumn[],
): readonly string[] => {
  const last = columns.length - 1;
  const lines: string[] = [];
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    const table = new Table({
      chars,
      // What nothing follows is as wide as it is in these rows: it is not filled up.
      colWidths: columns.map(({ width, right }, i) => (i === last && !right ? null : width)),
      colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    });
    for (const cells of rows.slice(start, start + MAX_ROWS)) table.push([...cells]);
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  return lines;
};
