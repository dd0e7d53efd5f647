import { stringifyJson } from '../json.ts';
import { lazy } from '../lazy.ts';
import { collapseBlanks, getHiddenPattern, HIDDEN } from '../parsing/text.ts';

/**
 * The one sanitiser of everything people read. Text from the service may hold
 * escape sequences, characters that reorder or hide other text, and lines that steer a CI runner.
 */

/** Raw in JSON are of the controls those from DEL on, and the newlines between its tokens, which stay. */
const getHiddenJsonPattern = lazy(() => new RegExp(`(?!\\n)${HIDDEN}`, 'gu'));

/**
 * What CI runners obey anywhere in a line, in whatever stream it stands: `##[error]`, `##vso[task…]`,
 * `##teamcity[…]`, a section of a log. That no runner is seen says nothing: a container in one has none of its variables.
 */
const RUNNER_MARK = /#(?=#\w*\[)|(?<=section)_(?=(?:start|end):\d)/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text of any lines without what a CI runner would obey in it: a character of that is spelled out. */
export function escapeRunnerCommands(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*):(?=:)/gm, '$1\\x3a').replace(RUNNER_MARK, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${toHex(code, 1)}}`;
  return SHORT_ESCAPES[character] ?? (code > 0xff ? `\\u${toHex(code, 4)}` : `\\x${toHex(code, 2)}`);
}

function toHex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/**
 * Text for one cell or one line: what cannot be seen is spelled out (`\x1b`, `\u202e`, `\n`), and so is a part of what
 * a CI runner would obey.
 */
export function safeCell(text: string): string {
  // Most texts have none of it, which is quickly found out: one pattern for all takes longer.
  const isPlain = !/[^\x20-\x7e]/.test(text) && !text.includes('::');
  if (isPlain && !text.includes('##') && !text.includes('section_')) return text;
  return escapeRunnerCommands(text.replace(getHiddenPattern(), escapeCharacter));
}

export function safeName(text: string): string {
  return collapseBlanks(safeCell(text));
}

export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => safeCell(line))
    .join('\n');
}

/**
 * JSON that is safe to look at and parses back to the same value. `undefined` becomes `null`.
 * @param indent spaces; 0 for one line.
 */
export function safeJson(value: unknown, indent = 0): string {
  const json = stringifyJson(value, indent);
  if (!/[^\n\x20-\x7e]/.test(json) && !json.includes('##') && !json.includes('section_')) return json;
  // Of a character beyond the basic plane an escape for each half.
  const spellOut = (found: string): string =>
    [...Array(found.length).keys()].map((i) => `\\u${toHex(found.charCodeAt(i), 4)}`).join('');
  return json.replace(getHiddenJsonPattern(), spellOut).replace(RUNNER_MARK, spellOut);
}

/** What stands before an apostrophe, and what after it. */
const PLACES = [
  // A formula; the full-width forms are formulas in East Asian editions.
  ['^', '[=+\\-@\\t\\r\\n\\uff1d\\uff0b\\uff0d\\uff20]'],
  // `::error::` at the beginning of a line, of which a cell may have several: GitHub.
  ['(?<=^|[\\r\\n\\u2028\\u2029])', '[^\\S\\r\\n\\u2028\\u2029]*::'],
  // `##[error]`, `##vso[task…]`, `##teamcity[…]` anywhere: GitHub, Azure, TeamCity.
  ['(?<=#)', '#\\w*\\['],
  // A section of a log, with the control characters that CSV leaves as they are: GitLab.
  ['(?<=section_)', '(?:start|end):\\d'],
] as const;

const getApostrophePlaces = lazy(() =>
  ['', "'"].map(
    (apostrophe) =>
      new RegExp(PLACES.map(([before, after]) => `${before}${apostrophe}(?='*${after})`).join('|'), 'g'),
  ),
);
const SUSPECT = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|::|#|section_/;

/**
 * Text that a spreadsheet would run as a formula, or a CI runner obey as a command, made harmless by an apostrophe. Text
 * that already has apostrophes at such a place gets one more, so that nothing is lost. For text cells only: a number is
 * written as it is, a negative one too.
 */
export function escapeSpreadsheetCell(cell: string): string {
  const [add = ''] = getApostrophePlaces();
  return SUSPECT.test(cell) ? cell.replace(add, "'") : cell;
}

/** What `escapeSpreadsheetCell` was given. For cells of any other origin: strips the apostrophe that hides a formula or command. */
export function unescapeSpreadsheetCell(cell: string): string {
  const [, remove = ''] = getApostrophePlaces();
  return cell.includes("'") ? cell.replace(remove, '') : cell;
}
