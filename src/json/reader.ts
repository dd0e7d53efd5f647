import { findNumberEnd, parseNumber } from './number.ts';

/**
 * Reads JSON by hand: keeps the digits of every number, knows which names come twice and how deep a text is, and
 * has an own account of what is wrong. The engine's messages differ between versions of Node and quote the text
 * around the fault, which may be a token.
 */

export interface JsonProblem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** What is wrong; quotes nothing of the text. */
  readonly what: string;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string
const STRING_END = /["\\\u0000-\u001f]/g;

const LITERALS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
type Expected = 'value' | 'first value' | 'first name' | 'name' | 'colon' | 'more' | 'end';

const MESSAGES: Readonly<Record<Expected, string>> = {
  value: 'expected a value',
  'first value': 'expected a value or ]',
  'first name': 'expected a name in double quotes or }',
  name: 'expected a name in double quotes (is there an extra comma?)',
  colon: 'expected a colon',
  more: 'expected a comma or a closing bracket',
  end: 'unexpected text after the end of the document',
};

/** An array or object that is being read. */
interface Container {
  readonly value: unknown[] | Record<string, unknown>;
  /** The name of the next value of an object. */
  name: string;
}

interface Scan {
  readonly text: string;
  readonly unique: boolean;
  readonly depth: number;
  at: number;
  /** A stack in place of recursion, so that depth cannot overflow. */
  readonly stack: Container[];
  expected: Expected;
  value: unknown;
}

/** Where the text cannot be read on. */
class JsonSyntaxError extends Error {}

const fail = (scan: Scan, what: string = MESSAGES[scan.expected]): never => {
  throw new JsonSyntaxError(scan.at < scan.text.length ? what : describeEnd(scan));
};

const describeEnd = ({ text, expected }: Scan): string => {
  if (expected === 'end') return MESSAGES.end;
  return text.trim() === '' ? 'the file is empty' : 'unexpected end of file';
};

const skipSpace = (scan: Scan): void => {
  for (;;) {
    const code = scan.text.charCodeAt(scan.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    scan.at += 1;
  }
};

const setMember = (record: Record<string, unknown>, name: string, value: unknown): void => {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
};

/** Puts a value where it belongs. */
const addValue = (scan: Scan, value: unknown): void => {
  const container = scan.stack.at(-1);
  if (container === undefined) scan.value = value;
  else if (Array.isArray(container.value)) container.value.push(value);
  else setMember(container.value, container.name, value);
};

const getExpectedNext = (scan: Scan): Expected => (scan.stack.length === 0 ? 'end' : 'more');

const openContainer = (scan: Scan, isArray: boolean): void => {
  if (scan.stack.length === scan.depth) fail(scan, `more than ${scan.depth} levels of brackets`);
  const value = isArray ? [] : {};
  addValue(scan, value);
  scan.stack.push({ value, name: '' });
  scan.expected = isArray ? 'first value' : 'first name';
  scan.at += 1;
};

const closeContainer = (scan: Scan): void => {
  scan.stack.pop();
  scan.expected = getExpectedNext(scan);
  scan.at += 1;
};

/** The text that begins at the quotation mark. */
const readString = (scan: Scan): string => {
  const { text, at: start } = scan;
  let escaped = false;
  for (scan.at += 1; ; ) {
    STRING_END.lastIndex = scan.at;
    scan.at = STRING_END.exec(text)?.index ?? text.length;
    if (scan.at === text.length) throw new JsonSyntaxError('the file ends inside a string');
    if (text[scan.at] === '"') break;
    ESCAPE.lastIndex = scan.at;
    if (text[scan.at] !== '\\') fail(scan, 'a string is not closed on its line');
    if (!ESCAPE.test(text)) fail(scan, 'an invalid escape in a string');
    scan.at = ESCAPE.lastIndex;
    escaped = true;
  }
  scan.at += 1;
  return escaped ? JSON.parse(text.slice(start, scan.at)) : text.slice(start + 1, scan.at - 1);
};

const readScalar = (scan: Scan, char: string): unknown => {
  if (char === '"') return readString(scan);
  const { text, at } = scan;
  scan.at = findNumberEnd(text, at);
  if (scan.at > at) return parseNumber(text.slice(at, scan.at));
  for (const [word, value] of Object.entries(LITERALS)) {
    if (!text.startsWith(word, at)) continue;
    scan.at += word.length;
    return value;
  }
  return fail(scan);
};

const readValue = (scan: Scan, char: string): void => {
  if (char === '[' || char === '{') return void openContainer(scan, char === '[');
  if (char === ']' && scan.expected === 'first value') return void closeContainer(scan);
  addValue(scan, readScalar(scan, char));
  scan.expected = getExpectedNext(scan);
};

const readName = (scan: Scan, char: string): void => {
  if (char === '}' && scan.expected === 'first name') return void closeContainer(scan);
  const container = scan.stack.at(-1) ?? fail(scan);
  if (char !== '"') fail(scan);
  const start = scan.at;
  container.name = readString(scan);
  if (scan.unique && Object.hasOwn(container.value, container.name)) {
    scan.at = start;
    fail(scan, 'duplicate name');
  }
  scan.expected = 'colon';
};

const readPunctuation = (scan: Scan, char: string): void => {
  const inArray = Array.isArray(scan.stack.at(-1)?.value);
  if (scan.expected === 'more' && char === (inArray ? ']' : '}')) return void closeContainer(scan);
  if (char !== { colon: ':', more: ',' }[scan.expected as string]) fail(scan);
  scan.expected = scan.expected === 'colon' || inArray ? 'value' : 'name';
  scan.at += 1;
};

const readNext = (scan: Scan, char: string): void => {
  if (scan.expected === 'value' || scan.expected === 'first value') readValue(scan, char);
  else if (scan.expected === 'name' || scan.expected === 'first name') readName(scan, char);
  else readPunctuation(scan, char);
};

const createProblem = (text: string, at: number, what: string): JsonProblem => {
  let [line, start] = [1, 0];
  for (const { 0: end, index } of text.slice(0, at).matchAll(/\r\n|\n|\r/g)) {
    line += 1;
    start = index + end.length;
  }
  return { line, column: at - start + 1, what };
};

/** @param unique whether a name that an object has twice is a problem */
export const readJson = (
  text: string,
  unique: boolean,
  depth: number,
): { readonly value: unknown } | { readonly problem: JsonProblem } => {
  const scan: Scan = { text, unique, depth, at: 0, stack: [], expected: 'value', value: undefined };
  try {
    for (;;) {
      skipSpace(scan);
      if (scan.at === text.length && scan.expected === 'end') return { value: scan.value };
      readNext(scan, text[scan.at] ?? '');
    }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { problem: createProblem(text, scan.at, error.message) };
    throw error;
  }
};
