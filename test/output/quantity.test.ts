import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDecimals, formatHoursMinutes, parseDecimal, toAmount, ZERO } from '../../src/output/scalars.ts';
import { formatMoney } from '../../src/parsing/calendar.ts';

describe('money', () => {
  it.each([
    [7.5, '7.50'],
    [28_000, '28000.00'],
    [0.1 + 0.2, '0.30'],
    [12.345, '12.345'],
    [0.123456, '0.123456'],
    [0.00001, '0.00001'],
    [1e-7, undefined],
    [-0.5, '-0.50'],
    ['48.600', '48.60'],
    ['1234567890123456789.015', '1234567890123456789.015'],
  ])('%s is %s', (value, text) => {
    expect(formatMoney(value)).toBe(text);
  });
  it.each([null, '', '-', '.5', '1.', '1.5.2', '1.5x', '1,5', '1e3', 'x', true])('leaves %s', (value) =>
    expect(formatMoney(value)).toBeUndefined(),
  );
});

describe('hours', () => {
  it.each([
    [41.5, '41:30'],
    ['0.25', '0:15'],
    [-1.5, '-1:30'],
    [0.999, '1:00'],
    [1000, '1000:00'],
    [1e-7, '0:00'],
    [-0.001, '0:00'],
    ['1.075', '1:05'],
    ['15e0', undefined],
    [1e308, '1e+308'],
    [1e21, '1e+21'],
  ])('%s is %s', (value, text) => expect(formatHoursMinutes(value)).toBe(text));

  it('are the nearest minute of every digit that came, or what came', () => {
    const decimal = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 24n }),
        fc.bigInt({ min: 0n, max: 10n ** 24n }),
      )
      .map(([minus, whole, fraction]) => `${minus}${whole}.${fraction}`);
    const number = fc.oneof(
      decimal,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.integer().map(String),
    );
    fc.assert(
      fc.property(number, (token) => {
        const shown = formatHoursMinutes(Number(token)) ?? '';
        if (shown === String(Number(token))) return;
        const [, minus = '', hours = '', minutes = ''] = /^(-?)(\d+):([0-5]\d)$/.exec(shown) ?? [];
        const { digits, scale } = parseDecimal(Number(token)) ?? ZERO;
        const told =
          (BigInt(hours) * 60n + BigInt(minutes)) * (minus === '' ? 1n : -1n) * 10n ** BigInt(scale);
        const off = told - digits * 60n;
        expect(2n * (off < 0n ? -off : off)).toBeLessThanOrEqual(10n ** BigInt(scale));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('sums', () => {
  const sum = (...values: readonly unknown[]) =>
    toAmount(
      values.reduce((total: typeof ZERO, value) => addDecimals(total, parseDecimal(value) ?? ZERO), ZERO),
    );

  it('are exact', () => {
    expect(sum(0.1, 0.2)).toBe(0.3);
    expect(sum('0.10', 1e-7, 1e5)).toBe(100000.1000001);
    expect(sum(-0.5, '0.5')).toBe(0);
    expect(sum(-1, 0.25)).toBe(-0.75);
  });
});
