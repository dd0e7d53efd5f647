import type { Row } from '../../api/page.ts';
import { toText } from '../../json.ts';
import { collectFields, getField } from '../cell.ts';
import { escapeRunnerCommands, safeCell, safeJson } from '../safe-text.ts';
import { writeLines } from '../sink.ts';
import { escapeSpreadsheetCell } from '../spreadsheet-cell.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** What CSV and TSV share: which columns there are, and that they stream. */

export const formatDelimitedValue = (value: unknown): string =>
  typeof value === 'object' && value !== null ? safeJson(value) : toText(value);

const chooseFields = async (
  { columns, view }: FormatContext,
  rows: readonly Row[],
): Promise<readonly string[]> => {
  const named = columns ?? view.cells;
  if (named !== undefined) return named;
  const documented = (await view.documented?.()) ?? [];
  const present = collectFields(rows);
  if (present.length > 0)
    return [...new Set([...documented.filter((name) => present.includes(name)), ...present])];
  if (documented.length > 0) return documented;
  return view.columns.filter(({ kind, derived }) => kind !== 'bar' && !derived).map(({ field }) => field);
};

/**
 * Columns: `--columns`, else every field of the first page (the heading goes out before the second page is there),
 * those that are documented in that order before the others; of an empty list all that are documented. Fields that
 * only later records have are named on stderr.
 */
const createDelimitedWriter = (
  context: FormatContext,
  formatLine: (values: readonly unknown[]) => string,
): RowWriter => {
  let fields: readonly string[] | undefined;
  const omitted = new Set<string>();

  const begin = async (rows: readonly Row[]): Promise<readonly string[]> => {
    fields = await chooseFields(context, rows);
    if (context.header && fields.length > 0) await context.write(formatLine(fields));
    return fields;
  };
  const noteOmitted = (rows: readonly Row[], shown: readonly string[]): void => {
    if ((context.columns ?? context.view.cells) !== undefined) return;
    for (const field of collectFields(rows)) if (!shown.includes(field)) omitted.add(field);
  };

  return {
    rows: async (rows) => {
      if (rows.length === 0) return;
      const shown = fields ?? (await begin(rows));
      noteOmitted(rows, shown);
      await writeLines(rows, (row) => formatLine(shown.map((field) => getField(row, field))), context);
    },
    end: async () => {
      if (fields === undefined) await begin([]);
      if (omitted.size > 0)
        context.note(
          `Fields that only later records have were omitted (add them with --columns): ${[...omitted].join(', ')}`,
        );
    },
  };
};

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
