import type { Row } from '../../api/page.ts';
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
import { BAR_WIDTH } from './bar.ts';
import type { FormatContext } from './row-writer.ts';

/** The columns of a table while it is written: their texts, and how wide they have become. */

export interface TableColumn {
  readonly column: Column;
  readonly kind: ColumnKind;
  readonly title: string;
  /** Width of the widest cell so far. */
  natural: number;
  /** Whether a cell is an id that nobody could use if it were cut. */
  whole: boolean;
}

export interface TableColumns {
  readonly lanes: readonly TableColumn[];
  readonly detail: Detail;
}

const ELASTIC = new Set<ColumnKind>(['text', 'list', 'bar']);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One array of sanitised texts for each row. */
const textsOf = (context: FormatContext, { lanes, detail }: TableColumns, rows: readonly Row[]): string[][] =>
  rows.map((row) =>
    lanes.map(({ column, kind }) => formatCell(getShownValue(column, row), kind, context.style, detail)),
  );

/** Makes room for these texts. A bar takes what there is. */
const grow = (lanes: readonly TableColumn[], texts: readonly string[][], measure: Measure): void => {
  for (const [i, lane] of lanes.entries()) {
    if (lane.kind === 'bar') continue;
    for (const row of texts) {
      const text = row[i] ?? '';
      lane.natural = Math.max(lane.natural, measure(text));
      lane.whole ||= UUID.test(text);
    }
  }
};

const isId = ({ view }: FormatContext, { column }: TableColumn): boolean =>
  column.field === (view.id ?? 'id');

const trackOf = (context: FormatContext, lane: TableColumn, drop: number): ColumnWidth => ({
  natural: lane.natural,
  drop,
  ...(ELASTIC.has(lane.kind) && !lane.whole ? { least: lane.column.least ?? COMFORTABLE } : {}),
  // Who names the columns wants the id too. A name that stands for one (`setting`) is what the record is about.
  id: context.columns === undefined && isId(context, lane) && /(^|_)id$/.test(lane.column.field),
});

/** The width of each lane on this terminal; none is dropped. */
export const measureWidths = (context: FormatContext, lanes: readonly TableColumn[]): readonly number[] =>
  fitWidths(
    lanes.map((lane) => trackOf(context, lane, 0)),
    context.style.width,
  );

const total = (lanes: readonly TableColumn[]): number =>
  lanes.reduce((sum, lane) => sum + (lane.kind === 'bar' ? 0 : lane.natural) + GAP, -GAP);

/** Rows as texts, one array for each row, with the measure that fits them. */
export interface RowBlock {
  readonly texts: readonly (readonly string[])[];
  readonly measure: Measure;
}

/** The texts of these rows; the lanes become as wide as they need. */
export const createRowBlock = async (
  context: FormatContext,
  shown: TableColumns,
  rows: readonly Row[],
): Promise<RowBlock> => {
  const texts = textsOf(context, shown, rows);
  const measure = await measureFor([...shown.lanes.map((lane) => lane.title), ...texts.flat()]);
  grow(shown.lanes, texts, measure);
  return { texts, measure };
};

const lanesOf = (context: FormatContext, rows: readonly Row[], measure: Measure): TableColumn[] =>
  selectColumns(context, rows).map((column) => {
    const title = context.header ? safeCell(formatTitle(column).toUpperCase()) : '';
    const kind = inferColumnKind(column, rows);
    const natural = Math.max(measure(title), kind === 'bar' ? BAR_WIDTH : 0);
    const lane = { column, kind, title, natural, whole: false };
    return { ...lane, whole: isId(context, lane) };
  });

const attempt = async (
  context: FormatContext,
  rows: readonly Row[],
  detail: Detail,
): Promise<TableColumns & RowBlock> => {
  const titles = selectColumns(context, rows).map((column) => formatTitle(column).toUpperCase());
  const lanes = lanesOf(context, rows, await measureFor(titles));
  return { lanes, detail, ...(await createRowBlock(context, { lanes, detail }, rows)) };
};

/** The most that is told of days and times for which there is room. */
const fitting = async (context: FormatContext, rows: readonly Row[]): Promise<TableColumns & RowBlock> => {
  const { width } = context.style;
  if (width === undefined) return attempt(context, rows, 'plain');
  for (const detail of ['full', 'plain'] as const) {
    const tried = await attempt(context, rows, detail);
    if (total(tried.lanes) <= width) return tried;
  }
  return attempt(context, rows, 'brief');
};

export interface FirstRowBlock extends TableColumns, RowBlock {
  /** Columns that have values, but no room. */
  readonly hidden: readonly Column[];
}

/** Higher than any column that says something. */
const EMPTY_DROP = 100;

/** Decides by the first rows which columns there are, and how much is told of times. */
export const createFirstRowBlock = async (
  context: FormatContext,
  rows: readonly Row[],
): Promise<FirstRowBlock> => {
  const first = await fitting(context, rows);
  const empty = first.lanes.map((_, i) => first.texts.every((cells) => cells[i] === EMPTY_CELL));
  const asked = context.columns !== undefined;
  const tracks = first.lanes.map((lane, i) => {
    const drop = asked ? 0 : (lane.column.drop ?? 0);
    return trackOf(context, lane, drop > 0 && empty[i] === true ? EMPTY_DROP : drop);
  });
  const kept = new Set(fitColumns(tracks, context.style.width).kept);
  const only = <T>(items: readonly T[]): T[] => items.filter((_, i) => kept.has(i));
  const hidden = first.lanes.filter((lane, i) => !kept.has(i) && empty[i] !== true && lane.kind !== 'bar');
  return {
    ...first,
    lanes: only(first.lanes),
    texts: first.texts.map(only),
    hidden: hidden.map(({ column }) => column),
  };
};
