import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../../outcome.ts';
import { unescapeSpreadsheetCell } from '../../output/spreadsheet-cell.ts';
import { MAX_ROWS } from '../../parsing/input-limits.ts';
import type { ReadRow } from './row.ts';
import { createTooManyRowsError } from './row-problems.ts';

/**
 * CSV as people have it: RFC 4180, or with `;` or tab between the cells, lines ended in any way, blank lines
 * anywhere, and `sep=;` in front where Excel wrote it. Cells that a spreadsheet was kept from running are what they were before.
 */

const SEPARATORS = [',', ';', '\t'] as const;

/** A cell so long means a quote that is never closed. */
const MAX_ROW_LENGTH = 1 << 20;

/** With its separators, which csv-parse does not count, and its quotes. */
const MAX_LINE_LENGTH = 4 * MAX_ROW_LENGTH;

const TOO_LONG = 'the row is too long: is there an unclosed quote?';

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_MAX_RECORD_SIZE: TOO_LONG,
  CSV_INVALID_CLOSING_QUOTE:
    'unexpected text after a closing quote (write a quote inside a quoted cell as "")',
  INVALID_OPENING_QUOTE: 'unexpected quote inside an unquoted cell (quote the whole cell)',
};

const NEWLINE = /\r\n|\n|\r/g;
const countNewlines = (cell: string): number => cell.match(NEWLINE)?.length ?? 0;

/** The separator that stands most often in the heading, outside quotes. */
const detectSeparator = (heading: string): string => {
  const bare = heading.replace(/"[^"]*"?/g, '');
  const count = (mark: string) => bare.split(mark).length - 1;
  return [...SEPARATORS].sort((one, other) => count(other) - count(one))[0] ?? ',';
};

/** What a first line `sep=;` says, which Excel writes and obeys; it is no heading. */
const readDeclaredSeparator = (line: string): string | undefined =>
  /^"?sep=([^\p{L}\p{N}"])"?$/iu.exec(line)?.[1];

/** The text up to the end of the first line that says anything, and the rest. Looks at each part once. */
const takeHeading = async (text: AsyncIterator<string>): Promise<string> => {
  const parts: string[] = [];
  let [length, begun] = [0, false];
  while (length < MAX_ROW_LENGTH) {
    const next = await text.next();
    if (next.done === true) break;
    const part = next.value;
    parts.push(part);
    length += part.length;
    const first = begun ? 0 : part.search(/\S/);
    begun ||= first >= 0;
    if (begun && /[\n\r]/.test(part.slice(first))) break;
  }
  return parts.join('');
};

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** A row without the empty cells beyond the headings, which spreadsheets add. */
const dropExtraCells = (cells: readonly string[], width: number): readonly string[] =>
  cells.length > width && isBlank(cells.slice(width)) ? cells.slice(0, width) : cells;

interface Line {
  /** The line it begins on, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** csv-parse, part by part: its stream would lose the rows before a fault. */
const createParser = (delimiter: string) => {
  let rows: (readonly string[])[] = [];
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_LENGTH,
    on_record: (cells: readonly string[]) => {
      rows.push(cells);
      return null;
    },
  });
  // The faults come back from each step; without a listener they would end the process too.
  parser.on('error', () => {}).resume();
  const step = async (work: (done: (error?: Error | null) => void) => void) => {
    rows = [];
    const fault = await new Promise<Error | null | undefined>((resolve) => work(resolve));
    return { rows, fault };
  };
  return {
    take: (part: string) => step((done) => parser.write(part, done)),
    end: () => step((done) => parser.end(done)),
  };
};

/**
 * How much there is of a line that has not ended behind this part.
 * @param before how much there was of it before
 * @throws UsageError for more than a row can have
 */
const measureLine = (part: string, before: number, line: number): number => {
  const end = Math.max(part.lastIndexOf('\n'), part.lastIndexOf('\r'));
  const length = end < 0 ? before + part.length : part.length - end - 1;
  if (length <= MAX_LINE_LENGTH) return length;
  throw new UsageError(TOO_LONG, { details: { line } });
};

/** @throws UsageError with the line of the first row that is not CSV */
async function* parseLines(
  head: string,
  text: AsyncIterator<string>,
  separator: string,
): AsyncGenerator<Line> {
  const parser = createParser(separator);
  let [line, count, length] = [1, 0, 0];
  for (let part: string | undefined = head; ; ) {
    const { rows, fault } = part === undefined ? await parser.end() : await parser.take(part);
    for (const cells of rows) {
      count += 1;
      // Blank ones too: they take as long to read.
      if (count > MAX_ROWS) throw createTooManyRowsError(line);
      yield { line, cells };
      line += 1 + cells.reduce((sum, cell) => sum + countNewlines(cell), 0);
    }
    if (fault instanceof CsvError)
      throw new UsageError(REASONS[fault.code] ?? fault.message, { details: { line } });
    if (fault != null) throw fault;
    if (part === undefined) return;
    length = measureLine(part, length, line);
    const next = await text.next();
    part = next.done === true ? undefined : next.value;
  }
}

/**
 * The rows below the heading.
 * @throws UsageError with `details.line` where the rest cannot be read
 */
export async function* readCsv(source: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const text = source[Symbol.asyncIterator]();
  let names: readonly string[] | undefined;
  let heading = 1;
  try {
    const head = await takeHeading(text);
    const first = head.trimStart().split(/[\n\r]/)[0] ?? '';
    const declared = readDeclaredSeparator(first);
    let isDeclaration = declared !== undefined;
    for await (const { line, cells: raw } of parseLines(head, text, declared ?? detectSeparator(first))) {
      if (isBlank(raw)) continue;
      if (isDeclaration) {
        isDeclaration = false;
        continue;
      }
      if (names === undefined) {
        const all = raw.map((name) => unescapeSpreadsheetCell(name).trim());
        names = all.slice(0, all.findLastIndex((name) => name !== '') + 1);
        heading = line;
        continue;
      }
      const cells = dropExtraCells(raw, names.length);
      if (cells.length === names.length) {
        yield { line, number: line, heading, names, cells: cells.map(unescapeSpreadsheetCell) };
      } else yield { line, problem: `${cells.length} cells, but the heading has ${names.length}` };
    }
  } finally {
    await text.return?.();
  }
}
