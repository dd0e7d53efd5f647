import fc from 'fast-check';
import { expect, it } from 'vitest';
import { harmless, original } from '../../src/terminal/spreadsheet-cell.ts';

it.each(['=1+1', '+49 30', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])('takes the formula from %j', (text) => {
  expect(harmless(text)).toBe(`'${text}`);
});

it.each(['', 'Ann', "'quoted'", "O'Neil", ' =1', "''"])('leaves %j alone', (text) => {
  expect(harmless(text)).toBe(text);
  expect(original(text)).toBe(text);
});

it('gives back what it was given, and never leaves a formula', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a'), fc.string()))
    .map((a) => a.join(''));
  fc.assert(
    fc.property(text, (cell) => {
      expect(original(harmless(cell))).toBe(cell);
      expect(harmless(cell)).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});
