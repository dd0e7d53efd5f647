import Table from 'cli-table3';
import type { Row } from '../../api/page.ts';
import { inParts } from '../../clock.ts';
import { EMPTY_CELL, formatTitle, isRightAligned, type PeopleStyle } from '../cell.ts';
import { isEmpty } from '../columns.ts';
import { GAP, isPlainText, type Measure, truncateText } from '../layout.ts';
import type { Column } from '../list-view.ts';
import { getStatePaint, type Paint } from '../palette.ts';
import { safeCell } from '../safe-text.ts';
import { splitAddress, wrapPieces } from '../wrap.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';
import {
  createFirstRowBlock,
  createRowBlock,
  formatBar,
  measureWidths,
  type RowBlock,
  type TableColumn,
  type TableColumns,
} from './table-columns.ts';

/** The last cell of a row of a table, where it goes on below instead of being cut. */

interface CellLayout {
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly style: { readonly width: number | undefined };
}

/** What stands in the cell, and below the row; `undefined` where it fits. */
type WrapCell = (
  text: string,
  layout: CellLayout,
) => { readonly cell: string; readonly below: readonly string[] } | undefined;

/** Where less is left beside the others, all of it stands below. */
const MIN_BESIDE = 24;
const BELOW_INDENT = 4;

const wrapCell: WrapCell = (text, { widths, measure, style }) => {
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

/**
 * A table for people: headings, one row a record, no lines around them. In a pipe all rows are aligned and
 * nothing is cut; on a terminal it is fitted to the width, and later rows stream in the columns of the first.
 */

/** Rows that decide the layout on a terminal: a page. */
const FIRST_BLOCK = 100;

interface LineLayout {
  readonly columns: readonly TableColumn[];
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly style: PeopleStyle;
  /** For a view whose last column goes on below. */
  readonly wrap?: WrapCell | undefined;
}

const truncateAt = ({ widths, measure, style }: LineLayout, text: string, i: number): string =>
  truncateText(text, widths[i] ?? 0, measure, style.unicode ? '…' : '...');

const choosePaint = ({ columns, style: { palette } }: LineLayout, text: string, i: number): Paint => {
  if (text === EMPTY_CELL) return palette.faint;
  return columns[i]?.kind === 'state' ? getStatePaint(palette, text) : (shown) => shown;
};

const formatTableCell = (line: LineLayout, text: string, i: number): string => {
  if (line.columns[i]?.kind === 'bar')
    return formatBar(Number(text), line.widths[i] ?? 0, line.style.unicode);
  return choosePaint(line, text, i)(truncateAt(line, text, i));
};

const formatRow = (texts: readonly string[], line: LineLayout) => {
  const last = line.columns.length - 1;
  const wrapped = line.wrap?.(texts[last] ?? '', line);
  const cells = line.columns.map((_, i) => {
    const text = wrapped !== undefined && i === last ? wrapped.cell : (texts[i] ?? '');
    return formatTableCell(line, text, i);
  });
  return { cells, below: wrapped?.below ?? [] };
};

/** What was left out, in one line. */
const formatHiddenNote = ({ style, view }: FormatContext, hidden: readonly Column[]): string => {
  const id = hidden.some(({ field }) => field === (view.id ?? 'id'));
  const count = hidden.length === 1 ? '1 column' : `${hidden.length} columns`;
  const them = hidden.length === 1 ? 'it' : 'them';
  const long = `${count} hidden: ${hidden.map(formatTitle).join(', ')} (--columns or a wider terminal shows ${them})`;
  const text = safeCell(long);
  if (text.length <= (style.width ?? 0)) return text;
  if (id && hidden.length === 1) return 'The id is hidden (--columns shows it).';
  return `${count} hidden${id ? ', the id too' : ''}: see --columns`;
};

/** The lines of a block in pieces, so that a long list never is one string. */
async function* formatBlock(
  context: FormatContext,
  cols: readonly TableColumn[],
  { texts, measure }: RowBlock,
  hasHeading: boolean,
): AsyncGenerator<string> {
  const isWrapped = context.style.width !== undefined && cols.at(-1)?.column.wrap === true;
  const wrap = isWrapped ? wrapCell : undefined;
  const line = { columns: cols, widths: measureWidths(context, cols), measure, style: context.style, wrap };
  const columns = cols.map(({ kind }, i) => ({ width: line.widths[i] ?? 0, right: isRightAligned(kind) }));
  const titleCells = cols.map(({ title }, i) => truncateAt(line, title, i));
  const [titles = ''] = drawRows([titleCells], columns, measure);
  let heading = hasHeading ? [context.style.palette.heading(titles)] : [];
  for await (const part of inParts(texts)) {
    const rows = part.map((cells) => formatRow(cells, line));
    const drawn = drawRows(
      rows.map(({ cells }) => cells),
      columns,
      measure,
    );
    const lines = drawn.flatMap((text, i) => [text, ...(rows[i]?.below ?? [])]);
    yield [...heading, ...lines].map((text) => `${text}\n`).join('');
    heading = [];
  }
}

const isLeftOut =
  (rows: readonly Row[]) =>
  (column: Column): boolean =>
    column.sparse === true && isEmpty(column, rows);

export const createTableWriter = (context: FormatContext): RowWriter => {
  let pending: Row[] = [];
  let shown: TableColumns | undefined;
  const hidden = new Set<Column>();
  /** Columns that the first rows had nothing for. */
  let absent: readonly Column[] = [];

  const formatFirst = async (rows: readonly Row[]) => {
    const first = await createFirstRowBlock(context, rows);
    shown = first;
    for (const column of first.hidden) hidden.add(column);
    absent = context.columns === undefined ? context.view.columns.filter(isLeftOut(rows)) : [];
    return formatBlock(context, first.columns, first, context.header);
  };
  const formatNext = async (shape: TableColumns, rows: readonly Row[]) => {
    for (const column of absent) if (!isEmpty(column, rows)) hidden.add(column);
    return formatBlock(context, shape.columns, await createRowBlock(context, shape, rows), false);
  };
  const flush = async (): Promise<void> => {
    const rows = pending;
    pending = [];
    if (rows.length === 0) return;
    const pieces = await (shown === undefined ? formatFirst(rows) : formatNext(shown, rows));
    for await (const text of pieces) await context.write(text);
  };
  return {
    rows: async (rows) => {
      for (const row of rows) pending.push(row);
      if (context.style.width !== undefined && pending.length >= (shown === undefined ? FIRST_BLOCK : 1))
        await flush();
    },
    end: async () => {
      await flush();
      if (hidden.size > 0) context.hint(formatHiddenNote(context, [...hidden]));
    },
  };
};

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

interface DrawnColumn {
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
const drawRows = (
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
