import type { Row } from '../../api/page.ts';
import type { Column } from '../../context.ts';
import { cellText, type Kind, kindOf, shownValue, titleOf } from '../cell.ts';
import { humanColumns, withoutEmpty } from '../columns.ts';
import { fieldsOf } from '../fields.ts';
import { fitTracks, GAP, type Track } from '../layout.ts';
import { safeCell } from '../safe-text.ts';
import { type Measure, measureFor } from '../width.ts';
import type { FormatContext } from './row-writer.ts';

/** The columns of a table while it is written: their texts, and how wide they have become. */

export interface Lane {
  readonly column: Column;
  readonly kind: Kind;
  readonly title: string;
  /** Width of the widest cell so far. */
  natural: number;
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  /** Whether times also say how long ago. */
  readonly ago: boolean;
}

const ELASTIC = new Set<Kind>(['text', 'list']);

/** A column that names no kind has that of its values, when they agree. */
const kindOfLane = (column: Column, rows: readonly Row[]): Kind => {
  if (column.kind !== undefined) return column.kind;
  const values = rows
    .map((row) => shownValue(column, row))
    .filter((value) => value !== null && value !== undefined);
  const kinds = new Set(values.map((value) => kindOf(column, value)));
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? only : 'text';
};

/** The columns to show: those asked for, else the view's that are not empty, else every field of these rows. */
export const columnsFor = (context: FormatContext, rows: readonly Row[]): readonly Column[] => {
  const { view, columns } = context;
  if (columns !== undefined) return humanColumns(view.columns, columns);
  const known = withoutEmpty(view.columns, rows);
  return known.length > 0 ? known : fieldsOf(rows).map((field) => ({ field }));
};

/** One array of sanitised texts for each row. */
const textsOf = (context: FormatContext, { lanes, ago }: Lanes, rows: readonly Row[]): string[][] =>
  rows.map((row) =>
    lanes.map(({ column, kind }) => cellText(shownValue(column, row), kind, context.style, ago)),
  );

/** Makes room for these texts. */
const grow = (lanes: readonly Lane[], texts: readonly string[][], measure: Measure): void => {
  for (const [i, lane] of lanes.entries())
    for (const row of texts) lane.natural = Math.max(lane.natural, measure(row[i] ?? ''));
};

/** Nobody can copy a shortened id, so it is shortened last. */
const trackOf = (context: FormatContext, lane: Lane, drop: number): Track => ({
  natural: lane.natural,
  drop,
  elastic: ELASTIC.has(lane.kind) && lane.column.field !== (context.view.id ?? 'id'),
});

/** The width of each lane on this terminal; none is dropped. */
export const widthsOf = (context: FormatContext, lanes: readonly Lane[]): readonly number[] =>
  fitTracks(
    lanes.map((lane) => trackOf(context, lane, 0)),
    context.style.width,
  ).widths;

const total = (lanes: readonly Lane[]): number => lanes.reduce((sum, lane) => sum + lane.natural + GAP, -GAP);

/** Rows as texts, one array for each row, with the measure that fits them. */
export interface Block {
  readonly texts: readonly (readonly string[])[];
  readonly measure: Measure;
}

/** The texts of these rows; the lanes become as wide as they need. */
export const blockOf = async (context: FormatContext, shown: Lanes, rows: readonly Row[]): Promise<Block> => {
  const texts = textsOf(context, shown, rows);
  const measure = await measureFor([...shown.lanes.map((lane) => lane.title), ...texts.flat()]);
  grow(shown.lanes, texts, measure);
  return { texts, measure };
};

const lanesOf = (context: FormatContext, rows: readonly Row[], measure: Measure): Lane[] =>
  columnsFor(context, rows).map((column) => {
    const title = context.header ? safeCell(titleOf(column).toUpperCase(), context.style.ci) : '';
    return { column, kind: kindOfLane(column, rows), title, natural: measure(title) };
  });

const attempt = async (
  context: FormatContext,
  rows: readonly Row[],
  ago: boolean,
): Promise<Lanes & Block> => {
  const titles = columnsFor(context, rows).map((column) => titleOf(column).toUpperCase());
  const lanes = lanesOf(context, rows, await measureFor(titles));
  return { lanes, ago, ...(await blockOf(context, { lanes, ago }, rows)) };
};

/** Decides by the first rows which columns there are, and whether there is room to say how long ago. */
export const firstBlock = async (context: FormatContext, rows: readonly Row[]): Promise<Lanes & Block> => {
  const { width } = context.style;
  let first = await attempt(context, rows, width !== undefined);
  if (width !== undefined && total(first.lanes) > width) first = await attempt(context, rows, false);
  const tracks = first.lanes.map((lane) => trackOf(context, lane, lane.column.drop ?? 0));
  const kept = new Set(fitTracks(tracks, width).kept);
  const only = <T>(items: readonly T[]): T[] => items.filter((_, i) => kept.has(i));
  return { ...first, lanes: only(first.lanes), texts: first.texts.map(only) };
};
