import fc from 'fast-check';
import { expect, it } from 'vitest';
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

const INSTANT = '2026-03-29T00:30:00Z';
const at = (distance: number): string => new Date(NOW + distance).toISOString();
const same = (kind: ColumnKind, ...values: readonly unknown[]) =>
  values.map((value) => [kind, value, String(value)] as const);

it.each<readonly [kind: ColumnKind, value: unknown, text: string]>([
  ['time', INSTANT, '2026-03-29 00:30Z'],
  ['time', '2026-03-29T00:30:00.000000Z', '2026-03-29 00:30Z'],
  ['time', '2026-03-29 02:30+02', '2026-03-29 00:30Z'],
  ['time', '2026-03-29T02:30:00+0200', '2026-03-29 00:30Z'],
  ...same('time', '2026-03-29', '2026-03-29 00:30:00', 'Jan 15, 2024', '2026-13-45T00:00Z'),
  ['age', at(30_000), 'now'],
  ['age', at(-90_000), '1 min ago'],
  ['age', at(3 * 3_600_000), 'in 3 h'],
  ['age', at(-3 * 86_400_000), '3 d ago'],
  ['age', at(-60 * 86_400_000), '2 mo ago'],
  ['age', at(-100 * 86_400_000), '3 mo ago'],
  ['age', at(-730 * 86_400_000), '2 y ago'],
  ['age', at(-1000 * 86_400_000), '2 y ago'],
  ['date', '2026-11-09T23:30:00-08:00', '2026-11-09'],
  ['date', 'Jan 5, 2024', '2024-01-05'],
  ...same('date', '2026-11-09', 'Foo 5, 2024', '2026-13-01', 7),
  ['money', 7.5, '7.50'],
  ['money', 28_000, '28000.00'],
  ['money', 0.1 + 0.2, '0.30'],
  ['money', -0.5, '-0.50'],
  ['money', '48.600', '48.60'],
  ['money', 0.00001, '0.00001'],
  ...same('money', 12.345, 1e-7, '1234567890123456789.015'),
  ...same('money', '.5', '1.', '1.5.2', '1.5x', '1,5', '1e3', 'x'),
  ['hours', 41.5, '41:30'],
  ['hours', '0.25', '0:15'],
  ['hours', -1.5, '-1:30'],
  ['hours', 0.999, '1:00'],
  ['hours', 1000, '1000:00'],
  ['hours', 1e-7, '0:00'],
  ['hours', -0.001, '0:00'],
  ['hours', '1.075', '1:05'],
  ...same('hours', '15e0', 1e308, 1e21),
])('people read the %s %s as %s', (kind, value, text) => expect(read(value, kind)).toBe(text));

it.each([
  ['Europe/Berlin', '2026-03-29 01:30+01'],
  ['Asia/Kolkata', '2026-03-29 06:00+05:30'],
  ['America/New_York', '2026-03-28 20:30-04'],
  ['Pacific/Kiritimati', '2026-03-29 14:30+14'],
])('a time in %s', (timeZone, text) => expect(read(INSTANT, 'time', 'plain', { timeZone })).toBe(text));

it('times are short where that is clear', () => {
  const brief = (value: string) => read(value, 'time', 'brief', { timeZone: 'Europe/Berlin' });
  expect(brief('2026-11-09T08:15:00Z')).toBe('Nov 9 09:15+01');
  expect(brief('2027-01-05T08:15:00Z')).toBe('Jan 5 2027 09:15+01');
});

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

it('hours are the nearest minute', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (hours) => {
      const [, minus = '', whole = '', minutes = ''] =
        /^(-?)(\d+):([0-5]\d)$/.exec(read(hours, 'hours')) ?? [];
      const told = (Number(whole) * 60 + Number(minutes)) * (minus === '' ? 1 : -1);
      expect(Math.abs(told - hours * 60)).toBeLessThanOrEqual(0.5 + 1e-6);
    }),
  );
});
