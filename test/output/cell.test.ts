import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnKind, type Detail, formatValue } from '../../src/output/cell.ts';
import { PLAIN_PALETTE } from '../../src/output/terminal.ts';

/** How people read a value. */

const NOW = Date.UTC(2026, 10, 20);

const read = (
  value: unknown,
  kind: ColumnKind,
  detail: Detail = 'plain',
  { timeZone = 'UTC', now = NOW } = {},
) => {
  const style = { unicode: true, timeZone, now: () => now, showSecrets: false, width: 80 };
  return formatValue(value, kind, { ...style, palette: PLAIN_PALETTE }, detail);
};

describe('times', () => {
  const INSTANT = '2026-03-29T00:30:00Z';

  it.each([INSTANT, '2026-03-29T00:30:00.000000Z', '2026-03-29 02:30+02', '2026-03-29T02:30:00+0200'])(
    'are read from %s',
    (text) => expect(read(text, 'time')).toBe('2026-03-29 00:30Z'),
  );

  it.each(['2026-03-29', '2026-03-29 00:30:00', 'Jan 15, 2024', '2026-13-45T00:00Z'])('are not %s', (text) =>
    expect(read(text, 'time')).toBe(text),
  );

  it.each([
    ['Europe/Berlin', '2026-03-29 01:30+01'],
    ['Asia/Kolkata', '2026-03-29 06:00+05:30'],
    ['America/New_York', '2026-03-28 20:30-04'],
    ['Pacific/Kiritimati', '2026-03-29 14:30+14'],
  ])('in %s', (timeZone, text) => expect(read(INSTANT, 'time', 'plain', { timeZone })).toBe(text));

  it.each([
    [30_000, 'now'],
    [-90_000, '1 min ago'],
    [3 * 3_600_000, 'in 3 h'],
    [-3 * 86_400_000, '3 d ago'],
    [-100 * 86_400_000, '3 mo ago'],
    [-1000 * 86_400_000, '2 y ago'],
  ])('of %d ms are %s', (distance, text) => {
    const value = new Date(NOW + distance).toISOString();
    expect(read(value, 'age')).toBe(text);
  });

  it('are short where that is clear', () => {
    const at = (value: string) => read(value, 'time', 'brief', { timeZone: 'Europe/Berlin' });
    expect([at('2026-11-09T08:15:00Z'), at('2027-01-05T08:15:00Z')]).toEqual([
      'Nov 9 09:15+01',
      'Jan 5 2027 09:15+01',
    ]);
  });
});

describe('days', () => {
  it.each([
    ['2026-11-09', '2026-11-09'],
    ['2026-11-09T23:30:00-08:00', '2026-11-09'],
    ['Jan 5, 2024', '2024-01-05'],
    ['Foo 5, 2024', 'Foo 5, 2024'],
    ['2026-13-01', '2026-13-01'],
    [7, '7'],
  ])('%s is %s', (value, day) => expect(read(value, 'date')).toBe(day));

  it.each([
    ['2026-11-09/2026-11-15', 'Nov 9–15', '2026-11-09 to 2026-11-15'],
    ['2026-10-26/2026-11-01', 'Oct 26–Nov 1', '2026-10-26 to 2026-11-01'],
    ['2026-11-09/2026-11-09', 'Nov 9', '2026-11-09'],
    ['2025-11-09/2025-11-15', 'Nov 9–15 2025', '2025-11-09 to 2025-11-15'],
    ['2025-12-29/2026-01-04', 'Dec 29 2025–Jan 4 2026', '2025-12-29 to 2026-01-04'],
    ['2026-11-09/..', '2026-11-09/..', '2026-11-09/..'],
    [null, '-', '-'],
  ])('the period %s is %s', (value, short, long) => {
    expect([read(value, 'period', 'brief'), read(value, 'period')]).toEqual([short, long]);
  });
});

describe('money', () => {
  it.each([
    [7.5, '7.50'],
    [28_000, '28000.00'],
    [0.1 + 0.2, '0.30'],
    [12.345, '12.345'],
    [0.00001, '0.00001'],
    [1e-7, '1e-7'],
    [-0.5, '-0.50'],
    ['48.600', '48.60'],
    ['1234567890123456789.015', '1234567890123456789.015'],
  ])('%s is %s', (value, text) => expect(read(value, 'money')).toBe(text));

  it.each(['-', '.5', '1.', '1.5.2', '1.5x', '1,5', '1e3', 'x'])('leaves %s', (value) =>
    expect(read(value, 'money')).toBe(value),
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
    ['15e0', '15e0'],
    [1e308, '1e+308'],
    [1e21, '1e+21'],
  ])('%s is %s', (value, text) => expect(read(value, 'hours')).toBe(text));

  it('are the nearest minute', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (hours) => {
        const [, minus = '', whole = '', minutes = ''] =
          /^(-?)(\d+):([0-5]\d)$/.exec(read(hours, 'hours')) ?? [];
        const told = (Number(whole) * 60 + Number(minutes)) * (minus === '' ? 1 : -1);
        expect(Math.abs(told - hours * 60)).toBeLessThanOrEqual(0.5 + 1e-6);
      }),
    );
  });
});
