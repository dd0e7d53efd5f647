import type { Row } from '../../api/page.ts';
import { inParts, takeTurnBefore } from '../../clock.ts';
import { toText } from '../../json.ts';
import {
  type ColumnKind,
  type Detail,
  EMPTY_CELL,
  formatCell,
  formatTitle,
  getShownValue,
  inferColumnKind,
} from '../cell.ts';
import { selectColumns } from '../columns.ts';
import {
  COMFORTABLE,
  type ColumnWidth,
  fitColumns,
  fitWidths,
  GAP,
  type Measure,
  measureFor,
} from '../layout.ts';
import type { Column } from '../list-view.ts';
import { safeCell } from '../safe-text.ts';
import type { FormatContext } from './row-writer.ts';

/** So much of an id is always shown. */
const LEAST = 8;

const countCommon = (one: string, other = ''): number => {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
};

/** Where a number at the end of an id begins, with the hyphen before it: `-3`; its length where it has none. */
const findNumber = (id: string): number => {
  let start = id.length;
  while (/\d/.test(id[start - 1] ?? '')) start -= 1;
  return start < id.length && id[start - 1] === '-' ? start - 1 : start;
};

/**
 * Each id with the shortest beginning of at least eight characters that no other of these has: they are what is printed
 * together, a page of a long list, because its first rows are on the screen before the last ones are known. An id that
 * is a number stays whole, and so does one that would be cut in the number at its end: the beginning could be another
 * one. A beginning has a digit: a word is no id.
 */
const shortenIds = (ids: readonly string[]): ReadonlyMap<string, string> => {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      const common = Math.max(countCommon(id, sorted[i - 1]), countCommon(id, sorted[i + 1]));
      const length = Math.max(LEAST, common + 1, id.search(/\d/) + 1);
      return [id, length < findNumber(id) ? id.slice(0, length) : id];
    }),
  );
};

/** A share as a bar. */

/** Columns of the longest. */
const BAR_WIDTH = 40;

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** What is more than nothing is seen. @param share from 0 to 1 */
export const formatBar = (share: number, width: number, unicode: boolean): string => {
  const length = Math.min(Math.max(share, 0), 1) * Math.min(width, BAR_WIDTH);
  if (!unicode) return '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)));
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
};

export interface TableColumn {
  readonly column: Column;
  readonly kind: ColumnKind;
  readonly title: string;
  naturalWidth: number;
  /** Whether a cell is an id that nobody could use if it were cut. */
  unbreakable: boolean;
}

export interface TableColumns {
  readonly columns: readonly TableColumn[];
  readonly detail: Detail;
}

const ELASTIC = new Set<ColumnKind>(['text', 'list', 'bar']);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A formatter of rows as sanitised texts; ids may be shortened to what tells all these rows apart. */
const createCellFormatter = (
  context: FormatContext,
  { columns, detail }: TableColumns,
  rows: readonly Row[],
): ((row: Row) => string[]) => {
  const shortened = columns.map(({ column }) =>
    column.short === true && context.columns === undefined && context.style.width !== undefined
      ? shortenIds(rows.map((row) => toText(getShownValue(column, row) ?? '')))
      : undefined,
  );
  return (row) =>
    columns.map(({ column, kind }, i) => {
      const value = getShownValue(column, row);
      return formatCell(shortened[i]?.get(toText(value ?? '')) ?? value, kind, context.style, detail);
    });
};

/** Makes room for these texts. A bar takes what there is. */
const growColumns = (columns: readonly TableColumn[], texts: readonly string[][], measure: Measure): void => {
  for (const [i, shape] of columns.entries()) {
    if (shape.kind === 'bar') continue;
    for (const row of texts) {
      const text = row[i] ?? '';
      shape.naturalWidth = Math.max(shape.naturalWidth, measure(text));
      shape.unbreakable ||= UUID.test(text);
    }
  }
};

const isId = ({ view }: FormatContext, { column }: TableColumn): boolean =>
  column.field === (view.id ?? 'id');

const toColumnWidth = (context: FormatContext, col: TableColumn, drop: number): ColumnWidth => ({
  natural: col.naturalWidth,
  drop,
  ...(ELASTIC.has(col.kind) && !col.unbreakable ? { least: col.column.least ?? COMFORTABLE } : {}),
  // Who names the columns wants the id too. A name that stands for one (`setting`) is what the record is about.
  id: context.columns === undefined && isId(context, col) && /(^|_)id$/.test(col.column.field),
});

export const measureWidths = (context: FormatContext, columns: readonly TableColumn[]): readonly number[] =>
  fitWidths(
    columns.map((col) => toColumnWidth(context, col, 0)),
    context.style.width,
  );

const sumWidths = (columns: readonly TableColumn[]): number =>
  columns.reduce((sum, col) => sum + (col.kind === 'bar' ? 0 : col.naturalWidth) + GAP, -GAP);

/** Rows as texts, one array for each row, with the measure that fits them. */
export interface RowBlock {
  readonly texts: readonly (readonly string[])[];
  readonly measure: Measure;
}

/** The texts of these rows; the columns become as wide as they need. */
export const createRowBlock = async (
  context: FormatContext,
  shown: TableColumns,
  rows: readonly Row[],
): Promise<RowBlock> => {
  const formatCells = createCellFormatter(context, shown, rows);
  let measure = await measureFor(shown.columns.map((col) => col.title));
  const texts: string[][] = [];
  for await (const part of inParts(rows)) {
    const cells = part.map(formatCells);
    measure = await measureFor(cells.flat());
    growColumns(shown.columns, cells, measure);
    for (const row of cells) texts.push(row);
  }
  return { texts, measure };
};

const createColumns = (context: FormatContext, rows: readonly Row[], measure: Measure): TableColumn[] =>
  selectColumns(context, rows).map((column) => {
    const title = context.header ? safeCell(formatTitle(column).toUpperCase()) : '';
    const kind = inferColumnKind(column, rows);
    const naturalWidth = Math.max(measure(title), kind === 'bar' ? BAR_WIDTH : 0);
    const col = { column, kind, title, naturalWidth, unbreakable: false };
    return { ...col, unbreakable: isId(context, col) };
  });

const layOut = async (
  context: FormatContext,
  rows: readonly Row[],
  detail: Detail,
): Promise<TableColumns & RowBlock> => {
  const titles = selectColumns(context, rows).map((column) => formatTitle(column).toUpperCase());
  const measure = await measureFor(titles);
  await takeTurnBefore(rows);
  const columns = createColumns(context, rows, measure);
  await takeTurnBefore(rows);
  return { columns, detail, ...(await createRowBlock(context, { columns, detail }, rows)) };
};

/** The most that is told of days and times for which there is room. */
const layOutFitting = async (
  context: FormatContext,
  rows: readonly Row[],
): Promise<TableColumns & RowBlock> => {
  const { width } = context.style;
  if (width === undefined) return layOut(context, rows, 'plain');
  for (const detail of ['full', 'plain'] as const) {
    const layout = await layOut(context, rows, detail);
    if (sumWidths(layout.columns) <= width) return layout;
  }
  return layOut(context, rows, 'brief');
};

interface FirstRowBlock extends TableColumns, RowBlock {
  readonly hidden: readonly Column[];
}

/** Higher than any column that says something. */
const EMPTY_DROP = 100;

/** Decides by the first rows which columns there are, and how much is told of times. */
export const createFirstRowBlock = async (
  context: FormatContext,
  rows: readonly Row[],
): Promise<FirstRowBlock> => {
  const first = await layOutFitting(context, rows);
  await takeTurnBefore(rows);
  const empty = first.columns.map((_, i) => first.texts.every((cells) => cells[i] === EMPTY_CELL));
  const asked = context.columns !== undefined;
  const columnWidths = first.columns.map((col, i) => {
    const drop = asked ? 0 : (col.column.drop ?? 0);
    return toColumnWidth(context, col, drop > 0 && empty[i] === true ? EMPTY_DROP : drop);
  });
  const kept = new Set(fitColumns(columnWidths, context.style.width).kept);
  const keep = <T>(items: readonly T[]): T[] => items.filter((_, i) => kept.has(i));
  const hidden = first.columns.filter((col, i) => !kept.has(i) && empty[i] !== true && col.kind !== 'bar');
  return {
    ...first,
    columns: keep(first.columns),
    texts: first.texts.map(keep),
    hidden: hidden.map(({ column }) => column),
  };
};
