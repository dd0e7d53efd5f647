import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeSpreadsheetCell, unescapeSpreadsheetCell } from '../../src/output/spreadsheet-cell.ts';

it.each(['=1+1', '+49 30', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])('takes the formula from %j', (text) => {
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
])('takes the command of a CI runner from %j', (text, written) => {
  expect(escapeSpreadsheetCell(text)).toBe(written);
  expect(unescapeSpreadsheetCell(written)).toBe(text);
});

it.each([
  '',
  'Ann',
  'a ::b',
  '# 1',
  '## heading',
  'section_start: soon',
  '[##]',
  "'quoted'",
  "O'Neil",
  ' =1',
  "''",
])('leaves %j alone', (text) => {
  expect(escapeSpreadsheetCell(text)).toBe(text);
  expect(unescapeSpreadsheetCell(text)).toBe(text);
});

it('gives back what it was given, and never leaves a formula', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "'",
          '=',
          '+',
          '-',
          '@',
          '\t',
          '\r',
          'a',
          '\n',
          '#',
          '##',
          '[',
          ':',
          '::',
          ' ',
          'vso[',
          'section_',
          'start:1',
        ),
        fc.string(),
      ),
    )
    .map((a) => a.join(''));
  fc.assert(
    fc.property(text, (cell) => {
      expect(unescapeSpreadsheetCell(escapeSpreadsheetCell(cell))).toBe(cell);
      expect(escapeSpreadsheetCell(cell)).not.toMatch(/^[=+\-@\t\r]/);
      expect(escapeSpreadsheetCell(cell)).not.toMatch(/^[^\S\n]*::|##\w*\[|section_(start|end):\d/m);
    }),
  );
});
