import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { type InboxItem, sortOldestFirst, toInboxItem } from '../../src/decide/item.ts';
import { listWarnings, type WarningContext } from '../../src/decide/warnings.ts';

const sheet = (more: Row = {}): InboxItem =>
  toInboxItem('timesheet', {
    ...{ id: 's1', status: 'submitted', user_id: 17, date_from: '2026-11-09', date_to: '2026-11-15' },
    ...{ total_hours: 38, submitted_on: '2026-11-16T08:15:00Z', ...more },
  });
const leave = (more: Row = {}): InboxItem =>
  toInboxItem('leave', {
    ...{
      id: 'l1',
      status: 'pending',
      user_id: 17,
      policy_id: 3,
      total: { days: 5, hours: 40 },
      note: 'Kerry',
    },
    ...{ start_date: '2026-12-07', end_date: '2026-12-11', created_on: '2026-11-07T09:00:00Z', ...more },
  });
const time = (more: Row = {}): InboxItem =>
  toInboxItem('time-request', {
    ...{ id: 'r1', status: 'pending', user_id: 17, created_at: '2026-11-18T17:00:00Z' },
    ...{ start: '2026-11-18T09:00:00+01:00', end: '2026-11-18T11:00:00+01:00', ...more },
  });

const TODAY = '2026-11-20';
const [DAYS, SICK, OCTOBER] = ['2026-11-18', '2026-11-12', '2026-10-05'];
const OFF = leave({ start_date: SICK, end_date: '2026-11-13', id: 'l9' });
const LONG_SHEET = sheet({ date_from: OCTOBER, date_to: '2026-11-01', total_hours: 170 });
const LONG_TIME = time({ end: '2026-11-18T22:00:00+01:00' });
const timeAt = (start: string, end: string) =>
  time({ id: 'r2', start: `${DAYS}T${start}Z`, end: `${DAYS}T${end}Z` });
const leaveOn = (start_date: string, end_date = start_date) => leave({ id: 'l2', start_date, end_date });
const days = (amount: number, unit: 'days' | 'hours' = 'days') => ({ balance: { amount, unit } });
const limit = (weeklyLimit: number | null) => ({ weeklyLimit });
const bare = (kind: InboxItem['kind']) =>
  toInboxItem(kind, { id: 'x', status: kind === 'timesheet' ? 'submitted' : 'pending' });
const NO_DATES = 'not_checked: not checked: its dates cannot be read';
const NO_LIMIT = "not_checked: not checked: its member's weekly limit is missing or cannot be read";

describe('what matters', () => {
  it.each<[InboxItem, Partial<WarningContext>, ...string[]]>([
    [sheet(), limit(38)],
    [sheet({ total_hours: 41.5 }), limit(40), 'over_weekly_limit: 1:30 over the limit of 40:00 a week'],
    [sheet({ date_from: '2026-10-01', date_to: '2026-10-31', total_hours: 170 }), limit(40)],
    [LONG_SHEET, limit(40), 'over_weekly_limit: 2:30 a week over the limit of 40:00 a week'],
    [sheet({ total_hours: null }), limit(40), 'not_checked: not checked: its hours cannot be read'],
    [sheet(), limit(null), NO_LIMIT],
    [sheet({ total_hours: 0 }), { unread: 'x' }, 'no_hours: it has no hours', 'not_checked: not checked: x'],
    [sheet(), { waiting: [sheet(), OFF] }, 'overlaps_leave: also requests leave Nov 12–13'],
    [
      OFF,
      { waiting: [sheet()] },
      'overlaps_timesheet: the timesheet Nov 9–15 is also waiting',
      'begun: began 8 days ago',
    ],
    [sheet(), { waiting: [sheet(), leaveOn('2026-11-16')] }],
    [sheet(), { approved: [OFF] }, 'on_leave: on approved leave Nov 12–13'],
    [
      sheet(),
      { waiting: [sheet(), sheet({ id: 's2', date_from: '2026-11-15', date_to: '2026-11-21' })] },
      'same_time: another timesheet for Nov 15–21 is waiting',
    ],
    [
      sheet({ date_from: '2026-11-16', date_to: '2026-11-22', total_hours: 0 }),
      {},
      'not_over: its period ends Nov 22',
      'no_hours: it has no hours',
    ],
    [leave(), days(3.5), 'over_balance: 5 days requested, 3.5 days left'],
    [leave(), days(1, 'hours'), 'over_balance: 40 hours requested, 1 hour left'],
    [leave(), days(5)],
    [leave(), { ...days(0), policy: { allow_negative_balance: true } }],
    [
      leave({ note: null }),
      { policy: { reason_required: true } },
      'no_reason: the policy requires a reason, but none is given',
    ],
    [leave({ start_date: '2026-11-21' }), {}, 'soon: begins tomorrow'],
    [leave({ start_date: TODAY }), {}, 'soon: begins today'],
    [
      leave(),
      { waiting: [leave(), leaveOn('2026-12-11', '2026-12-14')] },
      'same_time: another leave request for Dec 11–14 is waiting',
    ],
    [leave(), { approved: [leaveOn('2026-12-07')] }, 'already_approved: leave Dec 7 is already approved'],
    [
      time(),
      { waiting: [time(), timeAt('09:30', '10:30')] },
      'same_time: another request for the same time is waiting',
    ],
    [time(), { waiting: [time(), timeAt('10:00', '11:00')] }],
    [time(), { approved: [time({ id: 'r9' })] }, 'already_approved: time on Nov 18 is already approved'],
    [LONG_TIME, { approved: [leaveOn(DAYS)] }, 'on_leave: on approved leave Nov 18', 'long: 13:00 in one go'],
    [time({ start: '2026-11-25T09:00:00Z', end: '2026-11-25T10:00:00Z' }), {}, 'not_over: is for Nov 25'],
    [leave(), { member: { status: 'left' } }, 'not_active: the member is gone'],
    [leave(), { member: { status: 'active', deleted_at: TODAY } }, 'not_active: the member is archived'],
    [bare('timesheet'), limit(40), NO_DATES],
    [bare('leave'), days(0), NO_DATES],
    [bare('time-request'), {}, NO_DATES],
  ])('case %#', (item, more, ...expected) => {
    const found = listWarnings(item, {
      ...{ today: TODAY, waiting: [item], approved: [], weeklyLimit: undefined, member: undefined },
      ...{ policy: undefined, balance: undefined, contracts: { rows: [] }, ...more },
    });
    expect(found.map(({ code, text }) => `${code}: ${text}`)).toEqual(expected);
  });
});

describe('items', () => {
  it('are read from the newer generation of timesheets too', () => {
    const row = { id: 1, total_minutes: 90, member: { id: 17, name: 'Ana' }, date_from: '2026-11-09' };
    const item = { id: '1', hours: 1.5, userId: 17, memberName: 'Ana', from: '2026-11-09', to: null };
    expect(toInboxItem('timesheet', row)).toMatchObject(item);
  });

  it('come the oldest first; without a time by what they are about; equal ones as they came', () => {
    const items = [
      sheet({ id: 'c', submitted_on: '2026-11-16 08:15:00' }),
      leave({ id: 'a', created_on: '2026-11-07' }),
      time({ id: 'd' }),
      sheet({ id: 'b', submitted_on: null }),
      sheet({ id: 'c2', submitted_on: '2026-11-16T09:15:00+01:00' }),
      leave({ id: 'z', created_on: null, start_date: null }),
    ];
    expect(sortOldestFirst(items).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'c2', 'd', 'z']);
  });
});
