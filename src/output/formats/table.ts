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
import { isEmpty, selectColumns } from '../columns.ts';
import { COMFORTABLE, type ColumnWidth, fitColumns, fitWidths } from '../fit.ts';
import type { Column } from '../list-view.ts';
import { safeCell, safeLines } from '../safe-text.ts';
import {
  GAP,
  getStatePaint,
  PLAIN,
  prepareWidths,
  splitAddress,
  textWidth,
  truncateText,
  wrapPieces,
} from '../terminal.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** Rows that decide the layout on a terminal: a page. */
const FIRST_BLOCK = 100;

/**
 * A table for people: headings, one row a record, no lines around them. In a pipe all rows are aligned and
 * nothing is cut; on a terminal it is fitted to the width, and later rows stream in the columns of the first. Rows of a
 * list without an end are written when they come: nothing is known of those to come but the room that columns ask for.
 */
export function createTableWriter(context: FormatContext): RowWriter {
  let pending: Row[] = [];
  let layout: Layout | undefined;
  const hidden = new Set<Column>();
  /** Columns that the first rows had nothing for. */
  let absent: readonly Column[] = [];
  const flush = async (): Promise<void> => {
    const rows = pending;
    pending = [];
    if (rows.length === 0) return;
    for (const column of absent) if (!isEmpty(column, rows)) hidden.add(column);
    const below = context.live === true ? rows.flatMap((row) => formatBelow(context, row)) : [];
    if (layout !== undefined) {
      const texts = await formatTexts(context, layout, rows);
      return writeBlock(context, layout, texts, { hasHeading: false, below });
    }
    const first = await layOutFirst(context, rows);
    layout = first;
    for (const column of first.hidden) hidden.add(column);
    if (context.columns === undefined)
      absent = context.view.columns.filter((column) => column.sparse === true && isEmpty(column, rows));
    await writeBlock(context, first, first.texts, { hasHeading: context.header, below });
  };
  return {
    rows: async (rows) => {
      for (const row of rows) pending.push(row);
      const streams =
        context.style.width !== undefined && (layout !== undefined || pending.length >= FIRST_BLOCK);
      if (context.live === true || streams) await flush();
    },
    end: async () => {
      await flush();
      if (hidden.size > 0 && context.live !== true) context.hint(formatHiddenNote(context, [...hidden]));
    },
  };
}

function formatBelow({ view }: FormatContext, row: Row): readonly string[] {
  const text = view.below?.(row);
  return text === undefined ? [] : [safeLines(text).replace(/^/gm, ' '.repeat(BELOW_INDENT))];
}

interface TableColumn {
  readonly column: Column;
  readonly kind: ColumnKind;
  readonly title: string;
  /** Columns of the terminal that it asks for, whatever its cells are. */
  readonly asked: number;
  /** Columns of the terminal that the widest cell so far takes. */
  natural: number;
  /** Whether a cell is an id that nobody could use if it were cut. */
  unbreakable: boolean;
}

interface Layout {
  readonly columns: readonly TableColumn[];
  readonly detail: Detail;
}

type Texts = readonly (readonly string[])[];

/** Higher than any column that says something. */
const EMPTY_DROP = 100;

/** Decides by the first rows which columns there are, and how much is told of times. */
async function layOutFirst(context: FormatContext, rows: readonly Row[]) {
  const { columns, detail, texts } = await layOutFitting(context, rows);
  await takeTurnBefore(rows);
  // What the first row of a list without an end lacks, the next may have.
  const empty = columns.map(
    (_, i) => context.live !== true && texts.every((cells) => cells[i] === EMPTY_CELL),
  );
  const asked = context.columns !== undefined;
  const widths = columns.map((col, i) => {
    const drop = asked ? 0 : (col.column.drop ?? 0);
    return toColumnWidth(context, col, drop > 0 && empty[i] === true ? EMPTY_DROP : drop);
  });
  const kept = new Set(fitColumns(widths, context.style.width).kept);
  const keep = <T>(items: readonly T[]): T[] => items.filter((_, i) => kept.has(i));
  const hidden = columns.filter((col, i) => !kept.has(i) && empty[i] !== true && col.kind !== 'bar');
  return {
    columns: keep(columns),
    detail,
    texts: texts.map(keep),
    hidden: hidden.map(({ column }) => column),
  };
}

/** The most that is told of days and times for which there is room. */
async function layOutFitting(context: FormatContext, rows: readonly Row[]) {
  const { width } = context.style;
  if (width === undefined || context.live === true) return layOut(context, rows, 'plain');
  for (const detail of ['full', 'plain'] as const) {
    const layout = await layOut(context, rows, detail);
    const taken = layout.columns.map(({ kind, natural }) => GAP + (kind === 'bar' ? 0 : natural));
    if (taken.reduce((sum, one) => sum + one, -GAP) <= width) return layout;
  }
  return layOut(context, rows, 'brief');
}

/** Columns of the longest bar. */
const BAR_WIDTH = 40;
/** Of a list without an end the last column has what is left, and is never less than that. */
const LEAST_OF_LAST = 8;

async function layOut(context: FormatContext, rows: readonly Row[], detail: Detail) {
  const shown = selectColumns(context, rows);
  const titles = shown.map((column) => (context.header ? safeCell(formatTitle(column).toUpperCase()) : ''));
  await prepareWidths(titles);
  await takeTurnBefore(rows);
  const columns = shown.map((column, i): TableColumn => {
    const [title = '', kind] = [titles[i], inferColumnKind(column, rows)];
    const least = i === shown.length - 1 ? LEAST_OF_LAST : 0;
    const room = context.live === true ? (column.width ?? least) : 0;
    const asked = Math.max(textWidth(title), kind === 'bar' ? BAR_WIDTH : room);
    return { column, kind, title, asked, natural: asked, unbreakable: isId(context, column) };
  });
  await takeTurnBefore(rows);
  const layout: Layout = { columns, detail };
  return { ...layout, texts: await formatTexts(context, layout, rows) };
}

function isId({ view }: FormatContext, { field }: Column): boolean {
  return field === (view.id ?? 'id');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rows as sanitised texts; the columns become as wide as they need, but for a bar, which takes what there is. */
async function formatTexts(context: FormatContext, layout: Layout, rows: readonly Row[]): Promise<Texts> {
  const formatRow = createRowFormatter(context, layout, rows);
  const texts: string[][] = [];
  for await (const part of inParts(rows)) {
    const cells = part.map(formatRow);
    await prepareWidths(cells.flat());
    for (const [i, col] of layout.columns.entries()) {
      if (col.kind === 'bar') continue;
      for (const row of cells) {
        const text = row[i] ?? '';
        col.natural = Math.max(col.natural, textWidth(text));
        col.unbreakable ||= UUID.test(text);
      }
    }
    for (const row of cells) texts.push(row);
  }
  return texts;
}

/** Ids may be shortened to what tells all these rows apart. */
function createRowFormatter(context: FormatContext, { columns, detail }: Layout, rows: readonly Row[]) {
  const { columns: names, live, style } = context;
  const isShort = names === undefined && live === undefined && style.width !== undefined;
  const shortened = columns.map(({ column }) =>
    isShort && column.short === true
      ? shortenIds(rows.map((row) => toText(getShownValue(column, row) ?? '')))
      : undefined,
  );
  return (row: Row): string[] =>
    columns.map(({ column, kind }, i) => {
      const value = getShownValue(column, row);
      return formatCell(shortened[i]?.get(toText(value ?? '')) ?? value, kind, style, detail);
    });
}

/** So much of an id is always shown. */
const LEAST_OF_ID = 8;

/**
 * Each id with the shortest beginning of at least eight characters that no other of these has: they are what is printed
 * together, a page of a long list, because its first rows are on the screen before the last ones are known. An id that
 * is a number stays whole, and so does one that would be cut in the number at its end: the beginning could be another
 * one. A beginning has a digit: a word is no id.
 */
function shortenIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      const common = Math.max(countCommon(id, sorted[i - 1]), countCommon(id, sorted[i + 1]));
      const length = Math.max(LEAST_OF_ID, common + 1, id.search(/\d/) + 1);
      return [id, length < findNumber(id) ? id.slice(0, length) : id];
    }),
  );
}

function countCommon(one: string, other = ''): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

/** Where a number at the end of an id begins, with the hyphen before it: `-3`; its length where it has none. */
function findNumber(id: string): number {
  let start = id.length;
  while (/\d/.test(id[start - 1] ?? '')) start -= 1;
  return start < id.length && id[start - 1] === '-' ? start - 1 : start;
}

const ELASTIC: readonly ColumnKind[] = ['text', 'list', 'bar'];

function toColumnWidth(context: FormatContext, col: TableColumn, drop: number): ColumnWidth {
  const { column, kind, asked, natural, unbreakable } = col;
  // Of a list without an end what grew gives way before what did not: later rows stay below the heading.
  const least = column.least ?? (context.live === true ? asked : COMFORTABLE);
  return {
    natural,
    drop,
    ...(ELASTIC.includes(kind) && !unbreakable ? { least } : {}),
    // Who names the columns wants the id too. A name that stands for one (`setting`) is what the record is about.
    id: context.columns === undefined && isId(context, column) && /(^|_)id$/.test(column.field),
  };
}

/** What was left out, in one line. */
function formatHiddenNote(context: FormatContext, hidden: readonly Column[]): string {
  const id = hidden.some((column) => isId(context, column));
  const count = hidden.length === 1 ? '1 column' : `${hidden.length} columns`;
  const them = hidden.length === 1 ? 'it' : 'them';
  const long = `${count} hidden: ${hidden.map(formatTitle).join(', ')} (--columns or a wider terminal shows ${them})`;
  const text = safeCell(long);
  if (text.length <= (context.style.width ?? 0)) return text;
  if (id && hidden.length === 1) return 'The id is hidden (--columns shows it).';
  return `${count} hidden${id ? ', the id too' : ''}: see --columns`;
}

/** Writes the lines of a block in pieces, so that a long list never is one string. */
async function writeBlock(
  context: FormatContext,
  { columns }: Layout,
  texts: Texts,
  { hasHeading, below }: { readonly hasHeading: boolean; readonly below: readonly string[] },
): Promise<void> {
  const { style } = context;
  const widths = fitWidths(
    columns.map((col) => toColumnWidth(context, col, 0)),
    style.width,
  );
  const drawn = columns.map(({ kind }, i) => ({ width: widths[i] ?? 0, right: isRightAligned(kind) }));
  const last = columns.length - 1;
  const wraps = columns[last]?.column.wrap === true;
  const formatTableCell = (text: string, i: number): string => {
    const [kind, width = 0] = [columns[i]?.kind, widths[i]];
    if (kind === 'bar') return formatBar(Number(text), width, style.unicode);
    const cell = truncateText(text, width, style);
    if (text === EMPTY_CELL) return style.palette.faint(cell);
    return kind === 'state' ? getStatePaint(style.palette, text)(cell) : cell;
  };
  let heading: readonly string[] = [];
  if (hasHeading) {
    const titles = columns.map(({ title }, i) => truncateText(title, widths[i] ?? 0, style));
    heading = drawRows([titles], drawn).map((line) => style.palette.heading(line));
  }
  for await (const part of inParts(texts)) {
    const ends = part.map((cells) => (wraps ? wrapCell(cells[last] ?? '', widths, style.width) : undefined));
    const rows = part.map((cells, n) =>
      cells.map((text, i) => formatTableCell((i === last ? ends[n]?.cell : undefined) ?? text, i)),
    );
    const lines = drawRows(rows, drawn).flatMap((line, n) => [line, ...(ends[n]?.below ?? [])]);
    await context.write([...heading, ...lines, ...below].map((line) => `${line}\n`).join(''));
    heading = [];
  }
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** What is more than nothing is seen. @param share from 0 to 1 */
function formatBar(share: number, width: number, unicode: boolean): string {
  const length = Math.min(Math.max(share, 0), 1) * Math.min(width, BAR_WIDTH);
  if (!unicode) return '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)));
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

/** Where less is left beside the others, all of the last cell stands below its row. */
const MIN_BESIDE = 24;
const BELOW_INDENT = 4;

/** The last cell of a row, where it goes on below instead of being cut; `undefined` where it fits. */
function wrapCell(text: string, widths: readonly number[], width: number | undefined) {
  const room = widths.at(-1) ?? 0;
  if (width === undefined || textWidth(text) <= room) return undefined;
  const beside = room >= MIN_BESIDE;
  const indent = beside ? widths.slice(0, -1).reduce((sum, one) => sum + one + GAP, 0) : BELOW_INDENT;
  const words = text.split(' ').map((word) => ({ text: word, seams: splitAddress }));
  const [first = '', ...others] = wrapPieces(' '.repeat(indent), words, { width, indent });
  return beside ? { cell: first.trimStart(), below: others } : { cell: '', below: [first, ...others] };
}

/** Rows of one table of cli-table3, with the square of which its time grows. */
const MAX_ROWS = 30;

const SIDES = ['top', 'bottom', 'left', 'right'] as const;
const NO_LINES = {
  ...Object.fromEntries(SIDES.flatMap((side) => [side, `${side}-mid`].map((name) => [name, '']))),
  ...{ 'top-left': '', 'top-right': '', 'bottom-left': '', 'bottom-right': '', mid: '', 'mid-mid': '' },
  middle: ' '.repeat(GAP),
};

/** Stands for a cell while it is drawn, a letter for each column: cli-table3 measures Thai and pointed Hebrew wrongly. */
const FILLER = '\ue000';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[[\d;]*m/g;

/**
 * One line for each row, without its newline and without spaces at its end.
 * @param rows cells that are sanitised and no wider than their columns; they may be coloured
 */
function drawRows(
  rows: readonly (readonly string[])[],
  columns: readonly { readonly width: number; readonly right: boolean }[],
): string[] {
  const lines: string[] = [];
  const replaced: string[] = [];
  const toPlain = (cell: string): string => {
    if (PLAIN.test(cell)) return cell;
    const filler = FILLER.repeat(textWidth(cell.replace(COLOUR, '')));
    if (filler !== '') replaced.push(cell);
    return filler;
  };
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    const table = new Table({
      chars: NO_LINES,
      // What nothing follows is as wide as it is in these rows: it is not filled up.
      colWidths: columns.map(({ width, right }, i) => (i === columns.length - 1 && !right ? null : width)),
      colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    });
    for (const cells of rows.slice(start, start + MAX_ROWS)) table.push(cells.map(toPlain));
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  const texts = replaced.values();
  return lines.map((line) => restoreCells(line, texts));
}

/** Without a pattern: one over millions of letters overflows the engine's stack. */
function restoreCells(line: string, texts: Iterator<string, undefined>): string {
  let restored = '';
  let at = 0;
  for (let start = line.indexOf(FILLER); start >= 0; start = line.indexOf(FILLER, at)) {
    restored += line.slice(at, start) + (texts.next().value ?? '');
    at = start;
    while (line[at] === FILLER) at += 1;
  }
  return restored + line.slice(at);
}
