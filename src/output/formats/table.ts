import Table from 'cli-table3';
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
  isRightAligned,
} from '../cell.ts';
import { type FormatContext, type RowWriter, selectColumns } from '../columns.ts';
import type { Column } from '../list-view.ts';
import { safeCell } from '../safe-text.ts';
import { GAP, getStatePaint, prepareWidths, textWidth, truncateText, wrapWhole } from '../terminal.ts';

const FIRST_BLOCK = 100;

/**
 * A table for people: headings, one row a record, no lines around them. In a pipe all rows are aligned and
 * nothing is cut; on a terminal it is fitted to the width, and later rows stream in the columns of the first.
 */
export function createTableWriter(context: FormatContext): RowWriter {
  const { style, header } = context;
  let pending: Row[] = [];
  let layout: Layout | undefined;
  const flush = async (): Promise<void> => {
    const rows = pending;
    pending = [];
    if (rows.length === 0) return;
    if (layout === undefined) {
      const { texts, ...first } = await layOut(context, rows);
      layout = first;
      await writeBlock(context, layout, texts, header);
    } else await writeBlock(context, layout, await formatTexts(context, layout, rows), false);
  };
  return {
    rows: async (rows) => {
      for (const row of rows) pending.push(row);
      if (style.width !== undefined && (layout !== undefined || pending.length >= FIRST_BLOCK)) await flush();
    },
    end: async () => {
      await flush();
      const hidden = layout?.hidden ?? 0;
      if (hidden > 0) context.note(`${hidden} ${hidden === 1 ? 'column' : 'columns'} hidden: see --columns`);
    },
  };
}

interface TableColumn {
  readonly column: Column;
  readonly kind: ColumnKind;
  readonly title: string;
  natural: number;
  /** Whether a cell is an id that nobody could use if it were cut. */
  unbreakable: boolean;
}

interface Layout {
  readonly columns: readonly TableColumn[];
  readonly detail: Detail;
  readonly hidden?: number;
}

type Texts = readonly (readonly string[])[];

/** Decides by the first rows which columns there are, and how much is told of days and times. */
async function layOut(context: FormatContext, rows: readonly Row[]): Promise<Layout & { texts: Texts }> {
  const { header, view, columns: named, style } = context;
  const made: TableColumn[] = [];
  for (const column of selectColumns(context, rows)) {
    await takeTurnBefore(rows);
    const title = header ? safeCell(formatTitle(column).toUpperCase()) : '';
    await prepareWidths([title]);
    const kind = inferColumnKind(column, rows);
    const unbreakable = column.field === (view.id ?? 'id');
    made.push({ column, kind, title, natural: textWidth(title), unbreakable });
  }
  let layout: Layout = { columns: made, detail: 'plain' };
  let texts: Texts = [];
  // The most that is told for which there is room.
  for (const detail of ['plain', 'brief'] as const) {
    layout = { columns: made.map((column) => ({ ...column })), detail };
    texts = await formatTexts(context, layout, rows);
    const taken = layout.columns.reduce((sum, { natural }) => sum + GAP + natural, -GAP);
    if (style.width === undefined || taken <= style.width) break;
  }
  await takeTurnBefore(rows);
  const { columns, detail } = layout;
  const kept = chooseFitting(
    columns.map((col) => toColumnWidth(col, named)),
    style.width,
  );
  return {
    columns: columns.filter((_, i) => kept.includes(i)),
    detail,
    texts: texts.map((cells) => cells.filter((_, i) => kept.includes(i))),
    hidden: columns.length - kept.length,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function formatTexts(
  { columns: names, style }: FormatContext,
  { columns, detail }: Layout,
  rows: readonly Row[],
): Promise<Texts> {
  const shortened = columns.map(({ column }) => {
    if (column.short !== true || names !== undefined || style.width === undefined) return undefined;
    return shortenIds(rows.map((row) => toText(getShownValue(column, row) ?? '')));
  });
  const texts: string[][] = [];
  for await (const part of inParts(rows)) {
    const cells = part.map((row) =>
      columns.map(({ column, kind }, i) => {
        const value = getShownValue(column, row);
        return formatCell(shortened[i]?.get(toText(value ?? '')) ?? value, kind, style, detail);
      }),
    );
    await prepareWidths(cells.flat());
    for (const row of cells) {
      texts.push(row);
      for (const [i, col] of columns.entries()) {
        col.natural = Math.max(col.natural, textWidth(row[i] ?? ''));
        col.unbreakable ||= UUID.test(row[i] ?? '');
      }
    }
  }
  return texts;
}

const LEAST_OF_ID = 8;

/**
 * Each id with the shortest beginning of at least eight characters that no other of these has: they are what is printed
 * together, a page of a long list, because its first rows are on the screen before the last ones are known. An id that
 * is a number stays whole, and so does one that would be cut in the number at its end: the beginning could be another
 * one. A beginning has a digit: a word is no id.
 */
function shortenIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort();
  const countCommon = (one: string, other = ''): number => {
    let count = 0;
    while (count < one.length && one[count] === other[count]) count += 1;
    return count;
  };
  return new Map(
    sorted.map((id, i) => {
      const common = Math.max(countCommon(id, sorted[i - 1]), countCommon(id, sorted[i + 1]));
      const length = Math.max(LEAST_OF_ID, common + 1, id.search(/\d/) + 1);
      return [id, length < id.replace(/-?\d+$/, '').length ? id.slice(0, length) : id];
    }),
  );
}

function toColumnWidth(
  { column, kind, natural, unbreakable }: TableColumn,
  named: FormatContext['columns'],
): ColumnWidth {
  const isText = (kind === 'text' || kind === 'list') && !unbreakable;
  const drop = named === undefined ? (column.drop ?? 0) : 0;
  return { natural, drop, ...(isText && { least: column.least ?? COMFORTABLE, whole: column.whole }) };
}

async function writeBlock(
  context: FormatContext,
  { columns }: Layout,
  texts: Texts,
  hasHeading: boolean,
): Promise<void> {
  const { style, columns: named } = context;
  const { palette } = style;
  const widths = fitWidths(
    columns.map((col) => toColumnWidth(col, named)),
    style.width,
  );
  const drawn = columns.map(({ kind }, i) => ({ width: widths[i] ?? 0, right: isRightAligned(kind) }));
  const formatTableCell = (text: string, i: number): string => {
    const cell = truncateText(text, widths[i] ?? 0, style);
    if (text === EMPTY_CELL) return palette.faint(cell);
    return columns[i]?.kind === 'state' ? getStatePaint(palette, text)(cell) : cell;
  };
  // What somebody asks for is shown whole.
  const wraps = columns.map(({ column, kind }) => column.wrap ?? (named !== undefined && kind === 'text'));
  const titles = columns.map(({ title }, i) => truncateText(title, widths[i] ?? 0, style));
  let heading = hasHeading ? drawRows([titles], drawn).map((line) => palette.heading(line)) : [];
  for await (const part of inParts(texts)) {
    const rows = part.flatMap((cells) => {
      const whole = cells.map((text, i) => {
        const room = widths[i] ?? 0;
        return wraps[i] === true && textWidth(text) > room ? wrapWhole(text, room) : [text];
      });
      const height = whole.reduce((most, lines) => Math.max(most, lines.length), 1);
      return Array.from({ length: height }, (_, n) =>
        whole.map((lines, i) => (n < lines.length ? formatTableCell(lines[n] ?? '', i) : '')),
      );
    });
    await context.write([...heading, ...drawRows(rows, drawn)].map((line) => `${line}\n`).join(''));
    heading = [];
  }
}

/** A text longer than this is shortened before another column is dropped for it. */
const COMFORTABLE = 28;
/** A text is not made shorter than this while anything else can give way. */
const READABLE = 8;
const NARROWEST = 3;
/** No text is cut to less than this, a name in most cases, for a column that is less important than `IMPORTANT`. */
const EASY = 20;
const IMPORTANT = 2;

interface ColumnWidth {
  /** Columns that the widest cell takes, the heading counted. */
  readonly natural: number;
  /** The higher, the earlier it is dropped; 0: only when nothing else helps. */
  readonly drop: number;
  /** A text may be shortened: to so many columns, before another column is dropped for it. */
  readonly least?: number;
  /** A text is not cut to less than this while a column is shown that is less important. Default `EASY`. */
  readonly whole?: number | undefined;
}

/**
 * Texts are shortened as far as they may be, then the least important columns dropped, then texts cut to what can still
 * be read, then what stands at the end.
 * @param width of the terminal in columns; `undefined`: nothing is dropped or shortened
 * @returns the indexes of the columns that stay, in order
 */
export function chooseFitting(
  columns: readonly ColumnWidth[],
  width = Number.POSITIVE_INFINITY,
): readonly number[] {
  let kept = columns.map((column, index) => ({ ...column, index }));
  while (kept.length > 1) {
    const [first] = kept.filter(({ drop }) => drop > 0).sort((a, b) => b.drop - a.drop || b.index - a.index);
    const floor = first === undefined ? READABLE : Number.POSITIVE_INFINITY;
    if (measure(fitWidths(kept, width, floor)) <= width) break;
    kept = kept.filter((one) => one !== (first ?? kept.at(-1)));
  }
  return kept.map(({ index }) => index);
}

/**
 * Takes from the widest first, down to what it may be shortened to, until all fit; then further down.
 * @param floor no text that may have more is made shorter than this
 */
export function fitWidths(
  columns: readonly ColumnWidth[],
  width = Number.POSITIVE_INFINITY,
  floor = NARROWEST,
): readonly number[] {
  const isEasy = columns.some(({ drop }) => drop > IMPORTANT);
  const cells = columns.map(({ natural, least, whole = EASY }) => ({
    width: natural,
    least: least === undefined ? undefined : Math.max(least, isEasy ? whole : 0),
  }));
  for (const most of [Number.POSITIVE_INFINITY, READABLE, NARROWEST].filter((one) => one >= floor)) {
    const floorOf = ({ width: now, least = now }: (typeof cells)[number]) => Math.min(least, most, now);
    const shrinking = cells.filter(({ least }) => least !== undefined);
    for (;;) {
      const over = measure(cells.map((cell) => cell.width)) - width;
      const [widest, next] = shrinking
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

/** Rows of one table of cli-table3, with the square of which its time grows. */
const MAX_ROWS = 8;

const SIDES = ['top', 'bottom', 'left', 'right'] as const;
const NO_LINES = {
  ...Object.fromEntries(SIDES.flatMap((side) => [side, `${side}-mid`].map((name) => [name, '']))),
  ...{ 'top-left': '', 'top-right': '', 'bottom-left': '', 'bottom-right': '', mid: '', 'mid-mid': '' },
  middle: ' '.repeat(GAP),
};

/**
 * Stands for a cell while it is drawn, a colour code that no text has: without a width, so that cli-table3 measures no
 * text. It does so slowly, and wrongly Thai and pointed Hebrew.
 */
const MARK = '\x1b[8m';

/**
 * One line for each row, without its newline and without spaces at its end.
 * @param rows cells that are sanitised and no wider than their columns; they may be coloured
 */
function drawRows(
  rows: readonly (readonly string[])[],
  columns: readonly { readonly width: number; readonly right: boolean }[],
): string[] {
  const lines: string[] = [];
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    const block = rows.slice(start, start + MAX_ROWS);
    const table = new Table({
      chars: NO_LINES,
      colWidths: columns.map(({ width }) => width),
      colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    });
    for (const cells of block) table.push(cells.map(() => MARK));
    for (const [n, line] of table.toString().split('\n').entries()) {
      const cells = block[n] ?? [];
      // Each cell takes the place of as many spaces, which stand before its mark or behind it.
      const parts = line.split(MARK).map((spaces, i) => {
        const [before = '', cell = ''] = [cells[i - 1], cells[i]];
        const from = columns[i - 1]?.right === false ? textWidth(before) : 0;
        const end = columns[i]?.right === true ? spaces.length - textWidth(cell) : spaces.length;
        return spaces.slice(from, end) + cell;
      });
      lines.push(parts.join('').trimEnd());
    }
  }
  return lines;
}
