import { parseNumber } from './number.ts';

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

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string
const ENDS_TEXT = /["\\\u0000-\u001f]/g;

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
type Expected = 'value' | 'first value' | 'first name' | 'name' | 'colon' | 'more' | 'end';

const WORDING: Readonly<Record<Expected, string>> = {
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
  readonly open: Container[];
  expected: Expected;
  value: unknown;
}

/** Where the text cannot be read on. */
class Fault extends Error {}

const fail = (scan: Scan, what: string = WORDING[scan.expected]): never => {
  throw new Fault(scan.at < scan.text.length ? what : endingOf(scan));
};

const endingOf = ({ text, expected }: Scan): string => {
  if (expected === 'end') return WORDING.end;
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
const put = (scan: Scan, value: unknown): void => {
  const container = scan.open.at(-1);
  if (container === undefined) scan.value = value;
  else if (Array.isArray(container.value)) container.value.push(value);
  else setMember(container.value, container.name, value);
};

const afterValue = (scan: Scan): Expected => (scan.open.length === 0 ? 'end' : 'more');

const openContainer = (scan: Scan, isArray: boolean): void => {
  if (scan.open.length === scan.depth) fail(scan, `more than ${scan.depth} levels of brackets`);
  const value = isArray ? [] : {};
  put(scan, value);
  scan.open.push({ value, name: '' });
  scan.expected = isArray ? 'first value' : 'first name';
  scan.at += 1;
};

const closeContainer = (scan: Scan): void => {
  scan.open.pop();
  scan.expected = afterValue(scan);
  scan.at += 1;
};

/** The text that begins at the quotation mark. */
const takeText = (scan: Scan): string => {
  const { text, at: start } = scan;
  let escaped = false;
  for (scan.at += 1; ; ) {
    ENDS_TEXT.lastIndex = scan.at;
    scan.at = ENDS_TEXT.exec(text)?.index ?? text.length;
    if (scan.at === text.length) throw new Fault('the file ends inside a string');
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

const takeScalar = (scan: Scan, char: string): unknown => {
  if (char === '"') return takeText(scan);
  const { text, at } = scan;
  NUMBER.lastIndex = at;
  if (NUMBER.test(text)) {
    scan.at = NUMBER.lastIndex;
    return parseNumber(text.slice(at, scan.at));
  }
  for (const [word, value] of Object.entries(WORDS)) {
    if (!text.startsWith(word, at)) continue;
    scan.at += word.length;
    return value;
  }
  return fail(scan);
};

const takeValue = (scan: Scan, char: string): void => {
  if (char === '[' || char === '{') return void openContainer(scan, char === '[');
  if (char === ']' && scan.expected === 'first value') return void closeContainer(scan);
  put(scan, takeScalar(scan, char));
  scan.expected = afterValue(scan);
};

const takeName = (scan: Scan, char: string): void => {
  if (char === '}' && scan.expected === 'first name') return void closeContainer(scan);
  const container = scan.open.at(-1) ?? fail(scan);
  if (char !== '"') fail(scan);
  const start = scan.at;
  container.name = takeText(scan);
  if (scan.unique && Object.hasOwn(container.value, container.name)) {
    scan.at = start;
    fail(scan, 'duplicate name');
  }
  scan.expected = 'colon';
};

const takeMark = (scan: Scan, char: string): void => {
  const inArray = Array.isArray(scan.open.at(-1)?.value);
  if (scan.expected === 'more' && char === (inArray ? ']' : '}')) return void closeContainer(scan);
  if (char !== { colon: ':', more: ',' }[scan.expected as string]) fail(scan);
  scan.expected = scan.expected === 'colon' || inArray ? 'value' : 'name';
  scan.at += 1;
};

const step = (scan: Scan, char: string): void => {
  if (scan.expected === 'value' || scan.expected === 'first value') takeValue(scan, char);
  else if (scan.expected === 'name' || scan.expected === 'first name') takeName(scan, char);
  else takeMark(scan, char);
};

const problemAt = (text: string, at: number, what: string): JsonProblem => {
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
  const scan: Scan = { text, unique, depth, at: 0, open: [], expected: 'value', value: undefined };
  try {
    for (;;) {
      skipSpace(scan);
      if (scan.at === text.length && scan.expected === 'end') return { value: scan.value };
      step(scan, text[scan.at] ?? '');
    }
  } catch (error) {
    if (error instanceof Fault) return { problem: problemAt(text, scan.at, error.message) };
    throw error;
  }
};
