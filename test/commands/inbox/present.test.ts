import { expect, it } from 'vitest';
import { toReviewItem } from '../../../src/commands/inbox/present.ts';
import { toInboxItem } from '../../../src/pending/item.ts';

/** What the review screen says of a thing: days and times in the zone of the run, as short as in tables. */

const nobody = { load: async () => {}, of: () => null, record: () => undefined };
const names = { member: nobody, viewer: nobody, project: nobody, policy: nobody, category: nobody };

it.each([
  ['Europe/Berlin', 'Nov 16 00:30', 'Nov 16'],
  ['UTC', 'Nov 15 23:30', 'Nov 15'],
])('a time request is shown in %s', (timeZone, since, when) => {
  const row = {
    id: 'r',
    user_id: 4,
    start: '2026-11-15T23:15:00Z',
    end: '2026-11-16T00:45:00Z',
    created_at: '2026-11-15T23:30:00Z',
  };
  const waiting = {
    item: toInboxItem('time-request', row),
    warnings: [],
    unchecked: undefined,
    unreadable: 'its dates cannot be read',
    member: undefined,
    seconds: 432_000,
  };
  const shown = toReviewItem(waiting, { names, timeZone, today: '2026-11-20' });
  expect(new Map(shown.facts).get('waiting')).toBe(`5 d, since ${since} (${timeZone})`);
  expect([shown.when, shown.amount]).toEqual([when, '1:30']);
  expect(shown.warnings).toEqual(['not checked: its dates cannot be read']);
});

it.each([
  ['leave', { total: { days: 2, hours: 16 } }, ['days', '2 days (16:00 hours), paid']],
  ['leave', { total: { hours: 4 } }, ['hours', '4:00 hours, paid']],
  ['leave', {}, ['pay', 'paid']],
] as const)('how long a %s of %j is has the label of its unit', (kind, more, fact) => {
  const dates = { start_date: '2026-11-16', end_date: '2026-11-17', is_paid: true };
  const item = toInboxItem(kind, { id: 'l', user_id: 4, ...dates, ...more });
  const waiting = { item, warnings: [], unchecked: undefined, unreadable: undefined, member: undefined };
  const shown = toReviewItem({ ...waiting, seconds: 0 }, { names, timeZone: 'UTC', today: '2026-11-20' });
  expect(shown.facts).toContainEqual(fact);
});
