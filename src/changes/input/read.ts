import { UsageError } from '../../outcome.ts';
import type { ReadRow } from './row.ts';

/** A file of rows, its kind known by its ending, else by how it begins. */

type Kind = 'delimited' | 'array' | 'objects';

const CSV_ENDING = /\.(csv|tsv|tab)$/i;

/** Characters: what begins with more blanks than that has nothing to say. */
const MAX_BLANK_LENGTH = 1 << 16;

/** All that comes up to the first character that says something, and that. @throws UsageError for endless blanks */
const takeBeginning = async (text: AsyncIterator<string>): Promise<string> => {
  let head = '';
  while (head.trim() === '') {
    if (head.length > MAX_BLANK_LENGTH) throw new UsageError('it starts with too many blank lines');
    const next = await text.next();
    if (next.done === true) break;
    head += next.value;
  }
  return head;
};

const detectKind = (file: string, head: string): Kind => {
  if (CSV_ENDING.test(file)) return 'delimited';
  const first = head.trimStart()[0];
  if (first === '[') return 'array';
  return first === '{' || /\.(json|ndjson|jsonl)$/i.test(file) ? 'objects' : 'delimited';
};

async function* prepend(head: string, text: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield head;
    for (let next = await text.next(); next.done !== true; next = await text.next()) yield next.value;
  } finally {
    await text.return?.();
  }
}

/**
 * The rows of a file, in their order, while it is read.
 * @param file its name, `-` for stdin
 * @throws UsageError, with `details.line` where it is known, when the rest cannot be read
 */
export async function* readRows(file: string, source: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const text = source[Symbol.asyncIterator]();
  const head = await takeBeginning(text);
  const whole = prepend(head, text);
  const kind = detectKind(file, head);
  if (kind === 'delimited') {
    const { readCsv } = await import('./csv.ts');
    yield* readCsv(whole);
  } else {
    const { readArray, readNdjson } = await import('./json.ts');
    yield* kind === 'array' ? readArray(whole) : readNdjson(whole);
  }
}
