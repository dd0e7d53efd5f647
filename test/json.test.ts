import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRounded, isSameJson, parseJson, toNumber } from '../src/json.ts';

it.each([
  ['', 1, 1, 'the file is empty'],
  [' \n', 1, 1, 'the file is empty'],
  ['{', 1, 2, 'unexpected end of file'],
  ['{\n  "a": 1,\n}', 3, 1, 'invalid JSON'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'invalid JSON'],
  ['[1,]', 1, 4, 'invalid JSON'],
  ['[}', 1, 2, 'invalid JSON'],
  ['{"a": tru}', 1, 7, 'invalid JSON'],
  ['{"a": "x\n"}', 1, 7, 'invalid JSON'],
  ['{"a": "\\q"}', 1, 7, 'invalid JSON'],
  ['{} {}', 1, 4, 'invalid JSON'],
  ['{"a": 01}', 1, 8, 'invalid JSON'],
  ['// note\n{}', 1, 1, 'invalid JSON'],
])('no JSON is %j: line %i, column %i', (text, line, column, what) => {
  expect(parseJson(text)).toEqual({ problem: { line, column, what } });
});

it.each([
  ['arrays', '['.repeat(200_000), 201],
  ['objects', '{"a":'.repeat(200_000), 1001],
  ['what is closed', `${'['.repeat(5000)}${']'.repeat(5000)}`, 201],
])('no JSON is one that is too deep: of %s', (_name, text, column) => {
  const what = 'more than 200 levels of brackets';
  expect(parseJson(text)).toEqual({ problem: { line: 1, column, what } });
});

it.each([
  ['{"a": 1,\n "b": 2, "a": 3}', 2, 10],
  ['[{"x": {"n": 1, "\\u006e": 2}}]', 1, 17],
  ['{"__proto__": 1, "__proto__": 2}', 1, 18],
])('no strict JSON is one with a name twice: %j', (text, line, column) => {
  const problem = { line, column, what: 'duplicate name' };
  expect(parseJson(text, { strict: true })).toEqual({ problem });
  expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
});

it('a text is accepted exactly when the engine accepts it', () => {
  const signs = fc.constantFrom('', ',', '"', '}', ']', '{', ':', '\\', '\n', 'x', '0', '-', '.');
  fc.assert(
    fc.property(fc.json(), fc.nat(), signs, fc.nat(2), (whole, at, insert, cut) => {
      const where = at % (whole.length + 1);
      const text = `${whole.slice(0, where)}${insert}${whole.slice(where + cut)}`;
      const result = parseJson(text);
      if (!('problem' in result)) {
        expect(result.value).toEqual(JSON.parse(text));
        return;
      }
      let message = '';
      try {
        JSON.parse(text);
      } catch (error) {
        message = String(error);
      }
      expect(message).not.toBe('');
      const position = /at position (\d+)/.exec(message)?.[1];
      // The engine points into a broken token, the place is its beginning.
      if (position !== undefined && !/[\r\n]/.test(text))
        expect(result.problem.column - 1).toBeLessThanOrEqual(Number(position));
    }),
    { numRuns: 400 },
  );
});

it('a text may begin with a byte order mark', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ value: { a: 1 } });
});

it.each<[unknown, number]>([
  [48.6, 48.6],
  ['48.60', 48.6],
  [' 007 ', 7],
  ['1e3', 1000],
  ['', Number.NaN],
  ['0x10', Number.NaN],
  ['9007199254740993', Number.NaN],
  ['1e400', Number.NaN],
  [null, Number.NaN],
])('the number of %j is %d', (value, number) => expect(toNumber(value)).toBe(number));

it.each<[number, boolean]>([
  [9_007_199_254_740_991, false],
  [9_007_199_254_740_992, true],
  [Number.POSITIVE_INFINITY, true],
  [0.1, false],
])('%d may have been another number: %s', (number, rounded) => expect(isRounded(number)).toBe(rounded));

it('two values are the same with their members in any order', () => {
  expect(isSameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
  expect(isSameJson({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
});

it('what JavaScript cannot keep is named in an answer, and refused in input, with its place', () => {
  const text = '{"data":[{"id":9007199254740993,"in":{"big":[1e400]},"n":12.50}],"m":1}';
  const rounded = new Map([
    [9_007_199_254_740_992, 'id'],
    [Number.POSITIVE_INFINITY, 'big'],
  ]);
  expect(parseJson(text)).toMatchObject({ rounded });
  expect(parseJson('[1,2.5]')).toEqual({ value: [1, 2.5] });
  const what = 'a number with more digits than can be kept';
  expect(parseJson(text, { strict: true })).toEqual({ problem: { line: 1, column: 16, what } });
  expect(parseJson('[1,\n 1e400]', { strict: true })).toEqual({ problem: { line: 2, column: 2, what } });
});
