import { expect, it } from 'vitest';
import type { Row } from '../../../src/api/page.ts';
import { toReviewItem, toSafeEvidence } from '../../../src/commands/inbox/items.ts';
import { type InboxKind, toInboxItem } from '../../../src/decide/item.ts';

/** What the review screen says of a thing: days and times in the zone of the run, as short as in tables. */

const nobody = { load: async () => {}, of: () => null, record: () => undefined };
const names = { member: nobody, viewer: nobody, project: nobody, policy: nobody, category: nobody };

const show = (kind: InboxKind, row: Row, timeZone = 'UTC') => {
  const around = {
    ...{ today: '2026-11-20', waiting: [], approved: [], weeklyLimit: undefined, member: undefined },
    ...{ policy: undefined, balance: undefined, contracts: { rows: [] } },
  };
  const item = toInboxItem(kind, { id: 'x', user_id: 4, ...row });
  const warnings = [{ code: 'not_checked', text: 'not checked: its dates cannot be read' }] as const;
  const pending = { item, around, warnings, seconds: 432_000 };
  return toReviewItem(pending, { names, timeZone, today: '2026-11-20' });
};

it.each([
  ['Europe/Berlin', 'Nov 16 00:30', 'Nov 16'],
  ['UTC', 'Nov 15 23:30', 'Nov 15'],
])('a time request is shown in %s', (timeZone, since, when) => {
  const times = { start: '2026-11-15T23:15:00Z', end: '2026-11-16T00:45:00Z' };
  const shown = show('time-request', { ...times, created_at: '2026-11-15T23:30:00Z' }, timeZone);
  expect(new Map(shown.facts()).get('waiting')).toBe(`5 d, since ${since} (${timeZone})`);
  expect([shown.when, shown.amount]).toEqual([when, '1:30']);
  expect(shown.warnings).toEqual(['not checked: its dates cannot be read']);
});

it.each([
  ['leave', { total: { days: 2, hours: 16 } }, '2 days, 16:00 hours, paid'],
  ['leave', { total: { hours: 4 } }, '4:00 hours, paid'],
  ['leave', {}, 'paid'],
] as const)('how long a %s of %j is', (kind, more, length) => {
  const dates = { start_date: '2026-11-16', end_date: '2026-11-17', is_paid: true };
  expect(show(kind, { ...dates, ...more }).facts()).toContainEqual(['length', length]);
});

it('shows nothing of the service as it came', () => {
  const hostile = '\x1b]0;owned\x07\u202e\n  x';
  const shown = show('leave', { note: hostile, member: { name: hostile } });
  const fact = new Map(shown.facts()).get('note');
  expect([shown.note, fact]).toEqual(['\\x1b]0;owned\\x07\\u202e\\n x', '\\x1b]0;owned\\x07\\u202e\n  x']);
  expect(JSON.stringify([shown.who, shown.facts()])).not.toMatch(/\\u001b|\u202e/);
  const evidence = toSafeEvidence([{ label: hostile, lines: [hostile] }]);
  expect(JSON.stringify(evidence)).not.toMatch(/\\u001b|\u202e/);
});
