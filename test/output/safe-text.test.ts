import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  escapeSpreadsheetCell,
  safeCell,
  safeJson,
  safeLines,
  unescapeSpreadsheetCell,
} from '../../src/output/safe-text.ts';

const STEERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** Text with many of the characters that matter. */
const HIDDEN = [
  ...'\x00\x07\n\r\t\x7f\u2028\u2029\u061c\u200b\u200d\u200e\u202e\u2066\u2069\ufeff\u00ad\ufe0f',
];
const PARTS = ['\x1b[2J', '\x9b31m', '\ud800', '\udc00', '\u{e0067}', '\u{e0100}', '葛', '👩', '💻', 'ש'];
const STEERING = [':', '::', '##[', '##vso[', '##teamcity[', ' ', '\\', '"', 'a', '1'];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HIDDEN, ...PARTS, ...STEERING), fc.string({ unit: 'binary' })))
  .map((parts) => parts.join(''));

it.each([
  ['\x1b[31mred\x07', '\\x1b[31mred\\x07'],
  ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['zero\u200bwidth', 'zero\\u200bwidth'],
  ['tag\u{e0067}', 'tag\\u{e0067}'],
  ['\ud800', '\\ud800'],
  ['\x9b2J', '\\x9b2J'],
  ['a\u200db 1\ufe0f', 'a\\u200db 1\\ufe0f'],
])('safeCell spells out what cannot be seen: %j', (text, shown) => {
  expect(safeCell(text)).toBe(shown);
});

it.each(['Zoë', '山田太郎', 'محمد', 'שָׁלוֹם', 'สวัสดี', '👩‍💻', '❤️', '1️⃣', '👍🏽', '葛\u{e0100}', 'a\\b'])(
  'safeCell leaves %s alone',
  (text) => {
    expect(safeCell(text)).toBe(text);
  },
);

it('safeCell lets nothing through that steers a terminal, and changes nothing the second time', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const once = safeCell(text);
      expect(once).not.toMatch(STEERS);
      expect(once).not.toMatch(/[\xad\u200b\u200c\u2060-\u206f\p{Cs}]/u);
      expect(safeCell(once)).toBe(once);
    }),
  );
});

it('safeCell gives a CI runner no line to obey', () => {
  expect(safeCell('::error::x')).toBe('\\x3a:error::x');
  expect(safeCell('a ##vso[task.x]y ##[error] ##TeamCity[z')).toBe(
    'a \\x23#vso[task.x]y \\x23#[error] \\x23#TeamCity[z',
  );
  expect(safeCell('  ::set-env')).toBe('  \\x3a:set-env');
  expect(safeLines('fine\n::stop-commands')).toBe('fine\n\\x3a:stop-commands');
  fc.assert(
    fc.property(hostile, (text) => {
      for (const line of safeLines(text).split('\n')) expect(line).not.toMatch(/^\s*::|##\w*\[/i);
    }),
  );
});

it.each(['\u200b', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u{e0041}', '\u0085'])(
  'safeJson escapes %j',
  (hidden) => {
    const text = safeJson({ a: `x${hidden}y` });
    expect(text).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(text)).toEqual({ a: `x${hidden}y` });
  },
);

it('safeJson leaves what is a part of what is seen', () => expect(safeJson('👩‍💻 ❤️')).toBe('"👩‍💻 ❤️"'));

it('safeJson is plain to look at, and parses back to the same value', () => {
  fc.assert(
    fc.property(fc.oneof(hostile, fc.jsonValue()), hostile, fc.constantFrom(0, 2), (value, key, indent) => {
      const data = { [key]: value, list: [value] };
      const json = safeJson(data, indent);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)));
      expect(json.replaceAll('\n', '')).not.toMatch(STEERS);
      expect(json).not.toMatch(/^\s*::|##\w*\[/im);
    }),
  );
});

it.each(['=1+1', '+49 30', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])('a cell is no formula: %j', (text) => {
  expect(escapeSpreadsheetCell(text)).toBe(`'${text}`);
});

it.each([
  ['::error::x', "'::error::x"],
  ['  ::error::x', "'  ::error::x"],
  ['a\n::error::x\r\n\t::y', "a\n'::error::x\r\n'\t::y"],
  ["'::error::x", "''::error::x"],
  ['a ##[error]x', "a #'#[error]x"],
  ['##vso[task.complete]', "#'#vso[task.complete]"],
  ["#'#vso[task.complete]", "#''#vso[task.complete]"],
  ['###TeamCity[x]', "##'#TeamCity[x]"],
  ['section_start:1:x\r\x1b[0K', "section_'start:1:x\r\x1b[0K"],
])('a cell of a spreadsheet takes the command of a CI runner from %j', (text, written) => {
  expect(escapeSpreadsheetCell(text)).toBe(written);
  expect(unescapeSpreadsheetCell(written)).toBe(text);
});

it.each([
  ...['', 'Ann', 'a ::b', '# 1', '## heading', 'section_start: soon', '[##]', "'quoted'", "O'Neil"],
  ...[' =1', "''"],
])('a cell of a spreadsheet leaves %j alone', (text) => {
  expect(escapeSpreadsheetCell(text)).toBe(text);
  expect(unescapeSpreadsheetCell(text)).toBe(text);
});

it('a cell of a spreadsheet gives back what it was given, and never leaves a formula', () => {
  const parts = ["'", ...'=+-@\t\ra\n#[: ', '##', '::', 'vso[', 'section_', 'start:1'];
  const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string())).map((all) => all.join(''));
  fc.assert(
    fc.property(text, (cell) => {
      expect(unescapeSpreadsheetCell(escapeSpreadsheetCell(cell))).toBe(cell);
      expect(escapeSpreadsheetCell(cell)).not.toMatch(/^[=+\-@\t\r]/);
      expect(escapeSpreadsheetCell(cell)).not.toMatch(/^[^\S\n]*::|##\w*\[|section_(start|end):\d/m);
    }),
  );
});
