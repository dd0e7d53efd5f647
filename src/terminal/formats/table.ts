import type { Row } from '../../api/page.ts';
import type { Kind, PeopleStyle } from '../cell.ts';
import { GAP } from '../layout.ts';
import { paintOfState } from '../palette.ts';
import { cut, type Measure, pad } from '../width.ts';
import { type Block, blockOf, firstBlock, type Lane, type Lanes, widthsOf } from './lanes.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/**
 * A table for people: headings, one row a record, no lines around them. In a pipe all rows are aligned and
 * nothing is cut; on a terminal it is fitted to the width, and later rows stream in the columns of the first.
 *
 * Laid out here and not by cli-table3: that is quadratic in rows, and measures text by old tables, so that
 * it cuts Thai or pointed Hebrew names that fit.
 */

/** Rows that decide the layout on a terminal: a page. */
const FIRST_BLOCK = 100;

const RIGHT = new Set<Kind>(['number', 'hours', 'money']);

interface Line {
  readonly lanes: readonly Lane[];
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly style: PeopleStyle;
}

/** Cells cut and filled to the widths; the last one has no spaces after it. */
const shaped = (cells: readonly string[], line: Line): string[] =>
  line.lanes.map((lane, i) => {
    const width = line.widths[i] ?? 0;
    const text = cut(cells[i] ?? '', width, line.measure, line.style.unicode ? '…' : '...');
    const padded = pad(text, width, RIGHT.has(lane.kind), line.measure);
    return i === line.lanes.length - 1 ? padded.trimEnd() : padded;
  });

const rowLine = (cells: readonly string[], line: Line): string => {
  const painted = shaped(cells, line).map((text, i) => {
    if (line.lanes[i]?.kind !== 'state') return text;
    return paintOfState(line.style.palette, cells[i] ?? '')(text);
  });
  return `${painted.join(' '.repeat(GAP))}\n`;
};

const headingLine = (line: Line): string => {
  const cells = shaped(
    line.lanes.map((lane) => lane.title),
    line,
  );
  return `${line.style.palette.heading(cells.join(' '.repeat(GAP)))}\n`;
};

const written = (context: FormatContext, lanes: readonly Lane[], { texts, measure }: Block): string[] => {
  const line = { lanes, widths: widthsOf(context, lanes), measure, style: context.style };
  const rows = texts.map((cells) => rowLine(cells, line));
  return [headingLine(line), ...rows];
};

export const tableWriter = (context: FormatContext): RowWriter => {
  let held: Row[] = [];
  let shown: Lanes | undefined;

  const flush = async (): Promise<void> => {
    const rows = held;
    held = [];
    if (rows.length === 0) return;
    let block: Block;
    let heading = false;
    if (shown === undefined) {
      const first = await firstBlock(context, rows);
      [shown, block, heading] = [first, first, context.header];
    } else block = await blockOf(context, shown, rows);
    const lines = written(context, shown.lanes, block);
    await context.write(lines.slice(heading ? 0 : 1).join(''));
  };
  return {
    rows: async (rows) => {
      for (const row of rows) held.push(row);
      if (context.style.width !== undefined && held.length >= (shown === undefined ? FIRST_BLOCK : 1))
        await flush();
    },
    end: flush,
  };
};
