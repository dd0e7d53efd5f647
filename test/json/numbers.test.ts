import { describe, expect, it } from 'vitest';
import { isRounded, isSameJson, toNumber } from '../../src/json/number.ts';
import { parseJson } from '../../src/json/parse.ts';

describe('the number of a value', () => {
  it.each<[unknown, number]>([
    [48.6, 48.6],
    ['48.60', 48.6],
    [' 007 ', 7],
    ['-0.5', -0.5],
    ['1e3', 1000],
    ['', Number.NaN],
    ['1.', Number.NaN],
    ['0x10', Number.NaN],
    ['12 h', Number.NaN],
    ['9007199254740993', Number.NaN],
    ['1e400', Number.NaN],
    [null, Number.NaN],
    [true, Number.NaN],
  ])('%j is %d', (value, number) => expect(toNumber(value)).toBe(number));
});

it.each<[number, boolean]>([
  [9_007_199_254_740_991, false],
  [9_007_199_254_740_992, true],
  [-9_007_199_254_740_992, true],
  [1e21, true],
  [Number.POSITIVE_INFINITY, true],
  [0.1, false],
  [-0, false],
])('%d may have been another number: %s', (number, rounded) => expect(isRounded(number)).toBe(rounded));

it('two values are the same with their members in any order', () => {
  expect(isSameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
  expect(isSameJson({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
});

describe('what JavaScript cannot keep', () => {
  const text = '{"data":[{"id":9007199254740993,"in":{"big":[1e400]},"n":12.50}],"m":1}';

  it('is named in an answer', () => {
    const result = parseJson(text);
    expect('rounded' in result && [...(result.rounded ?? [])]).toEqual([
      [9_007_199_254_740_992, 'id'],
      [Number.POSITIVE_INFINITY, 'big'],
    ]);
    expect(parseJson('[1,2.5]')).toEqual({ value: [1, 2.5] });
  });

  it('is refused in input, with its place', () => {
    const what = 'a number with more digits than can be kept';
    expect(parseJson(text, { strict: true })).toEqual({ problem: { line: 1, column: 16, what } });
    expect(parseJson('[1,\n 1e400]', { strict: true })).toEqual({ problem: { line: 2, column: 2, what } });
  });
});
