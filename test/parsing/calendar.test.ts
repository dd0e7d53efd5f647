import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  addMonthsToDay,
  getOffsetMinutes,
  getToday,
  isDay,
  parseDateTime,
  parseDay,
  parsePeriod,
  parseWrittenDay,
} from '../../src/parsing/calendar.ts';

/** Days are text, ranges are computed in a named zone, and the zone of the process says nothing. */

const on = (day: string) => () => day;
const never = (): string => {
  throw new Error('the clock was asked');
};
const period = (text: string, day = '2026-11-20') => {
  const { from, to } = parsePeriod(text, on(day));
  return `${from} ${to}`;
};
it.each([
  ['Jan 5, 2024', '2024-01-05'],
  ['Jan 15 2024', '2024-01-15'],
  ['Jan 15, 2024, 10:00', '2024-01-15'],
  ['Feb 30, 2024', undefined],
  ['Foo 5, 2024', undefined],
  ['2024-01-15', undefined],
])('%s is the day %s', (text, day) => expect(parseWrittenDay(text)).toBe(day));

const moment = (text: string, zone: string) => parseDateTime(text, () => zone);

it.each(['2026-02-28', '2024-02-29', '2000-02-29', '0099-01-01'])('a day %s exists', (text) =>
  expect([isDay(text), parseDay(text, never)]).toEqual([true, text]),
);

it.each([
  ...['2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00'],
  ...['', '2026-2-3', '20260203', '2026-02-03T00:00', '30.02.2026', '٢٠٢٦-٠٢-٠٣', '-7', '7d', '-d', 'now'],
])('a day %j is none', (text) => {
  expect(() => parseDay(text, on('2026-11-20'))).toThrow(UsageError);
  expect(() => parseDay(text, on('2026-11-20'))).toThrow(`"${text}" is not a valid date`);
});

it.each([
  ['today', '2026-03-01', '2026-03-01'],
  ['3.02.2026', '2026-03-01', '2026-02-03'],
  ['yesterday', '2024-03-01', '2024-02-29'],
  ['yesterday', '2026-01-01', '2025-12-31'],
  ['tomorrow', '2026-11-20', '2026-11-21'],
  ['+1d', '2026-12-31', '2027-01-01'],
  ['-366d', '2025-01-01', '2024-01-01'],
  // The clocks change between the two: a day is not always 24 hours.
  ['yesterday', '2026-03-09', '2026-03-08'],
  ['-1d', '2026-11-02', '2026-11-01'],
])('a day %s on %s is %s', (text, day, expected) => expect(parseDay(text, on(day))).toBe(expected));

it.each([
  ['2023-08-31', 6, '2024-02-29'],
  ['2026-11-02', 6, '2027-05-02'],
  ['2026-12-31', 2, '2027-02-28'],
])('a day %s and %i months is %s', (day, months, expected) =>
  expect(addMonthsToDay(day, months)).toBe(expected),
);

it.each([
  ['last-week', '2026-11-20', '2026-11-09 2026-11-15'],
  ['this-week', '2026-11-16', '2026-11-16 2026-11-22'],
  ['this-week', '2026-11-22', '2026-11-16 2026-11-22'],
  ['last-week', '2026-01-01', '2025-12-22 2025-12-28'],
  ['this-month', '2024-02-29', '2024-02-01 2024-02-29'],
  ['last-month', '2026-03-31', '2026-02-01 2026-02-28'],
  ['this-quarter', '2026-12-31', '2026-10-01 2026-12-31'],
  ['last-quarter', '2026-02-01', '2025-10-01 2025-12-31'],
  ['next-week', '2026-11-22', '2026-11-23 2026-11-29'],
  ['next-2-weeks', '2026-11-22', '2026-11-23 2026-12-06'],
  ['next-1-weeks', '2026-11-23', '2026-11-30 2026-12-06'],
  ['next-month', '2026-12-31', '2027-01-01 2027-01-31'],
  ['next-quarter', '2026-11-20', '2027-01-01 2027-03-31'],
  ['last-year', '2026-01-01', '2025-01-01 2025-12-31'],
  ['yesterday', '2026-03-01', '2026-02-28 2026-02-28'],
])('the period %s on %s is %s', (text, day, expected) => expect(period(text, day)).toBe(expected));

it.each([
  ['2026-W01', '2025-12-29 2026-01-04'],
  ['2026-W53', '2026-12-28 2027-01-03'],
  ['2027-W01', '2027-01-04 2027-01-10'],
  ['2024-02', '2024-02-01 2024-02-29'],
  ['2026-12', '2026-12-01 2026-12-31'],
  ['2026-Q1', '2026-01-01 2026-03-31'],
  ['2026-Q4', '2026-10-01 2026-12-31'],
  ['2026', '2026-01-01 2026-12-31'],
  ['2026-11-20', '2026-11-20 2026-11-20'],
  ['9.11.2026', '2026-11-09 2026-11-09'],
])('a period %s needs no clock', (text, expected) => {
  const { from, to } = parsePeriod(text, never);
  expect(`${from} ${to}`).toBe(expected);
});

it.each([
  ...['2027-W53', '2026-W00', '2026-W54', '2026-W5', '2026-13', '2026-00', '2026-Q0', '2026-Q5'],
  ...['2026-02-30', '30.02.2026', 'next-0-weeks', 'next-day', 'this-decade', 'last-day', 'LAST-WEEK', ''],
])('a period %j is none, and what would be one is said', (text) => {
  const hint = expect.stringMatching(/last-week|YYYY-MM-DD/);
  expect(() => parsePeriod(text, on('2026-11-20'))).toThrow(expect.objectContaining({ exit: 2, hint }));
});

it('a period by week covers every day once, and each week has seven', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2000, max: 2100 }), (year) => {
      const weeks: { from: string; to: string }[] = [];
      for (let week = 1; week <= 53; week += 1) {
        try {
          weeks.push(parsePeriod(`${year}-W${String(week).padStart(2, '0')}`, never));
        } catch (error) {
          if (!(error instanceof UsageError) || week !== 53) throw error;
        }
      }
      const next = parsePeriod(`${year + 1}-W01`, never);
      for (const [index, { from, to }] of weeks.entries()) {
        expect(parseDay('+6d', on(from))).toBe(to);
        expect(parseDay('+1d', on(to))).toBe((weeks[index + 1] ?? next).from);
      }
    }),
    { numRuns: 30 },
  );
});

const at = (iso: string, zone: string) => getToday(Date.parse(iso), zone);
it.each([
  ['2026-11-20T10:30:00Z', 'UTC', '2026-11-20'],
  ['2026-11-20T10:30:00Z', 'Pacific/Kiritimati', '2026-11-21'],
  ['2026-11-20T18:29:59Z', 'Asia/Kolkata', '2026-11-20'],
  ['2026-11-20T18:30:00Z', 'Asia/Kolkata', '2026-11-21'],
  ['2026-11-20T04:59:59Z', 'America/New_York', '2026-11-19'],
  ['2027-01-01T00:30:00Z', 'America/New_York', '2026-12-31'],
  // Night of the change: 23:30 in summer, an hour later 23:30 is past.
  ['2026-10-24T22:30:00Z', 'Europe/Berlin', '2026-10-25'],
  ['2026-10-25T22:30:00Z', 'Europe/Berlin', '2026-10-25'],
])('at %s in %s today is %s', (iso, zone, day) => expect(at(iso, zone)).toBe(day));

it('the day of a zone that is none is wrong usage', () =>
  expect(() => at('2026-11-20T10:30:00Z', 'Europe/Atlantis')).toThrow(UsageError));

it.each([
  ['2026-11-20T09:00', 'Europe/Berlin', '2026-11-20T09:00:00+01:00'],
  ['2026-07-20T09:00', 'Europe/Berlin', '2026-07-20T09:00:00+02:00'],
  ['2026-11-20T09:00:30', 'America/New_York', '2026-11-20T09:00:30-05:00'],
  ['2026-11-20 09:00', 'Asia/Kolkata', '2026-11-20T09:00:00+05:30'],
  ['2026-11-20T09:00', 'UTC', '2026-11-20T09:00:00+00:00'],
  ['2026-11-20T09:00', 'America/St_Johns', '2026-11-20T09:00:00-03:30'],
  // Last and first minutes around the gap …
  ['2026-03-08T01:59', 'America/New_York', '2026-03-08T01:59:00-05:00'],
  ['2026-03-08T03:00', 'America/New_York', '2026-03-08T03:00:00-04:00'],
  // … and around the fold: what comes twice is the first.
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T01:30:00-04:00'],
  ['2026-11-01T02:00', 'America/New_York', '2026-11-01T02:00:00-05:00'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T02:30:00+02:00'],
])('the moment %s in %s is %s', (text, zone, expected) => expect(moment(text, zone)).toBe(expected));

it.each([
  ['2026-03-08T02:00', 'America/New_York'],
  ['2026-03-29T02:30', 'Europe/Berlin'],
  // Kiritimati moved over the date line: that day never was.
  ['1994-12-31T12:00', 'Pacific/Kiritimati'],
])('a moment %s does not exist in %s', (text, zone) => {
  expect(() => moment(text, zone)).toThrow(`does not exist in ${zone}`);
  expect(() => moment(text, zone)).toThrow(UsageError);
});

it.each([
  ['2026-11-20T09:00Z', '2026-11-20T09:00:00+00:00'],
  ['2026-11-20T09:00+0530', '2026-11-20T09:00:00+05:30'],
  ['2026-11-20T09:00:15-05:00', '2026-11-20T09:00:15-05:00'],
])('a moment %s brings its own offset', (text, expected) =>
  expect(parseDateTime(text, never)).toBe(expected),
);

it.each([
  ...['2026-02-30T09:00', '2026-11-20T24:00', '2026-11-20T09:60', '2026-11-20', '09:00', 'now', ''],
  // An offset that no place has.
  ...['2026-11-20T09:00+99:00', '2026-11-20T09:00+05:60', '2026-11-20T09:00-15:00'],
])('a moment %j is no time', (text) => expect(() => moment(text, 'UTC')).toThrow(UsageError));

it('a moment has the offset that the zone has at that moment', () => {
  const zones = ['America/New_York', 'Europe/Berlin', 'Pacific/Kiritimati', 'Australia/Lord_Howe'];
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      (date, zone) => {
        const ms = Math.floor(date.getTime() / 1000) * 1000;
        const offset = getOffsetMinutes(ms, zone);
        const wall = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
        const again = Date.parse(moment(wall, zone));
        // In a fold the wall clock names the first of two moments.
        expect([0, 1_800_000, 3_600_000]).toContain(ms - again);
        expect(new Date(again + getOffsetMinutes(again, zone) * 60_000).toISOString().slice(0, 19)).toBe(
          wall,
        );
      },
    ),
    { numRuns: 200 },
  );
});
