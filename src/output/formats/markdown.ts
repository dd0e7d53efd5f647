import type { Row } from '../../api/page.ts';
import { inParts } from '../../clock.ts';
import { escapeMarkdown } from '../../parsing/text.ts';
import {
  formatCell,
  formatTitle,
  getShownValue,
  inferColumnKind,
  inferKind,
  isRightAligned,
} from '../cell.ts';
import { selectColumns } from '../columns.ts';
import type { Column } from '../list-view.ts';
import { safeCell } from '../safe-text.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/**
 * A GitHub table, to be pasted into a chat or an issue. What would be markup or another cell in a value is escaped,
 * and nothing is cut. Held back until all rows are there, where they have an end: which columns are empty, and which
 * hold numbers, is known only then.
 */

const formatLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

export const createMarkdownWriter = (context: FormatContext): RowWriter => {
  const { style } = context;
  let pending: Row[] = [];
  let columns: readonly Column[] | undefined;

  const formatHeading = (shown: readonly Column[]): string => {
    const marks = shown.map((column) => (isRightAligned(inferColumnKind(column, pending)) ? '---:' : '---'));
    return (
      formatLine(shown.map((column) => escapeMarkdown(safeCell(formatTitle(column))))) + formatLine(marks)
    );
  };
  const formatRowCell = (column: Column, row: Row): string => {
    const value = getShownValue(column, row);
    return escapeMarkdown(formatCell(value, inferKind(column, value), style, 'plain'));
  };
  const begin = async (): Promise<readonly Column[]> => {
    const shown = selectColumns(context, pending).filter(({ kind }) => kind !== 'bar');
    if (context.header && shown.length > 0) await context.write(formatHeading(shown));
    return shown;
  };
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    columns ??= await begin();
    const shown = columns;
    for await (const rows of inParts(pending)) {
      await context.write(
        rows.map((row) => formatLine(shown.map((column) => formatRowCell(column, row)))).join(''),
      );
    }
    pending = [];
  };

  return {
    rows: async (rows) => {
      for (const row of rows) pending.push(row);
      if (context.live === true) await flush();
    },
    end: flush,
  };
};
