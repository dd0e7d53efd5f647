import { describe, expect, it } from 'vitest';
import { addDays, getToday, isDay, parsePeriod } from '../../src/parsing/calendar.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { openCli, type Row, sandboxClock } from '../support/use-cli.ts';

/** What the seeds tell is true on any day of the year, by whatever command it is asked. */

const ZONE = 'Europe/Berlin';
const LATE = /^(no_timesheet|not_submitted|rejected)$/;
const WAITING = /^(waiting|over_limit|sheet_on_leave)$/;
const emails = (rows: readonly Row[]) => rows.map(({ email }) => email);
const overMonthEnd = (row: Row) =>
  String(row['date_from']).slice(5, 7) !== String(row['date_to']).slice(5, 7);

describe.each([
  ['the last day of a year', '2026-12-31T22:30:00Z'],
  ['a leap day', '2028-02-29T12:00:00Z'],
  ['the day on which summer time begins', '2027-03-28T01:30:00Z'],
  ['the day on which it ends', '2026-10-25T00:30:00Z'],
  ['a day after two months that ended with a week', '2027-03-17T12:00:00Z'],
])('O21: on %s', (_, at) => {
  const now = Date.parse(at);
  const lastWeek = parsePeriod('last-week', () => getToday(now, ZONE));
  const open = (sandbox: string) =>
    openCli({ sandbox, clock: { ...sandboxClock, now: () => now }, env: { TZ: ZONE } });

  it.each([
    ['demo', [7, 3, 3], ['ida@lindenhof.example', 'ravi@lindenhof.example']],
    ['agency', [60, 12, 12], []],
    ['month-end', [180, 40, 60], []],
  ])('%s is the same in status, inbox and close check', async (seed, waiting, late) => {
    const t = await open(seed);
    const [status, inbox] = [await t.json('status'), await t.rows('inbox')];
    const close: readonly Row[] = await t.json('close check --period last-week');
    const closed = (codes: RegExp) =>
      emails(close.filter(({ code }) => codes.test(String(code))).map(({ member }) => member as Row));
    const { timesheets, leaves, time_requests } = status.waiting;
    expect([timesheets, leaves, time_requests]).toEqual(waiting);
    const ofKind = (wanted: string) => inbox.filter(({ kind }) => kind === wanted);
    expect(['timesheet', 'leave', 'time-request'].map((kind) => ofKind(kind).length)).toEqual(waiting);
    const ofLastWeek = ofKind('timesheet').filter(({ date_from }) => date_from === lastWeek.from);
    expect(closed(WAITING).sort()).toEqual(emails(ofLastWeek).sort());
    expect(emails(await t.rows('timesheets missing --period last-week'))).toEqual(late);
    expect([emails(status.not_submitted), closed(LATE)]).toEqual([late, late]);
  });

  it('demo has who is away, a timesheet over the end of a month, a long reason; month-end the month', async () => {
    const [t, monthEnd] = [await open('demo'), await open('month-end')];
    const [grace] = await t.rows('leaves away --period today');
    expect(grace).toMatchObject({ status: 'approved', user_id: 104 });
    expect(emails((await t.json('status')).away.today)).toEqual(['grace@lindenhof.example']);
    const sheets = await t.rows('timesheets list');
    expect(sheets.some(overMonthEnd)).toBe(true);
    const [rejected] = sheets.filter(({ status }) => status === 'rejected');
    expect(String(rejected?.['reject_reason']).length).toBeGreaterThan(80);
    const month: readonly Row[] = await monthEnd.json('close check --period last-month');
    expect(month.filter(({ code }) => LATE.test(String(code)))).toEqual([]);
  });

  it.each(['demo', 'agency', 'month-end', 'messy', 'big:50', 'empty'])(
    '%s has valid records',
    async (seed) => {
      const world = await createSeed(seed, { now });
      const days = JSON.stringify(world).match(/(?<=")\d{4}-\d\d-\d\d(?=["T])/g) ?? [];
      expect(days.filter((day) => !isDay(day))).toEqual([]);
      for (const { timesheets, leaves } of Object.values(world.spaces)) {
        const all = Object.values(timesheets);
        expect(all.filter((sheet) => sheet.date_to !== addDays(sheet.date_from, 6))).toEqual([]);
        expect(new Set(all.map((sheet) => `${sheet.user_id} ${sheet.date_from}`)).size).toBe(all.length);
        expect(Object.values(leaves).filter((leave) => leave.start_date > leave.end_date)).toEqual([]);
      }
    },
  );
});
