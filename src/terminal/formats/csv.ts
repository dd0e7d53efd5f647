import { safeCell } from '../safe-text.ts';
import { harmless } from '../spreadsheet-cell.ts';
import { delimitedWriter, fieldText } from './delimited.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/**
 * CSV as RFC 4180 has it: lines end with CRLF, which is what the document says and every reader takes
 * (for line tools there is TSV). In a pipe or file the data is as it came, but for formulas; on a terminal
 * controls are made visible.
 */

/** `;` and tab are quoted too, because some spreadsheets split at them. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

const quoted = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csvWriter = (context: FormatContext): RowWriter => {
  const cell = (value: unknown): string => {
    const text = typeof value === 'string' ? harmless(value) : fieldText(value);
    return quoted(context.terminal ? safeCell(text, false) : text);
  };
  return delimitedWriter(context, (values) => {
    const line = values.map(cell).join(',');
    // A single empty cell would be a blank line, which readers skip.
    return `${line === '' ? '""' : line}\r\n`;
  });
};
