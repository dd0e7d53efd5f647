import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import type { NamedKind } from '../../api/records.ts';
import { takeTurn } from '../../clock.ts';
import type { CheckedValue, UnresolvedNames } from '../../commands/values.ts';
import { collectProblems, EXIT, UsageError } from '../../errors.ts';
import { isRecord, parseJson, parseJsonArray } from '../../json.ts';
import { unescapeSpreadsheetCell } from '../../output/safe-text.ts';
import { MAX_ROWS, shortenText } from '../../parsing/text.ts';
import type { Run } from '../../run.ts';
import type { Write } from '../change.ts';
import { pluralize } from '../report.ts';
import { checkAnswerable, checkTarget } from '../select.ts';
import { type CheckedRow, type InputCell, openRowSchema, type RowSchema } from './columns.ts';
import { decodeText, isNameError, nameInput, RowProblems, readBytes } from './files.ts';

/**
 * The rows of `--from-file`: all are checked, all names in them looked up, each once, and all that is wrong is told
 * together before the first write.
 */

interface ReadRow extends CheckedRow {
  readonly line: number;
  readonly number: number;
  readonly isWhole: boolean;
}

export type InputRows = Awaited<ReturnType<typeof readInputFile>>;
export type InputRow = InputRows['rows'][number];

/**
 * Reads and checks every row before the first request, then looks every name up once.
 * @param skipMissing whether names of nothing are passed over
 * @returns `input`: the file by its whole path, and the SHA-256 of its bytes as hexadecimal digits; `before`: the cells of
 *   an earlier export, by what names their records
 * @throws UsageError that tells all that is wrong, with file and line; Failure (exit 5) for names of nothing
 */
export async function readInputFile(run: Run, work: Write, skipMissing: boolean) {
  const { invocation, calendar, extra, output } = run;
  const { base } = invocation.options;
  const file = String(invocation.options.fromFile);
  const name = nameInput(file);
  const schema = openRowSchema(invocation, calendar, extra);
  const problems = new RowProblems(name);
  const read: ReadRow[] = [];
  let others = 0;
  const sha256 = await readSheet(run, file, schema, problems, (row) => {
    const { isOther, isExported, isWhole, checked, target } = row;
    if (isOther) {
      others += 1;
      return;
    }
    const given = resolveRowValues(checked, ({ texts }) => texts);
    if (isWhole && !isExported && target === undefined) work.call('', given).check();
    else if (isWhole && !isExported) checkTarget(work, target ?? '', given);
    read.push(row);
  });
  if (read.length === 0) {
    problems.throwIfAny();
    if (others > 0) throw new UsageError(`${name} has no rows for this command`, { code: 'invalid_input' });
  }
  // Rows that are the same write are counted once, which is not known before their names are.
  const count = work.targets === undefined ? read.length : Math.min(read.length, 1);
  if (problems.count === 0) await checkAnswerable(run, work, count);
  const { ids, missing } = await lookUpAll(run, read, work, skipMissing, problems);
  const idOf = (kind: string, text: string): string => ids.get(`${kind}\n${text}`) ?? text;
  // Two rows about the same record are a mistake, where the command says so.
  const lines = new Map<string, number>();
  const rows = read.map((row) => {
    const { line, target, checked } = row;
    const id = target === undefined ? undefined : idOf('target', target);
    const values = resolveRowValues(checked, ({ kind, texts }) => texts.map((text) => idOf(kind, text)));
    const own = work.once === true ? work.target?.(values)?.toLowerCase() : undefined;
    const key = work.record === undefined ? own : id;
    const first = key === undefined ? undefined : lines.get(key);
    if (first !== undefined)
      problems.add(line, `${shortenText(target ?? key ?? '')} is already in line ${first}`);
    else if (key !== undefined) lines.set(key, line);
    return { ...row, id, values, missing: target !== undefined && missing.has(target) };
  });
  problems.throwIfAny();
  if (others > 0) output.note(`Skipped ${pluralize(others, ['row', 'rows'])} for other commands.`);
  const input = file === '-' ? undefined : { file: resolve(file), sha256 };
  if (typeof base !== 'string') return { name, rows, input, before: undefined };
  const baseProblems = new RowProblems(nameInput(base));
  const before = new Map<string, readonly InputCell[]>();
  await readSheet(run, base, schema, baseProblems, ({ target, cells = [] }) => {
    if (target !== undefined) before.set(target, cells);
  });
  baseProblems.throwIfAny();
  return { name, rows, input, before };
}

export function resolveRowValues(
  values: readonly CheckedValue[],
  ids: (wanted: UnresolvedNames) => readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );
}

/**
 * Reads a file and checks each row by itself.
 * @param add gets each row; what it throws is a problem of that row
 * @returns the SHA-256 of the bytes as hexadecimal digits
 * @throws UsageError where the file cannot be read
 */
async function readSheet(
  { machine }: Run,
  file: string,
  schema: RowSchema,
  problems: RowProblems,
  add: (row: ReadRow) => void,
): Promise<string> {
  let bytes: Buffer = Buffer.alloc(0);
  const seen = new Set<object>();
  let count = 0;
  try {
    bytes = await readBytes(machine, file);
    for (const row of readRows(file, decodeText(bytes))) {
      const { line } = row;
      count += 1;
      // A signal need not wait for the last row.
      if (count % 500 === 0) await takeTurn();
      if (count > MAX_ROWS) throw createTooManyRowsError(line);
      if ('problem' in row) problems.add(line, row.problem);
      else checkRow(row, schema, problems, seen, add);
    }
  } catch (error) {
    if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
    const { line } = error.details;
    const rest = line === undefined ? '' : '; the rest was not read';
    problems.add(typeof line === 'number' ? line : undefined, `${error.message}${rest}`, error.hint);
  }
  return createHash('sha256').update(bytes).digest('hex');
}

/** @param seen layouts whose problems have been told */
function checkRow(
  { line, number, names, cells, separator, heading = line }: RawRow,
  schema: RowSchema,
  problems: RowProblems,
  seen: Set<object>,
  add: (row: ReadRow) => void,
): void {
  const layout = schema.getLayout(names);
  const wrong = layout.problems;
  if (!seen.has(layout)) for (const { text, hint } of wrong) problems.add(heading, text, hint);
  seen.add(layout);
  const checked = schema.check(names, cells, separator);
  if (!checked.isOther) for (const problem of checked.problems) problems.add(line, problem, checked.hint);
  const isWhole = wrong.length === 0 && checked.problems.length === 0;
  const errors: UsageError[] = [];
  collectProblems(errors, () => add({ ...checked, line, number, isWhole }));
  for (const { message, hint } of errors) problems.add(line, message, hint);
}

/**
 * Looks each name up once, in the order of the rows; what is not among the ids is an id already.
 * @throws what is not about a name: no network, not signed in; but what is wrong with the file comes before it
 */
async function lookUpAll(
  { lookUps }: Run,
  rows: readonly ReadRow[],
  { resolve }: Write,
  skipMissing: boolean,
  problems: RowProblems,
) {
  const names = listNames(rows, resolve !== undefined);
  const among = new Map<string, string[]>(names.map(({ kind }) => [kind, []]));
  for (const { kind, text } of names) among.get(kind)?.push(text);
  const ids = new Map<string, string>();
  const missing = new Set<string>();
  for (const { kind, text, line } of names) {
    const texts = among.get(kind);
    try {
      const id = await (kind === 'target' ? resolve?.(text, texts) : lookUps.find(kind, text, texts));
      if (id !== undefined) ids.set(`${kind}\n${text}`, id);
    } catch (error) {
      if (!isNameError(error)) problems.throwIfAny();
      if (!isNameError(error)) throw error;
      const { hint, exit } = error;
      if (kind === 'target' && skipMissing && exit === EXIT.notFound) missing.add(text);
      else problems.add(line, error.tell('\n'), hint, exit);
    }
  }
  return { ids, missing };
}

function listNames(rows: readonly ReadRow[], hasTargets: boolean) {
  const names = new Map<string, { kind: NamedKind | 'target'; text: string; line: number }>();
  for (const { line, target, checked } of rows) {
    const own = target === undefined || !hasTargets ? [] : [{ kind: 'target' as const, texts: [target] }];
    for (const { kind, texts } of [...own, ...checked.flatMap(({ wanted }) => wanted ?? [])])
      for (const text of texts)
        if (!names.has(`${kind}\n${text}`)) names.set(`${kind}\n${text}`, { kind, text, line });
  }
  return [...names.values()];
}

export interface RawRow {
  readonly line: number;
  readonly number: number;
  /** The line of the headings, where they have one of their own. */
  readonly heading?: number;
  /** Of CSV: what stands between its cells. */
  readonly separator?: string;
  readonly names: readonly string[];
  /** One for each heading: text in CSV, any JSON elsewhere. */
  readonly cells: readonly unknown[];
}

/** One that cannot be read has a problem; the rows after it can. */
export type FileRow = RawRow | { readonly line: number; readonly problem: string };

const CSV_ENDING = /\.(csv|tsv|tab)$/i;
const JSON_ENDING = /\.(json|ndjson|jsonl)$/i;

/**
 * The rows of a file, in their order; its kind is known by its ending, else by how it begins.
 * @param file its name, `-` for stdin
 * @throws UsageError, with `details.line` where it is known, when the rest cannot be read
 */
export function* readRows(file: string, text: string): Generator<FileRow> {
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

function toRow(value: unknown, line: number, number: number): FileRow {
  if (!isRecord(value)) return { line, problem: 'not an object' };
  return { line, number, names: Object.keys(value), cells: Object.values(value) };
}

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
export function* readCsv(text: string): Generator<FileRow> {
  const [firstLine = ''] = /\S[^\n\r]*/.exec(text) ?? [];
  const [, declared] = /^"?sep=([^\p{L}\p{N}"])"?$/iu.exec(firstLine) ?? [];
  // Else the separator that stands most often in the heading, outside quotes.
  const bare = firstLine.replace(/"[^"]*"?/g, '');
  const count = (mark: string) => bare.split(mark).length - 1;
  const [common = ','] = [',', ';', '\t'].sort((one, other) => count(other) - count(one));
  const separator = declared ?? common;
  const { rows, fault } = parseCells(text, separator);
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
        ? { line, number: line, heading, separator, names, cells: cells.map(unescapeSpreadsheetCell) }
        : { line, problem: `${pluralize(cells.length, ['cell', 'cells'])}, but the heading has ${length}` };
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
