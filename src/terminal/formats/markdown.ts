import type { Row } from '../../api/page.ts';
import type { Column } from '../../context.ts';
import { cellText, kindOf, shownValue, titleOf } from '../cell.ts';
import { safeCell } from '../safe-text.ts';
import { columnsFor } from './lanes.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** A GitHub table, streamed. What would be markup or another cell in a value is escaped. */

const MARKUP = /[\\|`*[\]<]/g;

const RIGHT = new Set(['number', 'hours', 'money']);

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

export const markdownWriter = (context: FormatContext): RowWriter => {
  const { style } = context;
  let columns: readonly Column[] | undefined;

  const escaped = (text: string): string => text.replace(MARKUP, '\\$&');
  const open = async (rows: readonly Row[]): Promise<readonly Column[]> => {
    const opened = columnsFor(context, rows);
    columns = opened;
    if (!context.header || opened.length === 0) return opened;
    await context.write(line(opened.map((column) => escaped(safeCell(titleOf(column), style.ci)))));
    await context.write(line(opened.map((column) => (RIGHT.has(column.kind ?? '') ? '---:' : '---'))));
    return opened;
  };
  const cell = (column: Column, row: Row): string => {
    const value = shownValue(column, row);
    return escaped(cellText(value, kindOf(column, value), style, false));
  };

  return {
    rows: async (rows) => {
      if (rows.length === 0) return;
      const shown = columns ?? (await open(rows));
      await context.write(rows.map((row) => line(shown.map((column) => cell(column, row)))).join(''));
    },
    end: async () => {},
  };
};
