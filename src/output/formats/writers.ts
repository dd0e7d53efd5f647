import type { Row } from '../../api/page.ts';
import { inParts } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import { isDecimal, isRounded, toText } from '../../json.ts';
import { escapeMarkdown } from '../../parsing/text.ts';
import {
  collectFields,
  formatRowCell,
  formatTitle,
  getField,
  inferColumnKind,
  isNothing,
  isRightAligned,
  pickNested,
} from '../cell.ts';
import { type FormatContext, type RowWriter, selectColumns } from '../columns.ts';
import { escapeRunnerCommands, escapeSpreadsheetCell, safeCell, safeJson } from '../safe-text.ts';
import { type TextSink, writeLines } from '../sink.ts';
import type { Format } from './formats.ts';

const WRITERS: Readonly<Record<string, (context: FormatContext) => RowWriter>> = {
  json: createJsonWriter,
  ndjson: createNdjsonWriter,
  csv: createCsvWriter,
  excel: createExcelWriter,
  tsv: createTsvWriter,
  markdown: createMarkdownWriter,
  ids: createIdsWriter,
};

export function createWriter({ name, excel }: Format, context: FormatContext): RowWriter {
  const create = WRITERS[excel === true ? 'excel' : name];
  if (create === undefined) throw new Error(`the format ${name} has no writer`);
  return create(context);
}

/** One JSON document, two spaces of indent, a newline at its end. */
export async function writeDocument(value: unknown, sink: TextSink): Promise<void> {
  if (!Array.isArray(value)) return sink.write(`${safeJson(value, 2)}\n`);
  let before = '[\n';
  for await (const part of inParts(value)) {
    await sink.write(before + safeJson(part, 2).slice('[\n'.length, -'\n]'.length));
    before = ',\n';
  }
  await sink.write(value.length === 0 ? '[]\n' : '\n]\n');
}

/**
 * Records as they came, unknown fields kept. Holds all rows back: the document is whole, or a failure on a later page
 * leaves stdout empty.
 */
function createJsonWriter(context: FormatContext): RowWriter {
  const { columns, joined = [] } = context;
  const collected: Row[] = [];
  return {
    rows: async (rows) => {
      for (const row of rows) collected.push(pickNested(row, columns, joined));
    },
    end: () => writeDocument(collected, context),
  };
}

function createNdjsonWriter(context: FormatContext): RowWriter {
  const { columns, joined = [] } = context;
  const formatLine = (row: Row): string => `${safeJson(pickNested(row, columns, joined))}\n`;
  return { rows: (rows) => writeLines(rows, formatLine, context), end: async () => {} };
}

/** The id of each record on a line of its own. A control character in one is spelled out: one line stays one id. */
function createIdsWriter(context: FormatContext): RowWriter {
  const { id: field = 'id', once = false } = context.view;
  const printed = new Set<string>();
  let missing = 0;
  return {
    rows: async (rows) => {
      const ids = rows.map((row) => getField(row, field)).filter((id) => !isNothing(id));
      missing += rows.length - ids.length;
      const lost = ids.find((id) => typeof id === 'number' && isRounded(id));
      if (lost !== undefined)
        throw new UsageError(`the id ${lost} was not read exactly: it has more digits than can be kept`, {
          hint: 'Use another format: -o json shows the records.',
        });
      const lines = ids.map((id) => `${safeCell(toText(id))}\n`);
      const fresh = once ? [...new Set(lines)].filter((line) => !printed.has(line)) : lines;
      if (once) for (const line of fresh) printed.add(line);
      await writeLines(fresh, (line) => line, context);
    },
    end: async () => {
      if (missing > 0) context.note(`Omitted ${missing} ${missing === 1 ? 'row' : 'rows'} without ${field}.`);
    },
  };
}

export function formatPlainValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? safeJson(value) : toText(value);
}

/**
 * What CSV and TSV share. Columns: `--columns`, else every field of the first page (the heading goes out before the
 * second page is there), those that are documented in that order before the others; of an empty list all that are
 * documented. Fields that only later records have are named on stderr.
 * @param prepare gets the columns, before anything is written
 */
function createDelimitedWriter(
  context: FormatContext,
  formatLine: (values: readonly unknown[]) => string,
  prepare?: (fields: readonly string[]) => Promise<void>,
): RowWriter {
  const { view, header } = context;
  const named = context.columns ?? view.cells;
  let fields: readonly string[] | undefined;
  const omitted = new Set<string>();
  const begin = async (rows: readonly Row[]): Promise<readonly string[]> => {
    const documented = (await view.documented?.()) ?? [];
    const present = collectFields(rows);
    const known = present.length === 0 ? documented : documented.filter((name) => present.includes(name));
    const found = [...new Set([...known, ...present])];
    const listed = view.columns.flatMap(({ field, derived }) => (derived ? [] : field));
    const own = named ?? (found.length > 0 ? found : listed);
    await prepare?.(own);
    if (header && own.length > 0) await context.write(formatLine(own));
    return own;
  };
  return {
    rows: async (rows) => {
      if (rows.length === 0) return;
      fields ??= await begin(rows);
      const shown = fields;
      if (named === undefined)
        for (const field of collectFields(rows)) if (!shown.includes(field)) omitted.add(field);
      await writeLines(rows, (row) => formatLine(shown.map((field) => getField(row, field))), context);
    },
    end: async () => {
      if (fields === undefined) await begin([]);
      const names = [...omitted].join(', ');
      if (names !== '')
        context.note(`Fields that only later records have were omitted (add them with --columns): ${names}`);
    },
  };
}

/** `;` and tab are quoted too, because some spreadsheets split at them. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** JSON of an array or object: text too. A number stays as it is, a negative one too. */
const NESTED = /^[[{]/;

function quoteCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function formatCsvLine(quoted: readonly string[], end = '\r\n', separator = ','): string {
  const line = quoted.join(separator);
  // A single empty cell would be a blank line, which readers skip.
  return `${line === '' ? '""' : line}${end}`;
}

/** A whole file: the columns as its heading, then the rows. @param end of each line */
export function formatCsv(columns: readonly string[], rows: readonly Row[], end?: string): string {
  return [columns, ...rows.map((row) => columns.map((name) => formatPlainValue(row[name])))]
    .map((cells) => cells.map((cell) => quoteCell(escapeSpreadsheetCell(cell))))
    .map((cells) => formatCsvLine(cells, end))
    .join('');
}

/**
 * CSV as RFC 4180 has it: lines end with CRLF, which is what the document says and every reader takes
 * (for line tools there is TSV). In a pipe or file the data is as it came, but for formulas; on a terminal
 * controls are made visible.
 */
function createCsvWriter(context: FormatContext): RowWriter {
  const formatCell = (value: unknown): string => formatCsvCell(value, context);
  return createDelimitedWriter(context, (values) => formatCsvLine(values.map(formatCell)));
}

function formatCsvCell(value: unknown, { terminal }: FormatContext): string {
  const plain = formatPlainValue(value);
  const text = typeof value === 'string' || NESTED.test(plain) ? escapeSpreadsheetCell(plain) : plain;
  return quoteCell(terminal ? safeCell(text) : text);
}

/**
 * CSV that Excel opens with a double click where the comma is decimal, as it writes it there: a byte order mark, `;`
 * between cells, no line that names it. `--from-file` reads it back without being told. Yes and no, because Excel turns
 * true and false into words of its own language.
 */
function createExcelWriter(context: FormatContext): RowWriter {
  let areNumbers: readonly (boolean | undefined)[] = [];
  const formatCell = (value: unknown, i: number): string => {
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    const isNumber = areNumbers[i] === true || typeof value === 'number';
    const plain = isNumber ? formatPlainValue(value) : '';
    return isDecimal(plain) ? plain.replace('.', ',') : formatCsvCell(value, context);
  };
  const prepare = async (fields: readonly string[]): Promise<void> => {
    areNumbers = await Promise.all(fields.map((field) => context.isNumber?.(field)));
    if (!context.terminal) await context.write('\ufeff');
  };
  return createDelimitedWriter(
    context,
    (values) => formatCsvLine(values.map(formatCell), undefined, ';'),
    prepare,
  );
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * For `cut`, `awk` and the like: a tab between cells, one line a record; `\t \n \r \\` inside cells, and `\x23 \x3a \x5f`
 * for a character of what a CI runner would obey.
 */
function createTsvWriter(context: FormatContext): RowWriter {
  const formatCell = (value: unknown): string => {
    const plain = formatPlainValue(value);
    const text = escapeRunnerCommands(plain.replace(/[\\\t\n\r]/g, (found) => TSV_ESCAPES[found] ?? ''));
    return context.terminal ? safeCell(text) : text;
  };
  return createDelimitedWriter(context, (values) => `${values.map(formatCell).join('\t')}\n`);
}

/**
 * A GitHub table, to be pasted into a chat or an issue. What would be markup or another cell in a value is escaped,
 * and nothing is cut. Held back until all rows are there: which columns are empty, and which hold numbers, is known only
 * then.
 */
function createMarkdownWriter(context: FormatContext): RowWriter {
  const pending: Row[] = [];
  const formatLine = (cells: readonly string[]): string =>
    `| ${cells.map((text) => escapeMarkdown(text)).join(' | ')} |\n`;
  return {
    rows: async (rows) => {
      for (const row of rows) pending.push(row);
    },
    end: async () => {
      if (pending.length === 0) return;
      const columns = selectColumns(context, pending);
      const kinds = columns.map((column) => inferColumnKind(column, pending));
      const marks = kinds.map((kind) => (isRightAligned(kind) ? '---:' : '---'));
      if (context.header && columns.length > 0) {
        const titles = columns.map((column) => safeCell(formatTitle(column)));
        await context.write(`${formatLine(titles)}| ${marks.join(' | ')} |\n`);
      }
      for await (const rows of inParts(pending)) {
        const cells = rows.map((row) =>
          columns.map((column) => formatRowCell(column, row, context.style, 'plain')),
        );
        await context.write(cells.map(formatLine).join(''));
      }
    },
  };
}
