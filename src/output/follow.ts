import type { Row } from '../api/page.ts';
import { formatCell, formatTitle, getShownValue, inferKind, isRightAligned } from './cell.ts';
import { chooseColumns, showView } from './columns.ts';
import type { FormatContext } from './formats/row-writer.ts';
import { GAP, measureFor, padText, truncateText } from './layout.ts';
import type { Column, LiveView } from './list-view.ts';
import { getStatePaint } from './palette.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { createFormatContext, type Streams } from './streams.ts';

/** A list whose rows come one by one, each written when it comes: nothing is known of those to come. */

type Write = (row: Row) => Promise<void>;

interface LiveColumn {
  readonly column: Column;
  readonly title: string;
  width: number;
}

/** The last column has what is left of a terminal: others are dropped for so much, and it is never less than that. */
const COMFORTABLE_LAST = 16;
const MIN_LAST = 8;

const sumWidths = (columns: readonly LiveColumn[]): number =>
  columns.slice(0, -1).reduce((sum, col) => sum + col.width + GAP, 0);

const fitColumns = (columns: readonly LiveColumn[], width: number | undefined): readonly LiveColumn[] => {
  const highestDrop = columns.reduce((most, { column }) => Math.max(most, column.drop ?? 0), 0);
  if (width === undefined || highestDrop === 0 || sumWidths(columns) + COMFORTABLE_LAST <= width)
    return columns;
  const dropped = columns.findLastIndex(({ column }) => column.drop === highestDrop);
  return fitColumns(
    columns.filter((_, i) => i !== dropped),
    width,
  );
};

const formatBelow = ({ below }: LiveView, row: Row): string => {
  const text = below?.(row);
  return text === undefined ? '' : safeLines(text).replace(/^/gm, '    ').concat('\n');
};

/** Aligned as far as can be: columns have the room that they ask for. On a terminal the last one is cut. */
const createLineWriter = async (context: FormatContext, view: LiveView): Promise<Write> => {
  const { style, columns, header, write } = context;
  const all = chooseColumns(view.columns, columns).map((column): LiveColumn => {
    const title = safeCell(formatTitle(column).toUpperCase());
    return { column, title, width: Math.max(column.width ?? 0, title.length) };
  });
  const shown = fitColumns(all, style.width);
  const ellipsis = style.unicode ? '…' : '...';
  const formatLine = async (texts: readonly string[], paint: (text: string, col: LiveColumn) => string) => {
    const measure = await measureFor(texts);
    const cells = shown.map((col, i) => {
      const text = texts[i] ?? '';
      if (i === shown.length - 1) {
        const room =
          style.width === undefined ? undefined : Math.max(MIN_LAST, style.width - sumWidths(shown));
        return paint(room === undefined ? text : truncateText(text, room, measure, ellipsis), col);
      }
      col.width = Math.max(col.width, measure(text));
      return paint(padText(text, col.width, isRightAligned(col.column.kind ?? 'text'), measure), col);
    });
    return `${cells.join(' '.repeat(GAP)).trimEnd()}\n`;
  };
  const writeHeading = async (): Promise<void> => {
    const titles = shown.map(({ title }) => title);
    const line = await formatLine(titles, (text) => text);
    await write(`${style.palette.heading(line.trimEnd())}\n`);
  };
  let hasHeading = !header;
  return async (row) => {
    if (!hasHeading) await writeHeading();
    hasHeading = true;
    const texts = shown.map(({ column }) => {
      const value = getShownValue(column, row);
      return formatCell(value, inferKind(column, value), style, 'plain');
    });
    const paint = (text: string, { column }: LiveColumn): string =>
      column.kind === 'state' ? getStatePaint(style.palette, text.trim())(text) : text;
    await write(`${await formatLine(texts, paint)}${formatBelow(view, row)}`);
  };
};

export const writeLiveRows = async (
  streams: Streams,
  rows: AsyncIterable<Row>,
  listedView: LiveView,
): Promise<void> => {
  const { options } = streams;
  const { format, query } = options;
  const { view, columns, toShown } = showView(listedView, options.columns, format);
  const context = createFormatContext(streams, view, { columns });
  if (query !== undefined) {
    for await (const row of rows) await streams.write(`${safeJson(query(row))}\n`);
    return;
  }
  if (format.shape === 'screen') {
    const line = await createLineWriter(context, view);
    for await (const row of rows) await line(row);
    return;
  }
  const writer = (await format.write())({ ...context, live: true });
  for await (const row of rows) await writer.rows([toShown(row)]);
  await writer.end();
};
