import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRounded, isSameJson, type JsonProblem, parseJson, toNumber } from '../src/json.ts';

const problemOf = (text: string): JsonProblem | undefined => {
  const result = parseJson(text);
  return 'problem' in result ? result.problem : undefined;
};

const engineMessage = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return String(error);
  }
};

describe('a text that is not JSON', () => {
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
  ])('%j: line %i, column %i', (text, line, column, what) => {
    expect(problemOf(text)).toEqual({ line, column, what });
  });

  it.each(['['.repeat(200_000), '{"a":'.repeat(200_000), `${'['.repeat(5000)}${']'.repeat(5000)}`])(
    'is one that is too deep',
    (text) => {
      const column = 200 * (text.startsWith('[') ? 1 : 5) + 1;
      expect(problemOf(text)).toEqual({ line: 1, column, what: 'more than 200 levels of brackets' });
    },
  );

  it.each([
    ['{"a": 1,\n "b": 2, "a": 3}', 2, 10],
    ['[{"x": {"n": 1, "\\u006e": 2}}]', 1, 17],
    ['{"__proto__": 1, "__proto__": 2}', 1, 18],
  ])('is one with a name twice, where names have to be unique: %j', (text, line, column) => {
    expect(parseJson(text, { strict: true })).toEqual({
      problem: { line, column, what: 'duplicate name' },
    });
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
  });
});

describe('any text', () => {
  const damaged = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', '{', ':', '\\', '\n', 'x', '0', '-', '.'),
      fc.nat(2),
    )
    .map(([text, at, insert, cut]) => {
      const where = at % (text.length + 1);
      return `${text.slice(0, where)}${insert}${text.slice(where + cut)}`;
    });

  it('is accepted exactly when the engine accepts it', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const problem = problemOf(text);
        const message = engineMessage(text);
        expect(problem === undefined).toBe(message === undefined);
        if (problem === undefined || message === undefined) return;
        const position = /at position (\d+)/.exec(message)?.[1];
        // The engine points into a broken token, the place is its beginning.
        if (position !== undefined && !/[\r\n]/.test(text))
          expect(problem.column - 1).toBeLessThanOrEqual(Number(position));
      }),
      { numRuns: 400 },
    );
  });

  it('may begin with a byte order mark', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ value: { a: 1 } });
  });
});

describe('the number of a value', () => {
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
  ])('%j is %d', (value, number) => expect(toNumber(value)).toBe(number));
});

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
