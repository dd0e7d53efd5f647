import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonNumber, parseNumber, toExactNumber, toValueKey } from '../../src/json/number.ts';
import { parseJson } from '../../src/json/parse.ts';
import { stringifyJson } from '../../src/json/stringify.ts';
import { jsonDocuments, numberTokens } from '../support/json.ts';

const read = (text: string, unique = false): unknown => {
  const result = parseJson(text, { unique });
  if ('problem' in result) throw new Error(`${text}: ${result.problem.what}`);
  return result.value;
};

describe('the numbers of a JSON text', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '123456789012345678.99',
    '1e400',
    '-1e400',
    '1E5',
    '1e+2',
    '1.50',
    '48.60',
    '0.0',
    '-0',
    '-0.0',
    '0.0000001',
    '1e-400',
    '7.833333333333333',
    '0.30000000000000004',
    '1e+21',
    '42',
    '0.000001',
  ])('keep their digits: %s', (token) => {
    for (const text of [token, `[${token}]`, `{"a":${token}}`, `[1,${token},2]`, `[ ${token} ]`]) {
      expect(stringifyJson(read(text))).toBe(text.replaceAll(' ', ''));
      expect(stringifyJson(read(text, true))).toBe(text.replaceAll(' ', ''));
    }
  });

  it('are JavaScript numbers where these keep the digits', () => {
    expect(read('[7.833333333333333, 42, 0.1, -5, 1e+21]')).toEqual([7.833333333333333, 42, 0.1, -5, 1e21]);
    expect(read('["2026-11-20T09:00:00.000Z", ": 1.50,", "-0"]')).toEqual([
      '2026-11-20T09:00:00.000Z',
      ': 1.50,',
      '-0',
    ]);
  });

  it('keep their digits in any document, however it is written', () => {
    fc.assert(
      fc.property(jsonDocuments(), fc.boolean(), ({ text, compact }, unique) => {
        expect(stringifyJson(read(text, unique))).toBe(compact);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['-', '+1', '.5', '1.', '1.e5', '1e', '1e+', '1E-', '01', '-01', '0x1', '1_000', '1.2.3'])(
    'are refused as JSON does not write them: %s',
    (token) => {
      expect(parseJson(`[${token}]`)).toHaveProperty('problem');
    },
  );

  it('may have millions of digits', () => {
    for (const token of ['1'.repeat(5e6), `0.${'10'.repeat(2.5e6)}`, `1e${'9'.repeat(5e6)}`])
      expect(stringifyJson(read(`[${token}]`))).toBe(`[${token}]`);
  });
});

describe('a number with its own digits', () => {
  it('is text by its digits, and the nearest number in arithmetic', () => {
    const number = new JsonNumber('48.60');
    expect([String(number), `${number}`, Number(number), Number(number) + 1]).toEqual([
      '48.60',
      '48.60',
      48.6,
      49.6,
    ]);
  });

  it('has the value of other spellings', () => {
    fc.assert(
      fc.property(numberTokens(), numberTokens(), (one, other) => {
        fc.pre(!/[eE][+-]?\d{4}/.test(one + other));
        const big = (token: string): bigint => {
          const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
          const [whole = '', fraction = ''] = mantissa.split('.');
          return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length + 2000);
        };
        expect(toValueKey(parseNumber(one)) === toValueKey(parseNumber(other))).toBe(big(one) === big(other));
      }),
    );
    expect(toValueKey(parseNumber('48.60'))).toBe(toValueKey(48.6));
    expect(toValueKey(parseNumber('486e-1'))).toBe(toValueKey(48.6));
    expect(toValueKey(parseNumber('-0.00'))).toBe(toValueKey(0));
  });

  it.each([
    ['0.5', '0.05'],
    ['0.05', '0.5e-2'],
    ['50', '5'],
    ['0.05', '-0.05'],
    ['1e9007199254740993', '1e9007199254740992'],
  ])('%s has another value than %s', (one, other) =>
    expect(toValueKey(parseNumber(one))).not.toBe(toValueKey(parseNumber(other))),
  );

  it('has a JavaScript number of the same value, or none', () => {
    expect(toExactNumber(parseNumber('48.60'))).toBe(48.6);
    expect(toExactNumber(parseNumber('1E5'))).toBe(100_000);
    expect(toExactNumber(parseNumber('9007199254740993'))).toBeUndefined();
    expect(toExactNumber(parseNumber('1e400'))).toBeUndefined();
    expect(toExactNumber(parseNumber('1e-400'))).toBeUndefined();
    expect(toExactNumber(7)).toBe(7);
  });
});

describe('writing JSON', () => {
  it('is as JSON.stringify does it, with numbers or without', () => {
    const values = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(values, fc.constantFrom(0, 2), (value, indent) => {
        expect(stringifyJson(value, indent)).toBe(JSON.stringify(value, undefined, indent));
        const marked = stringifyJson([new JsonNumber('1.50'), value], indent);
        expect(marked.replace('1.50', '1.5')).toBe(JSON.stringify([1.5, value], undefined, indent));
      }),
    );
  });

  it('leaves out what JSON does not have', () => {
    const at = new Date(0);
    const value = { a: undefined, b: [undefined, () => 1], at, n: new JsonNumber('-0'), e: {}, l: [] };
    expect(stringifyJson(value)).toBe(
      '{"b":[null,null],"at":"1970-01-01T00:00:00.000Z","n":-0,"e":{},"l":[]}',
    );
    expect(stringifyJson(undefined)).toBe('null');
  });
});
