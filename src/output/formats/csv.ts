import type { Row } from '../../api/page.ts';
import { safeCell } from '../safe-text.ts';
import { escapeSpreadsheetCell } from '../spreadsheet-cell.ts';
import { createDelimitedWriter, formatDelimitedValue } from './delimited.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/**
 * CSV as RFC 4180 has it: lines end with CRLF, which is what the document says and every reader takes
 * (for line tools there is TSV). In a pipe or file the data is as it came, but for formulas; on a terminal
 * controls are made visible.
 */

/** `;` and tab are quoted too, because some spreadsheets split at them. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** JSON of an array or object: text too. A number stays as it is, a negative one too. */
const NESTED = /^[[{]/;

const quote = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const formatLine = (cells: readonly string[], end = '\r\n'): string => {
  const line = cells.map(quote).join(',');
  // A single empty cell would be a blank line, which readers skip.
  return `${line === '' ? '""' : line}${end}`;
};

/** A whole file: the columns as its heading, then the rows. @param end of each line */
export const formatCsv = (columns: readonly string[], rows: readonly Row[], end?: string): string =>
  [columns, ...rows.map((row) => columns.map((name) => formatDelimitedValue(row[name])))]
    .map((cells) => formatLine(cells.map(escapeSpreadsheetCell), end))
    .join('');

export const createCsvWriter = (context: FormatContext): RowWriter => {
  const formatCell = (value: unknown): string => {
    const plain = formatDelimitedValue(value);
    const text = typeof value === 'string' || NESTED.test(plain) ? escapeSpreadsheetCell(plain) : plain;
    return context.terminal ? safeCell(text) : text;
  };
  return createDelimitedWriter(context, (values) => formatLine(values.map(formatCell)));
};
