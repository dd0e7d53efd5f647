import { UsageError } from '../../errors.ts';
import { isRecord, parseJson, parseJsonArray } from '../../json.ts';
import type { ReadRow } from './row.ts';

/** A file as text, and its rows, whose kind is known by its ending, else by how it begins. */

const CSV_ENDING = /\.(csv|tsv|tab)$/i;
const JSON_ENDING = /\.(json|ndjson|jsonl)$/i;

/**
 * The rows of a file, in their order.
 * @param file its name, `-` for stdin
 * @throws UsageError, with `details.line` where it is known, when the rest cannot be read
 */
export async function* readRows(file: string, text: string): AsyncGenerator<ReadRow> {
  const start = CSV_ENDING.test(file) ? undefined : /\S/.exec(text)?.[0];
  if (start === '[') yield* readArray(text);
  else if (start === '{' || JSON_ENDING.test(file)) yield* readNdjson(text);
  else yield* (await import('./csv.ts')).readCsv(text);
}

/** The objects of an array. @throws UsageError with `details.line` for what is no JSON */
export function* readArray(text: string): Generator<ReadRow> {
  const parsed = parseJsonArray(text);
  if ('problem' in parsed) {
    const { line, column, what } = parsed.problem;
    throw new UsageError(`not JSON: column ${column}: ${what}`, { details: { line } });
  }
  const shareNames = createNameCache();
  for (const [index, { value, line }] of parsed.elements.entries())
    yield toRow(value, line, index + 1, shareNames);
}

function* readNdjson(text: string): Generator<ReadRow> {
  const shareNames = createNameCache();
  let number = 0;
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(from, end);
    from = end + 1;
    number += 1;
    if (line.trim() === '') continue;
    const parsed = parseJson(line, { strict: true });
    if ('value' in parsed) yield toRow(parsed.value, number, number, shareNames);
    else yield { line: number, problem: `not JSON: column ${parsed.problem.column}: ${parsed.problem.what}` };
  }
}

type ShareNames = ReturnType<typeof createNameCache>;

/** Rows with the same keys share one array of them. */
function createNameCache() {
  const known = new Map<string, readonly string[]>();
  return (names: readonly string[]): readonly string[] => {
    const key = JSON.stringify(names);
    const before = known.get(key) ?? names;
    known.set(key, before);
    return before;
  };
}

function toRow(value: unknown, line: number, number: number, shareNames: ShareNames): ReadRow {
  return isRecord(value)
    ? { line, number, names: shareNames(Object.keys(value)), cells: Object.values(value) }
    : { line, problem: 'not an object' };
}

/** What Excel and others save workbooks as: a zip file; of old, an OLE container. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];

/** UTF-8, or UTF-16 where the byte order mark says so; the mark is taken off. @throws UsageError for what is no text */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (WORKBOOKS.includes(Buffer.from(bytes.subarray(0, 4)).toString('hex')))
    throw new UsageError('it is a spreadsheet file, not text', {
      hint: 'Save the sheet as CSV ("CSV UTF-8" in Excel) and use that file.',
    });
  // Columns and JSON begin with ASCII, of which UTF-16 makes a zero byte before or after the character.
  if (second !== undefined && (first === 0) !== (second === 0))
    throw new UsageError('it looks like UTF-16 without a byte order mark', {
      hint: `Save it as UTF-8, or convert it: iconv -f ${first === 0 ? 'utf-16be' : 'utf-16le'} -t utf-8`,
    });
  if (first === 0) throw new UsageError('it is not text: it starts with zero bytes');
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError('it is not UTF-8 text', {
      hint: 'Save it as "CSV UTF-8", or convert it: iconv -f latin1 -t utf-8',
      cause: error,
    });
  }
}
