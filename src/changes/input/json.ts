import { isRecord } from '../../json/number.ts';
import { parseJson } from '../../json/parse.ts';
import { UsageError } from '../../outcome.ts';
import type { ReadRow } from './row.ts';

/** Rows of JSON: the objects of an array, or one on each line (NDJSON). Read as the text comes, whatever its size. */

interface Piece {
  readonly text: string;
  /** The line it begins on, from 1. */
  readonly line: number;
}

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

const parseRow = (
  { text, line }: Piece,
  number: number,
  share: (names: readonly string[]) => readonly string[],
): ReadRow => {
  const parsed = parseJson(text, { strict: true });
  if ('problem' in parsed) {
    const { line: below, column, what } = parsed.problem;
    return { line: line + below - 1, problem: `not JSON: column ${column}: ${what}` };
  }
  const { value } = parsed;
  if (!isRecord(value)) {
    return { line, problem: 'not an object' };
  }
  return { line, number, names: share(Object.keys(value)), cells: Object.values(value) };
};

/** The lines of a text that comes in parts. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<Piece> {
  let rest: string[] = [];
  let line = 0;
  for await (const part of text) {
    const lines = part.split('\n');
    const last = lines.pop() ?? '';
    for (const one of lines) {
      line += 1;
      yield { text: [...rest, one].join(''), line };
      rest = [];
    }
    rest.push(last);
  }
  yield { text: rest.join(''), line: line + 1 };
}

export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const share = createNameCache();
  for await (const piece of splitLines(text)) {
    if (piece.text.trim() !== '') yield parseRow(piece, piece.line, share);
  }
}

const MARK = /["\\[\]{},\n]/g;

/** Where a reader of an array stands. */
interface Scan {
  depth: number;
  /** The line it has come to. */
  line: number;
  /** The line of the last cut. */
  from: number;
  quoted: boolean;
  /** The part ended after a backslash. */
  escaped: boolean;
  /** What has come since the last cut. */
  held: string;
  ended: boolean;
}

/** Whether an element ends or begins at this mark: the bracket that opens the array, its commas, the one that closes it. */
const isBoundary = (scan: Scan, mark: string): boolean => {
  if (mark === '\n') scan.line += 1;
  if (mark === '"') scan.quoted = !scan.quoted;
  if (scan.quoted) return false;
  if (mark === '[' || mark === '{') {
    scan.depth += 1;
    return scan.depth === 1;
  }
  if (mark === ']' || mark === '}') {
    scan.depth -= 1;
    scan.ended = scan.depth === 0;
    return scan.ended;
  }
  return mark === ',' && scan.depth === 1;
};

/** The text of one element, or nothing before the bracket that opens the array and after the last comma. */
const takeElement = (scan: Scan, opens: boolean, last: boolean): Piece[] => {
  const { held, from } = scan;
  scan.held = '';
  scan.from = scan.line;
  const text = held.trim();
  if (opens || (last && text === '')) return [];
  const lead = held.length - held.trimStart().length;
  return [{ text, line: from + held.slice(0, lead).split('\n').length - 1 }];
};

/** Cuts the next part of an array at its commas. */
const splitElements = (scan: Scan, part: string): Piece[] => {
  const pieces: Piece[] = [];
  let start = 0;
  let skipped = scan.escaped ? 0 : -1;
  scan.escaped = false;
  for (const { 0: mark, index } of part.matchAll(MARK)) {
    if (index === skipped || scan.ended) continue;
    if (mark === '\\') {
      skipped = index + 1;
      scan.escaped = skipped === part.length;
      continue;
    }
    const opens = scan.depth === 0;
    if (!isBoundary(scan, mark)) continue;
    scan.held += part.slice(start, index);
    for (const piece of takeElement(scan, opens, scan.ended)) pieces.push(piece);
    start = index + 1;
  }
  scan.held += part.slice(start);
  return pieces;
};

/**
 * The rows of an array.
 * @throws UsageError with `details.line` where the array ends too early, or something follows it
 */
export async function* readArray(text: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const share = createNameCache();
  const scan = { depth: 0, line: 1, from: 1, quoted: false, escaped: false, held: '', ended: false };
  let number = 0;
  for await (const part of text) {
    for (const piece of splitElements(scan, part)) {
      number += 1;
      yield parseRow(piece, number, share);
    }
  }
  const { line } = scan;
  if (!scan.ended) throw new UsageError('not JSON: unexpected end of file', { details: { line } });
  if (scan.held.trim() !== '') {
    throw new UsageError('not JSON: unexpected text after the end of the array', { details: { line } });
  }
}
