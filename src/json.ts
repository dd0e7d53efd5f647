import { visit } from 'jsonc-parser';

/** A longer text is no number: a pattern over millions of digits overflows the engine's stack. */
const MAX_LENGTH = 1_000;

/** A number without a power of ten: `48.60`, `-007`. */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_LENGTH && /^-?\d+(?:\.\d+)?$/.test(text);
}

/** Whether the digits of a number may be others than those that were read. */
export function isRounded(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** The number that a value is or says (`48.60`, `007`, `1e3`); `NaN` where it is none, or has more digits than are kept. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return Number.NaN;
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value.trim())) return Number.NaN;
  const number = Number(value);
  return isRounded(number) ? Number.NaN : number;
}

/** An object that has members: not null, no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same; members of objects in any order. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, i) => isSameJson(item, other[i]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

/**
 * JSON that comes from outside: answers, files, stdin, deliveries, journals. Nothing is deeper than `MAX_DEPTH`, so
 * that whatever walks a value may do so by recursion. The engine has rounded integers beyond 2^53 before they can be
 * looked at: they are named, so that no record is ever written to by such an id.
 */

export interface JsonProblem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** What is wrong; quotes nothing of the text, which may be a token. */
  readonly what: string;
}

export type JsonResult =
  | {
      readonly value: unknown;
      /** Integers that JavaScript cannot keep, rounded, by the name of their field. */
      readonly rounded?: ReadonlyMap<number, string>;
    }
  | { readonly problem: JsonProblem; readonly rounded?: undefined };

/** Levels of arrays and objects. Records have a few; what is deeper by far would overflow the stack of its reader. */
export const MAX_DEPTH = 200;

/** What the program wrote down itself has a value from outside within a few levels of its own. */
export const STORED_DEPTH = MAX_DEPTH + 8;

/**
 * Accepts a byte order mark, which editors on Windows add. Never throws.
 * @param strict of input: a name that an object has twice is a problem, and so is a number that JavaScript cannot keep
 * @param depth levels that are read
 */
export function parseJson(text: string, { strict = false, depth = MAX_DEPTH } = {}): JsonResult {
  const stripped = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(stripped);
  } catch {
    const { problem = { line: 1, column: 1, what: 'invalid JSON' } } = scan(stripped, strict, depth);
    return { problem };
  }
  const rounded = new Map<number, string>();
  const isShallow = walk(value, depth, '', rounded);
  const { problem } = strict || !isShallow ? scan(stripped, strict, depth) : {};
  if (problem !== undefined) return { problem };
  return rounded.size === 0 ? { value } : { value, rounded };
}

/** The elements of an array from outside, each with the line that it begins on. Never throws. */
export function parseJsonArray(text: string) {
  const parsed = parseJson(text, { strict: true });
  if ('problem' in parsed) return parsed;
  if (!Array.isArray(parsed.value)) return { problem: { line: 1, column: 1, what: 'it is not an array' } };
  const { lines } = scan(text, true, MAX_DEPTH);
  return { elements: parsed.value.map((value: unknown, index) => ({ value, line: lines[index] ?? 1 })) };
}

/** The value of a text, or undefined for one that cannot be used. */
export function parseJsonValue(text: string, depth = MAX_DEPTH): unknown {
  const result = parseJson(text, { depth });
  return 'value' in result ? result.value : undefined;
}

/** Whether a value is within the depth. Copies nothing: a page may have millions of values. */
function walk(value: unknown, levels: number, field: string, rounded: Map<number, string>): boolean {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) rounded.set(value, field);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((each) => walk(each, levels - 1, field, rounded));
  for (const name in value)
    if (!walk((value as Record<string, unknown>)[name], levels - 1, name, rounded)) return false;
  return true;
}

/**
 * What the engine does not tell, whose messages differ between versions of Node and quote the text.
 * @returns the first thing that is wrong, and the lines on which the elements of an outermost array begin
 */
function scan(text: string, strict: boolean, depth: number): { problem?: JsonProblem; lines: number[] } {
  const lines: number[] = [];
  if (text.trim() === '') return { problem: { line: 1, column: 1, what: 'the file is empty' }, lines };
  const problems: (JsonProblem & { readonly offset: number })[] = [];
  /** Of each level that is open: the names that its object has so far. */
  const names: Set<string>[] = [];
  const add = (what: string, offset: number, line: number, column: number) =>
    problems.push({ what, offset, line: line + 1, column: column + 1 });
  const open = (offset: number, _: number, line: number, column: number): boolean => {
    if (names.length === 1) lines.push(line + 1);
    names.push(new Set());
    if (names.length > depth) add(`more than ${depth} levels of brackets`, offset, line, column);
    return names.length <= depth;
  };
  const close = (): void => void names.pop();
  const end = text.trimEnd().length;
  try {
    visit(
      text,
      {
        onObjectBegin: open,
        onObjectEnd: close,
        onArrayBegin: open,
        onArrayEnd: close,
        onObjectProperty: (name, offset, _length, line, column) => {
          if (strict && names.at(-1)?.has(name)) add('duplicate name', offset, line, column);
          names.at(-1)?.add(name);
        },
        onLiteralValue: (value, offset, _length, line, column) => {
          if (names.length === 1) lines.push(line + 1);
          if (strict && typeof value === 'number' && isRounded(value))
            add('a number with more digits than can be kept', offset, line, column);
        },
        onError: (_code, offset, _length, line, column) =>
          add(offset >= end ? 'unexpected end of file' : 'invalid JSON', offset, line, column),
      },
      { disallowComments: true },
    );
  } catch (error) {
    // Levels beyond the depth are not reported, but they are still read, by recursion.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = problems.sort((one, other) => one.offset - other.offset);
  if (first === undefined) return { lines };
  return { problem: { line: first.line, column: first.column, what: first.what }, lines };
}

/**
 * As `JSON.stringify`, where `undefined` becomes `null`.
 * @param indent spaces; 0 for one line
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, indent) ?? 'null';
}

/** A JSON value as text: a text as it is, nothing for null, JSON for what is nested. Never throws. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : stringifyJson(value);
}
