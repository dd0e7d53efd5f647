import { describe, expect, it } from 'vitest';
import { absolute, instantOf, relative } from '../../src/terminal/moment.ts';

describe('instantOf', () => {
  it.each([
    '2026-03-29T00:30:00Z',
    '2026-03-29T00:30:00.000000Z',
    '2026-03-29 02:30+02',
    '2026-03-29T02:30:00+0200',
  ])('reads %s', (text) => {
    expect(instantOf(text)).toBe(Date.UTC(2026, 2, 29, 0, 30));
  });
  it.each(['2026-03-29', '2026-03-29 00:30:00', 'Jan 15, 2024', '2026-13-45T00:00Z', 7, null])(
    'leaves %s',
    (value) => {
      expect(instantOf(value)).toBeUndefined();
    },
  );
});

describe('absolute', () => {
  it.each([
    ['UTC', '2026-03-29 00:30Z'],
    ['Europe/Berlin', '2026-03-29 01:30+01'],
    ['Asia/Kolkata', '2026-03-29 06:00+05:30'],
    ['America/New_York', '2026-03-28 20:30-04'],
    ['Pacific/Kiritimati', '2026-03-29 14:30+14'],
  ])('in %s', (zone, text) => {
    expect(absolute(Date.UTC(2026, 2, 29, 0, 30), zone)).toBe(text);
  });
  it('changes its offset with the season, and writes midnight as 00', () => {
    expect(absolute(Date.UTC(2026, 2, 29, 1, 0), 'Europe/Berlin')).toBe('2026-03-29 03:00+02');
    expect(absolute(Date.UTC(2026, 6, 1), 'UTC')).toBe('2026-07-01 00:00Z');
  });
});

describe('relative', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    [30_000, 'now'],
    [-90_000, '1 min ago'],
    [3 * 3_600_000, 'in 3 h'],
    [-3 * 86_400_000, '3 d ago'],
    [-100 * 86_400_000, '3 mo ago'],
    [-1000 * 86_400_000, '2 y ago'],
  ])('%d ms', (distance, text) => {
    expect(relative(now + distance, now)).toBe(text);
  });
});
