import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import {
  getColumns,
  getRows,
  loadPalette,
  prepareWidths,
  splitWords,
  type TextPiece,
  textWidth,
  wrapIndented,
  wrapPieces,
} from '../../src/output/terminal.ts';

/** How much room there is on a terminal, and where lines break. */

it.each([
  [{}, 80, 24],
  [{ columns: 0, rows: 0 }, 80, 24],
  [{ columns: 120, rows: 40 }, 120, 40],
  [{ columns: 65_535, rows: 65_535 }, 1_000, 1_000],
])('S20 R17 the size of a terminal of %j', (size, columns, rows) => {
  expect([getColumns(size), getRows(size)]).toEqual([columns, rows]);
});

it('a colour paints one text, also as what lines are mapped with', async () => {
  for (const paint of Object.values(await loadPalette(true)))
    expect(['a', 'b'].map(paint)).toEqual([paint('a'), paint('b')]);
});

const PARTS = ['a', '1', '#', 'é', 'e\u0301', '日本', 'ひ', 'カ゛', '한국', 'ᄀ', 'ᅡ', 'ที่', 'שָׁלוֹם', 'नमस्ते'];
const MARKS = ['👩‍💻', '👍🏽', '🇵🇹', '1\ufe0f\u20e3', '❤️', '\u0301', ' ', 'ﬁ', 'Ａ', '葛\u{e0100}'];

it('a text measured in pieces has the width of the whole', async () => {
  await prepareWidths(['日']);
  const texts = fc
    .array(fc.constantFrom(...PARTS, ...MARKS), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => void expect(textWidth(text)).toBe(stringWidth(text))),
    { numRuns: 2000 },
  );
});

const at = (width: number, pieces: readonly TextPiece[]) => wrapPieces('→', pieces, { width, indent: 4 });

it('a flow of pieces fills a line, then goes on below it', () => {
  expect(at(20, splitWords('one two three four five six'))).toEqual(['→ one two three four', '    five six']);
  expect(at(Number.POSITIVE_INFINITY, splitWords('one two'))).toEqual(['→ one two']);
});

it('a flow of pieces keeps a command whole, so that it can be copied', () => {
  expect(splitWords('See: ttctl jobs show 7 (or not), then. Or ttctl help.').map(({ text }) => text)).toEqual(
    [...['See:', 'ttctl jobs show 7', '(or', 'not),', 'then.', 'Or', 'ttctl help.']],
  );
});

it('a flow of pieces takes no more work where no line is ever full', () => {
  // Measured again for each word, they would take an hour.
  const words = 'é word '.repeat(50_000);
  const lines = wrapPieces('→', splitWords(words), { width: Number.POSITIVE_INFINITY, indent: 4 });
  expect(lines).toEqual([`→ ${words.trimEnd()}`]);
});

it('a flow of pieces loses nothing, and is no wider than the terminal where no piece is', () => {
  const text = fc.stringMatching(/^[a-z/?&,"{}: ]{1,60}$/).filter((one) => one.trim() === one);
  const pieces = fc.array(fc.record({ text, gap: fc.constantFrom(1, 2) }), { minLength: 1 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 64, max: 100 }), (all, width) => {
      const lines = at(width, all);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      const seen = (parts: readonly string[]) => parts.join('').replaceAll(' ', '');
      expect(seen(lines)).toBe(seen(['→', ...all.map((piece) => piece.text)]));
    }),
  );
});

const NOT_FOUND =
  'error: No member 99999 in this workspace.\n  request: GET /members/99999 (404)\nhint: Look.';
const REJECT = `ttctl timesheets reject 8c1f --reason "Friday, Monday. And so on"`;
const LATE = `ttctl timesheets reject 8c1f --reason 'It'\\''s late. No, really'`;
it.each([
  [80, NOT_FOUND, NOT_FOUND],
  [
    30,
    NOT_FOUND,
    'error: No member 99999 in this\n  workspace.\n  request: GET /members/99999\n    (404)\nhint: Look.',
  ],
  // The blanks between columns stay.
  [
    36,
    '  Ana Sousa  Nov 9–15  38:30  would be approved',
    '  Ana Sousa  Nov 9–15  38:30  would\n    be approved',
  ],
  // A command is whole on a line of its own, quoted words with spaces and all.
  [40, `The same without questions: ${REJECT}`, `The same without questions:\n  ${REJECT}`],
  [30, `The same: ${LATE}`, `The same:\n  ${LATE}`],
  // One to copy into a file is never broken (O10).
  [30, `    00 06 01 01 * ${LATE}`, `    00 06 01 01 * ${LATE}`],
  [
    40,
    "state directory: Make it private: chmod 700 '/a b/state'",
    "state directory: Make it private:\n  chmod 700 '/a b/state'",
  ],
])('at %i columns stderr breaks between words, and goes on further in: %j', (width, text, shown) => {
  expect(wrapIndented(text, width)).toBe(shown);
});
