import { describe, expect, it } from 'vitest';
import {
  formatAbsolute,
  formatBrief,
  formatBriefPeriod,
  formatPeriod,
  formatRelative,
  toDay,
  toInstant,
} from '../../src/output/scalars.ts';
import { formatBriefDay } from '../../src/parsing/calendar.ts';

describe('toInstant', () => {
  it.each([
    '2026-03-29T00:30:00Z',
    '2026-03-29T00:30:00.000000Z',
    '2026-03-29 02:30+02',
    '2026-03-29T02:30:00+0200',
  ])('reads %s', (text) => {
    expect(toInstant(text)).toBe(Date.UTC(2026, 2, 29, 0, 30));
  });
  it.each(['2026-03-29', '2026-03-29 00:30:00', 'Jan 15, 2024', '2026-13-45T00:00Z', 7, null])(
    'leaves %s',
    (value) => {
      expect(toInstant(value)).toBeUndefined();
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
    expect(formatAbsolute(Date.UTC(2026, 2, 29, 0, 30), zone)).toBe(text);
  });
});

describe('days', () => {
  const now = Date.UTC(2026, 10, 20);
  it.each([
    ['2026-11-09', '2026-11-09'],
    ['2026-11-09T23:30:00-08:00', '2026-11-09'],
    ['Jan 5, 2024', '2024-01-05'],
    ['Foo 5, 2024', undefined],
    ['2026-13-01', undefined],
    [7, undefined],
  ])('%s is %s', (value, day) => expect(toDay(value)).toBe(day));

  it('are short where that is clear', () => {
    expect([formatBriefDay('2026-11-09', now), formatBriefDay('2027-01-05', now)]).toEqual([
      'Nov 9',
      'Jan 5 2027',
    ]);
    expect(formatBrief(Date.UTC(2026, 10, 9, 8, 15), 'Europe/Berlin', now)).toBe('Nov 9 09:15+01');
  });

  it.each([
    ['2026-11-09/2026-11-15', 'Nov 9–15', '2026-11-09 to 2026-11-15'],
    ['2026-10-26/2026-11-01', 'Oct 26–Nov 1', '2026-10-26 to 2026-11-01'],
    ['2026-11-09/2026-11-09', 'Nov 9', '2026-11-09'],
    ['2025-11-09/2025-11-15', 'Nov 9–15 2025', '2025-11-09 to 2025-11-15'],
    ['2025-12-29/2026-01-04', 'Dec 29 2025–Jan 4 2026', '2025-12-29 to 2026-01-04'],
    ['2026-11-09/..', undefined, undefined],
    [null, undefined, undefined],
  ])('the period %s is %s', (value, short, long) => {
    expect([formatBriefPeriod(value, now, '–'), formatPeriod(value)]).toEqual([short, long]);
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
    expect(formatRelative(now + distance, now)).toBe(text);
  });
});
