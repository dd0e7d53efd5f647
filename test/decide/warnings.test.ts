import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { type InboxItem, sortOldestFirst, toInboxItem } from '../../src/decide/item.ts';
import { listWarnings, type WarningContext } from '../../src/decide/warnings.ts';

const sheet = (more: Row = {}): InboxItem =>
  toInboxItem('timesheet', {
    id: 's1',
    status: 'submitted',
    user_id: 17,
    date_from: '2026-11-09',
    date_to: '2026-11-15',
    total_hours: 38,
    submitted_on: '2026-11-16T08:15:00Z',
    ...more,
  });
const leave = (more: Row = {}): InboxItem =>
  toInboxItem('leave', {
    id: 'l1',
    status: 'pending',
    user_id: 17,
    policy_id: 3,
    start_date: '2026-12-07',
    end_date: '2026-12-11',
    total: { days: 5, hours: 40 },
    note: 'Kerry',
    created_on: '2026-11-07T09:00:00Z',
    ...more,
  });
const time = (more: Row = {}): InboxItem =>
  toInboxItem('time-request', {
    id: 'r1',
    status: 'pending',
    user_id: 17,
    start: '2026-11-18T09:00:00+01:00',
    end: '2026-11-18T11:00:00+01:00',
    created_at: '2026-11-18T17:00:00Z',
    ...more,
  });

const TODAY = '2026-11-20';

const found = (item: InboxItem, more: Partial<WarningContext> = {}): readonly string[] =>
  listWarnings(item, {
    today: TODAY,
    waiting: [item],
    approved: [],
    weeklyLimit: undefined,
    member: undefined,
    policy: undefined,
    balance: undefined,
    contracts: { rows: [] },
    ...more,
  }).map(({ code, text }) => `${code}: ${text}`);

const OFF = { start_date: '2026-11-12', end_date: '2026-11-13' };

describe('what matters', () => {
  it.each<[InboxItem, Partial<WarningContext>, ...string[]]>([
    [sheet(), { weeklyLimit: 38 }],
    [
      sheet({ total_hours: 41.5 }),
      { weeklyLimit: 40 },
      'over_weekly_limit: 1:30 over the limit of 40:00 a week',
    ],
    [
      sheet({ date_from: '2026-10-01', date_to: '2026-10-31', total_hours: 170 }),
      {
        weeklyLimit: 40,
      },
    ],
    [
      sheet({ date_from: '2026-10-05', date_to: '2026-11-01', total_hours: 170 }),
      {
        weeklyLimit: 40,
      },
      'over_weekly_limit: 2:30 a week over the limit of 40:00 a week',
    ],
    [sheet({ total_hours: null }), { weeklyLimit: 40 }, 'not_checked: not checked: its hours cannot be read'],
    [
      sheet(),
      { weeklyLimit: null },
      "not_checked: not checked: its member's weekly limit is missing or cannot be read",
    ],
    [
      sheet({ total_hours: 0 }),
      { unread: 'approved leaves could not be read' },
      'no_hours: it has no hours',
      'not_checked: not checked: approved leaves could not be read',
    ],
    [sheet(), { waiting: [sheet(), leave(OFF)] }, 'overlaps_leave: also requests leave Nov 12–13'],
    [
      leave(OFF),
      { waiting: [sheet(), leave(OFF)] },
      'overlaps_timesheet: the timesheet Nov 9–15 is also waiting',
      'begun: began 8 days ago',
    ],
    [sheet(), { waiting: [sheet(), leave({ start_date: '2026-11-16', end_date: '2026-11-16' })] }],
    [sheet(), { approved: [leave({ ...OFF, id: 'l9' })] }, 'on_leave: on approved leave Nov 12–13'],
    [
      sheet(),
      {
        waiting: [sheet(), sheet({ id: 's2', date_from: '2026-11-15', date_to: '2026-11-21' })],
      },
      'same_time: another timesheet for Nov 15–21 is waiting',
    ],
    [
      sheet({ date_from: '2026-11-16', date_to: '2026-11-22', total_hours: 0 }),
      {},
      'not_over: its period ends Nov 22',
      'no_hours: it has no hours',
    ],
    [leave(), { balance: { amount: 3.5, unit: 'days' } }, 'over_balance: 5 days requested, 3.5 days left'],
    [leave(), { balance: { amount: 1, unit: 'hours' } }, 'over_balance: 40 hours requested, 1 hour left'],
    [leave(), { balance: { amount: 5, unit: 'days' } }],
    [leave(), { balance: { amount: 0, unit: 'days' }, policy: { allow_negative_balance: true } }],
    [
      leave({ note: null }),
      { policy: { reason_required: true } },
      'no_reason: the policy requires a reason, but none is given',
    ],
    [leave({ start_date: '2026-11-21' }), {}, 'soon: begins tomorrow'],
    [leave({ start_date: TODAY }), {}, 'soon: begins today'],
    [
      leave(),
      {
        waiting: [leave(), leave({ id: 'l2', start_date: '2026-12-11', end_date: '2026-12-14' })],
      },
      'same_time: another leave request for Dec 11–14 is waiting',
    ],
    [
      leave(),
      { approved: [leave({ id: 'l9', end_date: '2026-12-07' })] },
      'already_approved: leave Dec 7 is already approved',
    ],
    [
      time(),
      {
        waiting: [time(), time({ id: 'r2', start: '2026-11-18T09:30:00Z', end: '2026-11-18T10:30:00Z' })],
      },
      'same_time: another request for the same time is waiting',
    ],
    [
      time(),
      {
        waiting: [time(), time({ id: 'r2', start: '2026-11-18T10:00:00Z', end: '2026-11-18T11:00:00Z' })],
      },
    ],
    [time(), { approved: [time({ id: 'r9' })] }, 'already_approved: time on Nov 18 is already approved'],
    [
      time({ end: '2026-11-18T22:00:00+01:00' }),
      {
        approved: [leave({ start_date: '2026-11-18', end_date: '2026-11-18' })],
      },
      'on_leave: on approved leave Nov 18',
      'long: 13:00 in one go',
    ],
    [time({ start: '2026-11-25T09:00:00Z', end: '2026-11-25T10:00:00Z' }), {}, 'not_over: is for Nov 25'],
    [leave(), { member: { status: 'left' } }, 'not_active: the member is gone'],
    [
      leave(),
      { member: { status: 'active', deleted_at: '2026-11-01' } },
      'not_active: the member is archived',
    ],
    [
      toInboxItem('timesheet', { id: 'x', status: 'submitted' }),
      { weeklyLimit: 40 },
      'not_checked: not checked: its dates cannot be read',
    ],
    [
      toInboxItem('leave', { id: 'x', status: 'pending' }),
      { balance: { amount: 0, unit: 'days' } },
      'not_checked: not checked: its dates cannot be read',
    ],
    [
      toInboxItem('time-request', { id: 'x', status: 'pending' }),
      {},
      'not_checked: not checked: its dates cannot be read',
    ],
  ])('case %#', (item, more, ...expected) => {
    expect(found(item, more)).toEqual(expected);
  });
});

describe('items', () => {
  it('are read from the newer generation of timesheets too', () => {
    const item = toInboxItem('timesheet', {
      id: 1,
      total_minutes: 90,
      member: { id: 17, name: 'Ana' },
      date_from: '2026-11-09',
    });
    expect(item).toMatchObject({
      id: '1',
      hours: 1.5,
      userId: 17,
      memberName: 'Ana',
      from: '2026-11-09',
      to: null,
    });
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
