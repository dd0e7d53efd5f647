/**
 * Text that a spreadsheet would run as a formula, or a CI runner obey as a command, made harmless by an apostrophe, and
 * back. Text that already has apostrophes at such a place gets one more, so that nothing is lost:
 * `original(harmless(text)) === text` for every text.
 */

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

/** @param apostrophe what stands there now */
const createPattern = (apostrophe: string): RegExp =>
  new RegExp(PLACES.map(([before, after]) => `${before}${apostrophe}(?='*${after})`).join('|'), 'g');

const ADD = createPattern('');
const REMOVE = createPattern("'");
/** Most cells have none of it, which is quickly found out. */
const SUSPECT = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|::|#|section_/;

/** For text cells only: a number is written as it is, a negative one too. */
export const escapeSpreadsheetCell = (cell: string): string =>
  SUSPECT.test(cell) ? cell.replace(ADD, "'") : cell;

/** What `escapeSpreadsheetCell` was given. For cells of any other origin: strips the apostrophe that hides a formula or command. */
export const unescapeSpreadsheetCell = (cell: string): string =>
  cell.includes("'") ? cell.replace(REMOVE, '') : cell;
