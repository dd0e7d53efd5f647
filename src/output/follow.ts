import type { Row } from '../api/page.ts';
import { formatCell, formatTitle, getShownValue, inferKind, isRightAligned } from './cell.ts';
import { chooseColumns } from './columns.ts';
import type { FormatContext } from './formats/row-writer.ts';
import { GAP, measureFor, padText, truncateText } from './layout.ts';
import type { Column, LiveView } from './list-view.ts';
import type { OutputContext } from './output-context.ts';
import { getStatePaint } from './palette.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';

/** A list whose rows come one by one, each written when it comes: nothing is known of those to come. */

type Write = (row: Row) => Promise<void>;

interface Lane {
  readonly column: Column;
  readonly title: string;
  /** Grows with what comes. */
  width: number;
}

/** The last column has what is left of a terminal: others are dropped for so much, and it is never less than that. */
const WANTED = 16;
const LEAST = 8;

const roomOf = (lanes: readonly Lane[]): number =>
  lanes.slice(0, -1).reduce((sum, lane) => sum + lane.width + GAP, 0);

/** Those that a terminal has room for: the least important are left out. */
const fitted = (lanes: readonly Lane[], width: number | undefined): readonly Lane[] => {
  const most = Math.max(0, ...lanes.map(({ column }) => column.drop ?? 0));
  if (width === undefined || most === 0 || roomOf(lanes) + WANTED <= width) return lanes;
  const worst = lanes.findLastIndex(({ column }) => column.drop === most);
  return fitted(
    lanes.filter((_, i) => i !== worst),
    width,
  );
};

/** What a row has below its line, set in. */
const textBelow = ({ below }: LiveView, row: Row): string => {
  const text = below?.(row);
  return text === undefined ? '' : safeLines(text).replace(/^/gm, '    ').concat('\n');
};

/** Aligned as far as can be: columns have the room that they ask for. On a terminal the last one is cut. */
const lineWriter = async (context: FormatContext, view: LiveView): Promise<Write> => {
  const { style, columns: names, header, write } = context;
  const all = chooseColumns(view.columns, names).map((column): Lane => {
    const title = safeCell(formatTitle(column).toUpperCase());
    return { column, title, width: Math.max(column.width ?? 0, title.length) };
  });
  const lanes = fitted(all, style.width);
  const ellipsis = style.unicode ? '…' : '...';
  const lineOf = async (texts: readonly string[], paint: (text: string, lane: Lane) => string) => {
    const measure = await measureFor(texts);
    const shaped = lanes.map((lane, i) => {
      const text = texts[i] ?? '';
      if (i === lanes.length - 1) {
        const room = style.width === undefined ? undefined : Math.max(LEAST, style.width - roomOf(lanes));
        return paint(room === undefined ? text : truncateText(text, room, measure, ellipsis), lane);
      }
      lane.width = Math.max(lane.width, measure(text));
      return paint(padText(text, lane.width, isRightAligned(lane.column.kind ?? 'text'), measure), lane);
    });
    return `${shaped.join(' '.repeat(GAP)).trimEnd()}\n`;
  };
  const heading = async (): Promise<void> => {
    const titles = lanes.map(({ title }) => title);
    const line = await lineOf(titles, (text) => text);
    await write(`${style.palette.heading(line.trimEnd())}\n`);
  };
  let begun = !header;
  return async (row) => {
    if (!begun) await heading();
    begun = true;
    const texts = lanes.map(({ column }) => {
      const value = getShownValue(column, row);
      return formatCell(value, inferKind(column, value), style, 'plain');
    });
    const painted = (text: string, { column }: Lane): string =>
      column.kind === 'state' ? getStatePaint(style.palette, text.trim())(text) : text;
    await write(`${await lineOf(texts, painted)}${textBelow(view, row)}`);
  };
};

/** Rows as they come, in the chosen format. */
export const writeLiveRows = async (
  service: OutputContext,
  rows: AsyncIterable<Row>,
  view: LiveView,
): Promise<void> => {
  const { format } = service.options;
  const context = service.context(view);
  const { query } = service;
  if (query !== undefined) {
    for await (const row of rows) await service.write(`${safeJson(query(row))}\n`);
    return;
  }
  if (format.shape === 'screen') {
    const line = await lineWriter(context, view);
    for await (const row of rows) await line(row);
    return;
  }
  const writer = (await format.write())({ ...context, live: true });
  for await (const row of rows) await writer.rows([row]);
  await writer.end();
};
