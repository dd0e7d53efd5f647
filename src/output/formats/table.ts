import type { Row } from '../../api/page.ts';
import { EMPTY_CELL, formatTitle, isRightAligned, type PeopleStyle } from '../cell.ts';
import { isEmpty } from '../columns.ts';
import { type Measure, truncateText } from '../layout.ts';
import type { Column } from '../list-view.ts';
import { getStatePaint, type Paint } from '../palette.ts';
import { safeCell } from '../safe-text.ts';
import { formatBar } from './bar.ts';
import { drawRows } from './draw-rows.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';
import {
  createFirstRowBlock,
  createRowBlock,
  measureWidths,
  type RowBlock,
  type TableColumn,
  type TableColumns,
} from './table-columns.ts';
import type { WrapCell } from './wrapped-cell.ts';

/**
 * A table for people: headings, one row a record, no lines around them. In a pipe all rows are aligned and
 * nothing is cut; on a terminal it is fitted to the width, and later rows stream in the columns of the first.
 */

/** Rows that decide the layout on a terminal: a page. */
const FIRST_BLOCK = 100;

interface Line {
  readonly lanes: readonly TableColumn[];
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly style: PeopleStyle;
  /** For a view whose last column goes on below. */
  readonly wrap?: WrapCell | undefined;
}

const cutAt = ({ widths, measure, style }: Line, text: string, i: number): string =>
  truncateText(text, widths[i] ?? 0, measure, style.unicode ? '…' : '...');

const paintFor = ({ lanes, style: { palette } }: Line, text: string, i: number): Paint => {
  if (text === EMPTY_CELL) return palette.faint;
  return lanes[i]?.kind === 'state' ? getStatePaint(palette, text) : (shown) => shown;
};

const cellOf = (line: Line, text: string, i: number): string => {
  if (line.lanes[i]?.kind === 'bar') return formatBar(Number(text), line.widths[i] ?? 0, line.style.unicode);
  return paintFor(line, text, i)(cutAt(line, text, i));
};

/** The cells of a row as they are drawn, and the lines below it. */
const shapedRow = (texts: readonly string[], line: Line) => {
  const last = line.lanes.length - 1;
  const wrapped = line.wrap?.(texts[last] ?? '', line);
  const cells = line.lanes.map((_, i) => {
    const text = wrapped !== undefined && i === last ? wrapped.cell : (texts[i] ?? '');
    return cellOf(line, text, i);
  });
  return { cells, below: wrapped?.below ?? [] };
};

/** What was left out, in one line. */
const hiddenNote = ({ style, view }: FormatContext, hidden: readonly Column[]): string => {
  const id = hidden.some(({ field }) => field === (view.id ?? 'id'));
  const count = hidden.length === 1 ? '1 column' : `${hidden.length} columns`;
  const them = hidden.length === 1 ? 'it' : 'them';
  const long = `${count} hidden: ${hidden.map(formatTitle).join(', ')} (--columns or a wider terminal shows ${them})`;
  const text = safeCell(long);
  if (text.length <= (style.width ?? 0)) return text;
  if (id && hidden.length === 1) return 'The id is hidden (--columns shows it).';
  return `${count} hidden${id ? ', the id too' : ''}: see --columns`;
};

/** Loaded for the few views that need it. */
const wrapFor = async (
  { style }: FormatContext,
  lanes: readonly TableColumn[],
): Promise<WrapCell | undefined> =>
  style.width === undefined || lanes.at(-1)?.column.wrap !== true
    ? undefined
    : (await import('./wrapped-cell.ts')).wrapCell;

const written = async (
  context: FormatContext,
  lanes: readonly TableColumn[],
  { texts, measure }: RowBlock,
): Promise<string[]> => {
  const wrap = await wrapFor(context, lanes);
  const line = { lanes, widths: measureWidths(context, lanes), measure, style: context.style, wrap };
  const columns = lanes.map(({ kind }, i) => ({ width: line.widths[i] ?? 0, right: isRightAligned(kind) }));
  const [titles = ''] = drawRows([lanes.map(({ title }, i) => cutAt(line, title, i))], columns);
  const rows = texts.map((cells) => shapedRow(cells, line));
  const drawn = drawRows(
    rows.map(({ cells }) => cells),
    columns,
  );
  const lines = drawn.flatMap((text, i) => [text, ...(rows[i]?.below ?? [])]);
  return [context.style.palette.heading(titles), ...lines].map((text) => `${text}\n`);
};

const isLeftOut =
  (rows: readonly Row[]) =>
  (column: Column): boolean =>
    column.sparse === true && isEmpty(column, rows);

export const createTableWriter = (context: FormatContext): RowWriter => {
  let held: Row[] = [];
  let shown: TableColumns | undefined;
  const hidden = new Set<Column>();
  /** Columns that the first rows had nothing for. */
  let absent: readonly Column[] = [];

  const begin = async (rows: readonly Row[]): Promise<readonly string[]> => {
    const first = await createFirstRowBlock(context, rows);
    shown = first;
    for (const column of first.hidden) hidden.add(column);
    absent = context.columns === undefined ? context.view.columns.filter(isLeftOut(rows)) : [];
    return (await written(context, first.lanes, first)).slice(context.header ? 0 : 1);
  };
  const goOn = async (lanes: TableColumns, rows: readonly Row[]): Promise<readonly string[]> => {
    for (const column of absent) if (!isEmpty(column, rows)) hidden.add(column);
    return (await written(context, lanes.lanes, await createRowBlock(context, lanes, rows))).slice(1);
  };
  const flush = async (): Promise<void> => {
    const rows = held;
    held = [];
    if (rows.length === 0) return;
    const lines = await (shown === undefined ? begin(rows) : goOn(shown, rows));
    await context.write(lines.join(''));
  };
  return {
    rows: async (rows) => {
      for (const row of rows) held.push(row);
      if (context.style.width !== undefined && held.length >= (shown === undefined ? FIRST_BLOCK : 1))
        await flush();
    },
    end: async () => {
      await flush();
      if (hidden.size > 0) context.hint(hiddenNote(context, [...hidden]));
    },
  };
};
