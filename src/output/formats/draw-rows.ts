import Table from 'cli-table3';
import { GAP, isPlainText, type Measure } from '../layout.ts';

/** Draws rows of a table with cli-table3: columns beside each other, no lines around them. */

/** Rows of one table, with the square of which its time grows. */
const MAX_ROWS = 30;

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
  readonly width: number;
  readonly right: boolean;
}

/** Stands for a cell while it is drawn, a letter for each column: cli-table3 measures Thai and pointed Hebrew wrongly. */
const FILLER = '\ue000';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[[\d;]*m/g;

/**
 * One line for each row, without its newline and without spaces at its end.
 * @param rows cells that are sanitised and no wider than their columns; they may be coloured
 */
export const drawRows = (
  rows: readonly (readonly string[])[],
  columns: readonly DrawnColumn[],
  measure: Measure,
): readonly string[] => {
  const last = columns.length - 1;
  const lines: string[] = [];
  const replaced: string[] = [];
  const toPlain = (cell: string): string => {
    if (isPlainText(cell)) return cell;
    const filler = FILLER.repeat(measure(cell.replace(COLOUR, '')));
    if (filler !== '') replaced.push(cell);
    return filler;
  };
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    const table = new Table({
      chars,
      // What nothing follows is as wide as it is in these rows: it is not filled up.
      colWidths: columns.map(({ width, right }, i) => (i === last && !right ? null : width)),
      colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    });
    for (const cells of rows.slice(start, start + MAX_ROWS)) table.push(cells.map(toPlain));
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  const texts = replaced.values();
  return lines.map((line) => restore(line, texts));
};

/** Without a pattern: one over millions of letters overflows the engine's stack. */
function restore(line: string, texts: Iterator<string, undefined>): string {
  let restored = '';
  let at = 0;
  for (let start = line.indexOf(FILLER); start >= 0; start = line.indexOf(FILLER, at)) {
    restored += line.slice(at, start) + (texts.next().value ?? '');
    at = start;
    while (line[at] === FILLER) at += 1;
  }
  return restored + line.slice(at);
}
