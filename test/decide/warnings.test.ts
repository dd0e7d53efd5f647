import { expect, it } from 'vitest';
import { type InboxItem, sortOldestFirst, toInboxItem } from '../../src/decide/item.ts';
import { listWarnings, WARNING_CODES, type WarningContext } from '../../src/decide/warnings.ts';
import { readDocument } from '../support/documents.ts';
import * as records from '../support/records.ts';
import type { Row } from '../support/use-cli.ts';

const sheet = (more: Row = {}) => toInboxItem('timesheet', records.timesheet('s1', 17, 38, more));
const leave = (more: Row = {}) =>
  toInboxItem('leave', records.leave('l1', 17, 5, { note: 'Kerry', ...more }));
const leaveOn = (start_date: string, end_date = start_date) => leave({ id: 'l2', start_date, end_date });
/** On 18 November. */
const time = (start = '09:00+01:00', end = '11:00+01:00', id = 'r1') => {
  const [from, to] = [start, end].map((clock) => `2026-11-18T${clock}`);
  return toInboxItem('time-request', records.timeRequest(id, 17, { start: from, end: to }));
};
const days = (amount: number, unit: 'days' | 'hours' = 'days') => ({ balance: { amount, unit } });
const limit = (weeklyLimit: number | null) => ({ weeklyLimit });

const OFF = leave({ start_date: '2026-11-12', end_date: '2026-11-13', id: 'l9' });
const NO_DATES = 'not_checked: not checked: its dates cannot be read';

it.each<[warnings: string, item: InboxItem, around: Partial<WarningContext>]>([
  ['', sheet(), limit(38)],
  ['over_weekly_limit: 1:30 over the limit of 40:00 a week', sheet({ total_hours: 41.5 }), limit(40)],
  ['', sheet({ date_from: '2026-10-01', date_to: '2026-10-31', total_hours: 170 }), limit(40)],
  [
    'over_weekly_limit: 2:30 a week over the limit of 40:00 a week',
    sheet({ date_from: '2026-10-05', date_to: '2026-11-01', total_hours: 170 }),
    limit(40),
  ],
  ['not_checked: not checked: its hours cannot be read', sheet({ total_hours: null }), limit(40)],
  [
    "not_checked: not checked: its member's weekly limit is missing or cannot be read",
    ...([sheet(), limit(null)] as const),
  ],
  ['no_hours: it has no hours; not_checked: not checked: x', sheet({ total_hours: 0 }), { unread: 'x' }],
  ['overlaps_leave: also requests leave Nov 12–13', sheet(), { waiting: [sheet(), OFF] }],
  [
    'overlaps_timesheet: the timesheet Nov 9–15 is also waiting; begun: began 8 days ago',
    ...([OFF, { waiting: [sheet()] }] as const),
  ],
  ['', sheet(), { waiting: [sheet(), leaveOn('2026-11-16')] }],
  ['on_leave: on approved leave Nov 12–13', sheet(), { approved: [OFF] }],
  [
    'same_time: another timesheet for Nov 15–21 is waiting',
    sheet(),
    { waiting: [sheet(), sheet({ id: 's2', date_from: '2026-11-15', date_to: '2026-11-21' })] },
  ],
  [
    'not_over: its period ends Nov 22; no_hours: it has no hours',
    sheet({ date_from: '2026-11-16', date_to: '2026-11-22', total_hours: 0 }),
    {},
  ],
  ['over_balance: 5 days requested, 3.5 days left', leave(), days(3.5)],
  ['over_balance: 40 hours requested, 1 hour left', leave(), days(1, 'hours')],
  ['', leave(), days(5)],
  ['', leave(), { ...days(0), policy: { allow_negative_balance: true } }],
  [
    'no_reason: the policy requires a reason, but none is given',
    ...([leave({ note: null }), { policy: { reason_required: true } }] as const),
  ],
  ['soon: begins tomorrow', leave({ start_date: '2026-11-21' }), {}],
  ['soon: begins today', leave({ start_date: '2026-11-20' }), {}],
  [
    'same_time: another leave request for Dec 11–14 is waiting',
    ...([leave(), { waiting: [leave(), leaveOn('2026-12-11', '2026-12-14')] }] as const),
  ],
  ['already_approved: leave Dec 7 is already approved', leave(), { approved: [leaveOn('2026-12-07')] }],
  // It begins and ends an hour earlier in UTC.
  [
    'same_time: another request for the same time is waiting',
    ...([time(), { waiting: [time(), time('09:30Z', '10:30Z', 'r2')] }] as const),
  ],
  ['', time(), { waiting: [time(), time('10:00Z', '11:00Z', 'r2')] }],
  [
    'already_approved: time on Nov 18 is already approved',
    ...([time(), { approved: [time('09:00Z', '10:00Z', 'r9')] }] as const),
  ],
  [
    'on_leave: on approved leave Nov 18; long: 13:00 in one go',
    ...([time('08:00Z', '21:00Z'), { approved: [leaveOn('2026-11-18')] }] as const),
  ],
  ['not_over: its day, Nov 18, is not over', time(), { today: '2026-11-10' }],
  ['not_active: the member is gone', leave(), { member: { status: 'left' } }],
  ['not_active: the member is archived', leave(), { member: { status: 'active', deleted_at: '2026-11-20' } }],
  [NO_DATES, toInboxItem('timesheet', { id: 'x', status: 'submitted' }), limit(40)],
  [NO_DATES, toInboxItem('leave', { id: 'x', status: 'pending' }), days(0)],
  [NO_DATES, toInboxItem('time-request', { id: 'x', status: 'pending' }), {}],
])('the warnings are "%s"', (warnings, item, around) => {
  const found = listWarnings(item, {
    ...{ today: '2026-11-20', waiting: [item], approved: [], weeklyLimit: undefined, member: undefined },
    ...{ policy: undefined, balance: undefined, contracts: { rows: [] }, ...around },
  });
  const given = JSON.stringify([item.record, around]);
  expect(found.map(({ code, text }) => `${code}: ${text}`).join('; '), given).toBe(warnings);
});

it('docs/deciding.md has every code in its table', () => {
  const page = readDocument('docs/deciding.md');
  expect(WARNING_CODES.filter((code) => !page.includes(`\n| \`${code}\` | `))).toEqual([]);
});

it('items are read from the newer generation of timesheets too', () => {
  const row = { id: 1, total_minutes: 90, member: { id: 17, name: 'Ana' }, date_from: '2026-11-09' };
  const item = { id: '1', hours: 1.5, userId: 17, memberName: 'Ana', from: '2026-11-09', to: null };
  expect(toInboxItem('timesheet', row)).toMatchObject(item);
});

it('items come the oldest first; without a time by what they are about; equal ones as they came', () => {
  const items = [
    sheet({ id: 'c', submitted_on: '2026-11-16 08:15:00' }),
    leave({ id: 'a', created_on: '2026-11-07' }),
    time('09:00Z', '11:00Z', 'd'),
    sheet({ id: 'b', submitted_on: null }),
    sheet({ id: 'c2', submitted_on: '2026-11-16T09:15:00+01:00' }),
    leave({ id: 'z', created_on: null, start_date: null }),
  ];
  expect(sortOldestFirst(items).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'c2', 'd', 'z']);
});
