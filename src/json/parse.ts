import { type JsonProblem, readJson } from './reader.ts';

/**
 * The one reader of JSON that comes from outside: answers, files, stdin, deliveries, and of jobs. Every number
 * keeps its digits (`JsonNumber` where a JavaScript number would not), and nothing is deeper than `MAX_DEPTH`, so
 * that whatever walks a value may do so by recursion.
 */

export type { JsonProblem } from './reader.ts';

export type JsonResult = { readonly value: unknown } | { readonly problem: JsonProblem };

/**
 * Numbers that JavaScript may write with other digits: 16 of them, a zero at the end of a fraction, an exponent,
 * a millionth, -0. What looks so inside of a text is found too.
 */
const INEXACT_NUMBER =
  /(?:^|[:,[])\s*(-?(?:\d+\.\d*0|\d[\d.]{15,}|\d[\d.]*[eE][\d+-]*|0\.0{6}\d+)|-0)(?=\s*(?:[,\]}]|$))/g;

const keepsNumbers = (text: string): boolean => {
  for (const [, token = ''] of text.matchAll(INEXACT_NUMBER))
    if (String(Number(token)) !== token) return false;
  return true;
};

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Copies nothing: it is on the way of every answer, and a page may have millions of values. */
const isWithinDepth = (value: object, levels: number): boolean => {
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((each) => !isNested(each) || isWithinDepth(each, levels - 1));
  for (const name in value) {
    const each = (value as Record<string, unknown>)[name];
    if (isNested(each) && !isWithinDepth(each, levels - 1)) return false;
  }
  return true;
};

/** By the engine's own reader, several times as fast; undefined where it would lose something, or finds a fault. */
const parseNatively = (text: string, depth: number): JsonResult | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    // Each level opens and closes.
    const isShallow = text.length <= 2 * depth || !isNested(value) || isWithinDepth(value, depth);
    return isShallow && keepsNumbers(text) ? { value } : undefined;
  } catch {
    // Also where the pattern meets millions of digits in a row, which are too much for it.
    return undefined;
  }
};

/**
 * Accepts a byte order mark, which editors on Windows add. Never throws.
 * @param unique whether a name that an object has twice is a problem; else the last one counts
 * @param depth levels that are read
 */
export const parseJson = (text: string, { unique = false, depth = MAX_DEPTH } = {}): JsonResult => {
  const stripped = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return (unique ? undefined : parseNatively(stripped, depth)) ?? readJson(stripped, unique, depth);
};

/** Levels of arrays and objects. Records have a few; what is deeper by far would overflow the stack of its reader. */
export const MAX_DEPTH = 200;

/** What the program wrote down itself has a value from outside within a few levels of its own. */
export const STORED_DEPTH = MAX_DEPTH + 8;

/** The value of a text, or undefined for one that cannot be used. */
export const parseJsonValue = (text: string, depth = MAX_DEPTH): unknown => {
  const result = parseJson(text, { depth });
  return 'value' in result ? result.value : undefined;
};
