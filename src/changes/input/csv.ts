import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../errors.ts';
import { unescapeSpreadsheetCell } from '../../output/spreadsheet-cell.ts';
import { MAX_ROWS } from '../../parsing/text.ts';
import type { ReadRow } from './row.ts';
import { createTooManyRowsError } from './row-problems.ts';

/**
 * CSV as people have it: RFC 4180, or with `;` or tab between the cells, lines ended in any way, blank lines
 * anywhere, and `sep=;` in front where Excel wrote it. Cells that a spreadsheet was kept from running are what they were before.
 */

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
 * The rows below the heading.
 * @throws UsageError with `details.line` where the rest cannot be read
 */
export function* readCsv(text: string): Generator<ReadRow> {
  const [firstLine = ''] = /\S[^\n\r]*/.exec(text) ?? [];
  // What Excel writes and obeys; it is no heading.
  const [, declared] = /^"?sep=([^\p{L}\p{N}"])"?$/iu.exec(firstLine) ?? [];
  const { rows, fault } = parseCells(text, declared ?? detectSeparator(firstLine));
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
    } else yield toRow(raw, names, line, heading);
    line += 1 + raw.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
  }
  if (fault !== undefined) throw new UsageError(REASONS[fault.code] ?? fault.message, { details: { line } });
}

/** The separator that stands most often in the heading, outside quotes. */
function detectSeparator(heading: string): string {
  const bare = heading.replace(/"[^"]*"?/g, '');
  const count = (mark: string) => bare.split(mark).length - 1;
  return [',', ';', '\t'].sort((one, other) => count(other) - count(one))[0] ?? ',';
}

/** All rows up to what is no CSV, and what that is; one more than may be read. */
function parseCells(text: string, delimiter: string) {
  const rows: (readonly string[])[] = [];
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_ROW_LENGTH,
      to: MAX_ROWS + 1,
      on_record: (cells: readonly string[]) => {
        rows.push(cells);
        return null;
      },
    });
    return { rows };
  } catch (error) {
    if (error instanceof CsvError) return { rows, fault: error };
    throw error;
  }
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Spreadsheets add empty cells beyond the headings. */
function toRow(raw: readonly string[], names: readonly string[], line: number, heading: number): ReadRow {
  const { length } = names;
  const cells = raw.length > length && isBlank(raw.slice(length)) ? raw.slice(0, length) : raw;
  if (cells.length !== length)
    return { line, problem: `${cells.length} cells, but the heading has ${length}` };
  return { line, number: line, heading, names, cells: cells.map(unescapeSpreadsheetCell) };
}
