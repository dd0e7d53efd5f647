import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../errors.ts';
import { isRecord, parseJson, parseJsonArray } from '../../json.ts';
import { unescapeSpreadsheetCell } from '../../output/safe-text.ts';
import { MAX_ROWS } from '../../parsing/text.ts';

/** The rows of a file: CSV, a JSON array or NDJSON. */

export interface RawRow {
  readonly line: number;
  /** For people: the line, or the number in a JSON array. */
  readonly number: number;
  /** The line of the headings, where they have one of their own. */
  readonly heading?: number;
  /** Headings as written. */
  readonly names: readonly string[];
  /** One for each heading: text in CSV, any JSON elsewhere. */
  readonly cells: readonly unknown[];
}

/** One that cannot be read has a problem; the rows after it can. */
export type ReadRow = RawRow | { readonly line: number; readonly problem: string };

const CSV_ENDING = /\.(csv|tsv|tab)$/i;
const JSON_ENDING = /\.(json|ndjson|jsonl)$/i;

/**
 * The rows of a file, in their order; its kind is known by its ending, else by how it begins.
 * @param file its name, `-` for stdin
 * @throws UsageError, with `details.line` where it is known, when the rest cannot be read
 */
export function* readRows(file: string, text: string): Generator<ReadRow> {
  const start = CSV_ENDING.test(file) ? undefined : /\S/.exec(text)?.[0];
  if (start === '[') {
    const parsed = parseJsonArray(text);
    if ('problem' in parsed) {
      const { line, column, what } = parsed.problem;
      throw new UsageError(`not JSON: column ${column}: ${what}`, { details: { line } });
    }
    for (const [i, { value, line }] of parsed.elements.entries()) yield toRow(value, line, i + 1);
  } else if (start !== '{' && !JSON_ENDING.test(file)) yield* readCsv(text);
  else
    for (const [i, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const parsed = parseJson(line, { strict: true });
      if ('value' in parsed) yield toRow(parsed.value, i + 1, i + 1);
      else
        yield { line: i + 1, problem: `not JSON: column ${parsed.problem.column}: ${parsed.problem.what}` };
    }
}

export function createTooManyRowsError(line: number): UsageError {
  return new UsageError(`there are more than ${MAX_ROWS.toLocaleString('en')} rows`, {
    hint: 'Split it into smaller files.',
    details: { line },
  });
}

function toRow(value: unknown, line: number, number: number): ReadRow {
  if (!isRecord(value)) return { line, problem: 'not an object' };
  return { line, number, names: Object.keys(value), cells: Object.values(value) };
}

/** A cell so long means a quote that is never closed. */
const MAX_ROW_LENGTH = 1 << 20;

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_MAX_RECORD_SIZE: 'the row is too long: is there an unclosed quote?',
  CSV_INVALID_CLOSING_QUOTE:
    'unexpected text after a closing quote (write a quote inside a quoted cell as "")',
  INVALID_OPENING_QUOTE: 'unexpected quote inside an unquoted cell (quote the whole cell)',
};

/**
 * CSV as people have it: RFC 4180, or with `;` or tab between the cells, lines ended in any way, blank lines
 * anywhere, and `sep=;` in front where Excel wrote it. Cells that a spreadsheet was kept from running are what they
 * were before.
 * @throws UsageError with `details.line` where the rest cannot be read
 */
export function* readCsv(text: string): Generator<ReadRow> {
  const [firstLine = ''] = /\S[^\n\r]*/.exec(text) ?? [];
  const [, declared] = /^"?sep=([^\p{L}\p{N}"])"?$/iu.exec(firstLine) ?? [];
  // Else the separator that stands most often in the heading, outside quotes.
  const bare = firstLine.replace(/"[^"]*"?/g, '');
  const count = (mark: string) => bare.split(mark).length - 1;
  const [common = ','] = [',', ';', '\t'].sort((one, other) => count(other) - count(one));
  const { rows, fault } = parseCells(text, declared ?? common);
  let isDeclaration = declared !== undefined;
  let [names, heading, line]: [string[] | undefined, number, number] = [undefined, 1, 1];
  for (const [index, raw] of rows.entries()) {
    // Blank ones too: they take as long to read.
    if (index >= MAX_ROWS) throw createTooManyRowsError(line);
    if (isBlank(raw) || isDeclaration) isDeclaration &&= isBlank(raw);
    else if (names === undefined) {
      const all = raw.map((name) => unescapeSpreadsheetCell(name).trim());
      names = all.slice(0, all.findLastIndex((name) => name !== '') + 1);
      heading = line;
    } else {
      const { length } = names;
      // Spreadsheets add empty cells beyond the headings.
      const cells = isBlank(raw.slice(length)) ? raw.slice(0, length) : raw;
      yield cells.length === length
        ? { line, number: line, heading, names, cells: cells.map(unescapeSpreadsheetCell) }
        : { line, problem: `${cells.length} cells, but the heading has ${length}` };
    }
    line += 1 + raw.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
  }
  if (fault !== undefined) throw new UsageError(REASONS[fault.code] ?? fault.message, { details: { line } });
}

/** All rows up to what is no CSV, and what that is; one more than may be read. */
function parseCells(text: string, delimiter: string) {
  const rows: (readonly string[])[] = [];
  const options = {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_LENGTH,
    to: MAX_ROWS + 1,
    on_record: (cells: readonly string[]) => {
      rows.push(cells);
      return null;
    },
  };
  try {
    parse(text, options);
    return { rows };
  } catch (error) {
    if (error instanceof CsvError) return { rows, fault: error };
    throw error;
  }
}

function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}
