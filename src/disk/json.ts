/**
 * Reading JSON with an own account of what is wrong. The engine's messages differ between versions of Node and
 * quote the text around the fault, which may be a token.
 */

export interface JsonProblem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** What is wrong; quotes nothing of the text. */
  readonly what: string;
}

export type JsonResult = { readonly value: unknown } | { readonly problem: JsonProblem };

/** Accepts a byte order mark, which editors on Windows add. */
export const parseJson = (text: string): JsonResult => {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { value: JSON.parse(plain) };
  } catch {
    return { problem: problemOf(plain) };
  }
};

const problemOf = (text: string): JsonProblem => {
  try {
    return locate(text);
  } catch {
    // A text of many megabytes can be too much for the patterns below.
    return { line: 1, column: 1, what: 'it is not JSON' };
  }
};

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, up to the first fault
const STRING_START = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

type Expected = 'value' | 'first value' | 'first name' | 'name' | 'colon' | 'more' | 'end';

const WORDING: Readonly<Record<Expected, string>> = {
  value: 'a value is expected here',
  'first value': 'a value or ] is expected here',
  'first name': 'a name in double quotes or } is expected here',
  name: 'a name in double quotes is expected here (is there a comma too many?)',
  colon: 'a colon is expected here',
  more: 'a comma or the closing bracket is expected here',
  end: 'there is something after the end of the document',
};

interface Scan {
  readonly text: string;
  at: number;
  /** Open brackets; a stack in place of recursion, so that depth cannot overflow. */
  readonly open: string[];
  expected: Expected;
}

const match = (scan: Scan, pattern: RegExp): boolean => {
  pattern.lastIndex = scan.at;
  if (!pattern.test(scan.text)) return false;
  scan.at = pattern.lastIndex;
  return true;
};

const afterValue = (scan: Scan): Expected => (scan.open.length === 0 ? 'end' : 'more');

const takeBracket = (scan: Scan, char: string): boolean => {
  if (char === '{' || char === '[') {
    scan.open.push(char);
    scan.expected = char === '{' ? 'first name' : 'first value';
  } else {
    scan.open.pop();
    scan.expected = afterValue(scan);
  }
  scan.at += 1;
  return true;
};

const takeValue = (scan: Scan, char: string): boolean => {
  if (char === '{' || char === '[') return takeBracket(scan, char);
  if (char === ']' && scan.expected === 'first value') return takeBracket(scan, char);
  if (!match(scan, char === '"' ? STRING : SCALAR)) return false;
  scan.expected = afterValue(scan);
  return true;
};

const takeName = (scan: Scan, char: string): boolean => {
  if (char === '}' && scan.expected === 'first name') return takeBracket(scan, char);
  if (char !== '"' || !match(scan, STRING)) return false;
  scan.expected = 'colon';
  return true;
};

const takeMark = (scan: Scan, char: string): boolean => {
  const inObject = scan.open.at(-1) === '{';
  if (scan.expected === 'colon') {
    if (char !== ':') return false;
    scan.expected = 'value';
  } else if (scan.expected === 'more' && char === ',') {
    scan.expected = inObject ? 'name' : 'value';
  } else if (scan.expected === 'more' && char === (inObject ? '}' : ']')) {
    return takeBracket(scan, char);
  } else {
    return false;
  }
  scan.at += 1;
  return true;
};

const step = (scan: Scan, char: string): boolean => {
  if (scan.expected === 'value' || scan.expected === 'first value') return takeValue(scan, char);
  if (scan.expected === 'name' || scan.expected === 'first name') return takeName(scan, char);
  return takeMark(scan, char);
};

/** What the scan stopped at, in words; moves on to the fault inside a broken string. */
const explain = (scan: Scan, char: string): string => {
  const stringFits = scan.expected !== 'colon' && scan.expected !== 'more' && scan.expected !== 'end';
  if (char !== '"' || !stringFits) return WORDING[scan.expected];
  match(scan, STRING_START);
  if (scan.at >= scan.text.length) return 'the file ends inside a text';
  return scan.text[scan.at] === '\\' ? 'a wrong escape in a text' : 'a text is not closed on its line';
};

const locate = (text: string): JsonProblem => {
  const scan: Scan = { text, at: 0, open: [], expected: 'value' };
  for (;;) {
    match(scan, SPACE);
    const char = text[scan.at];
    if (char === undefined) {
      const empty = text.trim() === '';
      return place(text, scan.at, empty ? 'the file is empty' : 'the file ends too early');
    }
    if (!step(scan, char)) {
      const what = explain(scan, char);
      return place(text, scan.at, what);
    }
  }
};

const place = (text: string, at: number, what: string): JsonProblem => {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, what };
};
