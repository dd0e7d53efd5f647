import { isRecord } from '../../json/number.ts';
import { parseJson, parseJsonArray } from '../../json/parse.ts';
import { UsageError } from '../../outcome.ts';
import type { ReadRow } from './row.ts';

/** Rows of JSON: the objects of an array, or one on each line (NDJSON), which are read as they come. */

/** Rows with the same keys share one array of them. */
const createNameCache = () => {
  const known = new Map<string, readonly string[]>();
  return (names: readonly string[]): readonly string[] => {
    const key = JSON.stringify(names);
    const before = known.get(key) ?? names;
    known.set(key, before);
    return before;
  };
};

type ShareNames = ReturnType<typeof createNameCache>;

const toRow = (value: unknown, line: number, number: number, share: ShareNames): ReadRow =>
  isRecord(value)
    ? { line, number, names: share(Object.keys(value)), cells: Object.values(value) }
    : { line, problem: 'not an object' };

/** The lines of a text that comes in parts. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const part of text) {
    const lines = part.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield [...rest, line].join('');
      rest = [];
    }
    rest.push(last);
  }
  yield rest.join('');
}

export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const share = createNameCache();
  let number = 0;
  for await (const line of splitLines(text)) {
    number += 1;
    if (line.trim() === '') continue;
    const parsed = parseJson(line, { strict: true });
    if ('value' in parsed) yield toRow(parsed.value, number, number, share);
    else {
      const { column, what } = parsed.problem;
      yield { line: number, problem: `not JSON: column ${column}: ${what}` };
    }
  }
}

/**
 * The rows of an array, which is read as a whole.
 * @throws UsageError with `details.line` for what is no JSON
 */
export async function* readArray(text: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const parts: string[] = [];
  for await (const part of text) parts.push(part);
  const parsed = parseJsonArray(parts.join(''));
  if ('problem' in parsed) {
    const { line, column, what } = parsed.problem;
    throw new UsageError(`not JSON: column ${column}: ${what}`, { details: { line } });
  }
  const share = createNameCache();
  for (const [index, { value, line }] of parsed.elements.entries())
    yield toRow(value, line, index + 1, share);
}
