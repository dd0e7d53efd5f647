/** A longer text is no number: a pattern over millions of digits overflows the engine's stack. */
const MAX_LENGTH = 1_000;

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
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** What is wrong; quotes nothing of the text, which may be a token. */
  readonly what: string;
}

export type JsonResult =
  | {
      readonly value: unknown;
      readonly rounded?: ReadonlyMap<number, string>;
      readonly lines?: readonly number[];
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
    const empty = { line: 1, column: 1, what: 'the file is empty' };
    return { problem: stripped.trim() === '' ? empty : (scan(stripped, strict, depth).problem ?? empty) };
  }
  const rounded = new Map<number, string>();
  const isShallow = walk(value, depth, '', rounded);
  if (strict || !isShallow) {
    const { problem, lines } = scan(stripped, strict, depth);
    return problem === undefined ? { value, lines } : { problem };
  }
  return rounded.size === 0 ? { value } : { value, rounded };
}

/** The elements of an array from outside, each with the line that it begins on. Never throws. */
export function parseJsonArray(text: string) {
  const parsed = parseJson(text, { strict: true });
  if ('problem' in parsed) return parsed;
  if (!Array.isArray(parsed.value)) return { problem: { line: 1, column: 1, what: 'it is not an array' } };
  const { value, lines } = parsed;
  return { elements: value.map((each: unknown, index) => ({ value: each, line: lines?.[index] ?? 1 })) };
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
 * What the engine does not tell, whose messages differ between versions of Node and quote the text. Without recursion.
 * @returns the first thing that is wrong, and the lines on which the elements of an outermost array begin
 */
function scan(text: string, strict: boolean, depth: number): { problem?: JsonProblem; lines: number[] } {
  /** Of each level that is open: the names that its object has so far; undefined of an array. */
  const open: (Set<string> | undefined)[] = [];
  const lines: number[] = [];
  let [at, line, lineStart, expected] = [0, 1, 0, VALUE];
  for (;;) {
    SPACE.lastIndex = at;
    const space = SPACE.exec(text)?.[0] ?? '';
    if (space.includes('\n')) lineStart = at + space.lastIndexOf('\n') + 1;
    line += space.split('\n').length - 1;
    at += space.length;
    if (at >= text.length && expected === '') return { lines };
    const token = readToken(text, at);
    const kind = /^[-tfn\d]/.test(token) ? 'v' : token.slice(0, 1);
    if (open.length === 1 && open[0] === undefined && !',]'.includes(kind)) lines.push(line);
    let what =
      at >= text.length ? 'unexpected end of file' : findProblem(token, kind, expected, strict && open);
    expected = follow(kind, expected, open);
    if (open.length > depth) what ??= `more than ${depth} levels of brackets`;
    if (what !== undefined) return { problem: { line, column: at - lineStart + 1, what }, lines };
    at += token.length;
  }
}

/** What may come next, by the beginnings of tokens. `v`: a number, `true`, `false` or `null`. */
const VALUE = '{["v';
const NAME = '"}';

function follow(kind: string, expected: string, open: (Set<string> | undefined)[]): string {
  if (kind === '{' || kind === '[') open.push(kind === '{' ? new Set() : undefined);
  if (kind === '{') return NAME;
  if (kind === '[') return `${VALUE}]`;
  if (kind === ':') return VALUE;
  if (kind === '"' && NAME.startsWith(expected)) return ':';
  if (kind === ',') return open.at(-1) === undefined ? VALUE : '"';
  if (kind === '}' || kind === ']') open.pop();
  if (open.length === 0) return '';
  return open.at(-1) === undefined ? ',]' : ',}';
}

function findProblem(
  token: string,
  kind: string,
  expected: string,
  open: false | (Set<string> | undefined)[],
) {
  if (kind === '' || !expected.includes(kind)) return 'invalid JSON';
  if (open === false) return undefined;
  if (kind === 'v' && isRounded(Number(token))) return 'a number with more digits than can be kept';
  if (kind !== '"' || !NAME.startsWith(expected)) return undefined;
  const [names, name] = [open.at(-1), JSON.parse(token)];
  if (names?.has(name)) return 'duplicate name';
  names?.add(name);
  return undefined;
}

const SPACE = /[ \t\r\n]*/y;
const WORD = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function readToken(text: string, at: number): string {
  if (text[at] !== '"') {
    WORD.lastIndex = at;
    return WORD.exec(text)?.[0] ?? '';
  }
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  const token = text.slice(at, end + 1);
  try {
    JSON.parse(token);
    return token;
  } catch {
    return '';
  }
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
