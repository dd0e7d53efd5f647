import { escapeRunnerCommands, safeCell } from '../safe-text.ts';
import { createDelimitedWriter, formatDelimitedValue } from './delimited.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/**
 * For `cut`, `awk` and the like: a tab between cells, one line a record; `\t \n \r \\` inside cells, and `\x23 \x3a \x5f`
 * for a character of what a CI runner would obey.
 */

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const escapeTsv = (text: string): string =>
  escapeRunnerCommands(text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? ''));

export const createTsvWriter = (context: FormatContext): RowWriter => {
  const formatTsvCell = (value: unknown): string => {
    const text = escapeTsv(formatDelimitedValue(value));
    return context.terminal ? safeCell(text) : text;
  };
  return createDelimitedWriter(context, (values) => `${values.map(formatTsvCell).join('\t')}\n`);
};
