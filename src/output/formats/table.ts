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
const BELOW_INDENT = 4;

/**
 * A table for people: headings, one row a record, no lines around them. In a pipe all rows are aligned and
 * nothing is cut; on a terminal it is fitted to the width, and later rows stream in the columns of the first. Rows of a
 * list without an end are written when they come: nothing is known of those to come but the room that columns ask for.
 */
export function createTableWriter(context: FormatContext): RowWriter {
  const { view, live, style } = context;
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
    const below = rows.flatMap((row) => {
      const text = live === true ? view.below?.(row) : undefined;
      return text === undefined ? [] : [safeLines(text).replace(/^/gm, ' '.repeat(BELOW_INDENT))];
    });
    if (layout !== undefined) {
      const texts = await formatTexts(context, layout, rows);
      return writeBlock(context, layout, texts, below, false);
    }
    const first = await layOut(context, rows);
    layout = first;
    for (const column of first.hidden) hidden.add(column);
    if (context.columns === undefined)
      absent = view.columns.filter((column) => column.sparse === true && isEmpty(column, rows));
    await writeBlock(context, first, first.texts, below, context.header);
  };
  return {
    rows: async (rows) => {
      for (const row of rows) pending.push(row);
      const streams = style.width !== undefined && (layout !== undefined || pending.length >= FIRST_BLOCK);
      if (live === true || streams) await flush();
    },
    end: async () => {
      await flush();
      if (hidden.size === 0 || live === true) return;
      const [count, them] = hidden.size === 1 ? ['1 column', 'it'] : [`${hidden.size} columns`, 'them'];
      const names = [...hidden].map(formatTitle).join(', ');
      const text = safeCell(`${count} hidden: ${names} (--columns or a wider terminal shows ${them})`);
      context.hint(text.length <= (style.width ?? 0) ? text : `${count} hidden: see --columns`);
    },
  };
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

const EMPTY_DROP = 100;
const BAR_WIDTH = 40;
/** Of a list without an end the last column has what is left, and is never less than that. */
const LEAST_OF_LAST = 8;

/** Decides by the first rows which columns there are, and how much is told of days and times. */
async function layOut(context: FormatContext, rows: readonly Row[]) {
  const { header, live, view } = context;
  const { width } = context.style;
  const shown = selectColumns(context, rows);
  const titles = shown.map((column) => (header ? safeCell(formatTitle(column).toUpperCase()) : ''));
  await prepareWidths(titles);
  const made: TableColumn[] = [];
  for (const [i, column] of shown.entries()) {
    await takeTurnBefore(rows);
    const [title = '', kind] = [titles[i], inferColumnKind(column, rows)];
    const least = i === shown.length - 1 ? LEAST_OF_LAST : 0;
    const room = live === true ? (column.width ?? least) : 0;
    const asked = Math.max(textWidth(title), kind === 'bar' ? BAR_WIDTH : room);
    made.push({ column, kind, title, asked, natural: asked, unbreakable: isId(view, column) });
  }
  // The most that is told for which there is room.
  const details: readonly Detail[] =
    width === undefined || live === true ? ['plain'] : ['full', 'plain', 'brief'];
  let columns = made;
  let detail: Detail = 'plain';
  let texts: Texts = [];
  for (detail of details) {
    columns = made.map((column) => ({ ...column }));
    texts = await formatTexts(context, { columns, detail }, rows);
    const taken = columns.map(({ kind, natural }) => GAP + (kind === 'bar' ? 0 : natural));
    if (taken.reduce((sum, one) => sum + one, -GAP) <= (width ?? 0)) break;
  }
  await takeTurnBefore(rows);
  // What the first row of a list without an end lacks, the next may have.
  const isBlank = columns.map((_, i) => live !== true && texts.every((cells) => cells[i] === EMPTY_CELL));
  const { kept } = fitColumns(
    columns.map((col, i) => {
      const drop = context.columns === undefined ? (col.column.drop ?? 0) : 0;
      return toColumnWidth(context, col, drop > 0 && isBlank[i] === true ? EMPTY_DROP : drop);
    }),
    width,
  );
  const hidden = columns.filter((col, i) => !kept.includes(i) && isBlank[i] !== true && col.kind !== 'bar');
  return {
    columns: columns.filter((_, i) => kept.includes(i)),
    detail,
    texts: texts.map((cells) => cells.filter((_, i) => kept.includes(i))),
    hidden: hidden.map(({ column }) => column),
  };
}

function isId(view: FormatContext['view'], { field }: Column): boolean {
  return field === (view.id ?? 'id');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rows as sanitised texts; the columns become as wide as they need, but for a bar, which takes what there is. */
async function formatTexts(
  { columns: names, live, style }: FormatContext,
  { columns, detail }: Layout,
  rows: readonly Row[],
): Promise<Texts> {
  const isShort = names === undefined && live === undefined && style.width !== undefined;
  const shortened = columns.map(({ column }) => {
    if (!isShort || column.short !== true) return undefined;
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
    for (const [i, col] of columns.entries()) {
      if (col.kind === 'bar') continue;
      const own = cells.map((row) => row[i] ?? '');
      col.natural = own.reduce((most, text) => Math.max(most, textWidth(text)), col.natural);
      col.unbreakable ||= own.some((text) => UUID.test(text));
    }
    for (const row of cells) texts.push(row);
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

function toColumnWidth({ columns, live, view }: FormatContext, col: TableColumn, drop: number): ColumnWidth {
  const { column, kind, asked, natural, unbreakable } = col;
  // Of a list without an end what grew gives way before what did not: later rows stay below the heading.
  const least = column.least ?? (live === true ? asked : COMFORTABLE);
  return {
    natural,
    drop,
    ...(['text', 'list', 'bar'].includes(kind) && !unbreakable ? { least } : {}),
    // Who names the columns wants the id too. A name that stands for one (`setting`) is what the record is about.
    id: columns === undefined && isId(view, column) && /(^|_)id$/.test(column.field),
  };
}

/** Writes the lines of a block in pieces, so that a long list never is one string. */
async function writeBlock(
  context: FormatContext,
  { columns }: Layout,
  texts: Texts,
  below: readonly string[],
  hasHeading: boolean,
): Promise<void> {
  const { style } = context;
  const widths = fitWidths(
    columns.map((col) => toColumnWidth(context, col, 0)),
    style.width,
  );
  const drawn = columns.map(({ kind }, i) => ({ width: widths[i] ?? 0, right: isRightAligned(kind) }));
  const wraps = columns.at(-1)?.column.wrap === true;
  const formatTableCell = (text: string, i: number): string => {
    const [kind, width = 0] = [columns[i]?.kind, widths[i]];
    if (kind === 'bar') return formatBar(Number(text), width, style.unicode);
    const cell = truncateText(text, width, style);
    if (text === EMPTY_CELL) return style.palette.faint(cell);
    return kind === 'state' ? getStatePaint(style.palette, text)(cell) : cell;
  };
  const titles = columns.map(({ title }, i) => truncateText(title, widths[i] ?? 0, style));
  let heading = hasHeading ? drawRows([titles], drawn).map((line) => style.palette.heading(line)) : [];
  for await (const part of inParts(texts)) {
    const ends = part.map((cells) => (wraps ? wrapCell(cells.at(-1) ?? '', widths, style.width) : undefined));
    const rows = part.map((cells, n) =>
      cells.map((text, i) =>
        formatTableCell((i === cells.length - 1 ? ends[n]?.cell : undefined) ?? text, i),
      ),
    );
    const lines = drawRows(rows, drawn).flatMap((line, n) => [line, ...(ends[n]?.below ?? [])]);
    await context.write([...heading, ...lines, ...below].map((line) => `${line}\n`).join(''));
    heading = [];
  }
}

/** What is more than nothing is seen. @param share from 0 to 1 */
function formatBar(share: number, width: number, unicode: boolean): string {
  const length = Math.min(Math.max(share, 0), 1) * Math.min(width, BAR_WIDTH);
  if (length === 0) return '';
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(length)));
  const eighths = Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (['', ...'▏▎▍▌▋▊▉'][eighths % 8] ?? '');
}

/** Where less is left beside the others, all of the last cell stands below its row. */
const MIN_BESIDE = 24;

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
    const filler = FILLER.repeat(textWidth(cell));
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
  return lines.map((line) => {
    // Without a pattern: one over millions of letters overflows the engine's stack.
    let restored = '';
    let at = 0;
    for (let start = line.indexOf(FILLER); start >= 0; start = line.indexOf(FILLER, at)) {
      restored += line.slice(at, start) + (texts.next().value ?? '');
      at = start;
      while (line[at] === FILLER) at += 1;
    }
    return restored + line.slice(at);
  });
}
