/**
 * Text that a spreadsheet would run as a formula, made harmless by a leading apostrophe, and back
 * (design/reliability.md, F3). Text that already has apostrophes before such a character gets one more,
 * so that nothing is lost: `original(harmless(text)) === text` for every text.
 */

/** The full-width forms are formulas in East Asian editions. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** For text cells only: a number is written as it is, a negative one too. */
export const harmless = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/** What `harmless` was given. For cells of any other origin: strips the apostrophe that hides a formula. */
export const original = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
