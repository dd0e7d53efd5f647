import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import type { Column } from '../../src/output/list-view.ts';
import { contracts } from '../../src/resources/contracts.ts';
import { expenses } from '../../src/resources/expenses.ts';
import { leaves } from '../../src/resources/leaves.ts';
import type { Names } from '../../src/resources/names.ts';
import { tasks } from '../../src/resources/tasks.ts';
import { timeRequests } from '../../src/resources/time-requests.ts';
import { timesheets } from '../../src/resources/timesheets.ts';
import { webhooks } from '../../src/resources/webhooks.ts';
import { capture } from '../output/capture.ts';

/** What a question says of a record: days and hours as a narrow table has them. Records as the service has them. */

const source = (kind: string) => ({
  loaded: [] as unknown[],
  async load(ids: readonly unknown[]) {
    this.loaded.push(...ids);
  },
  of: (id: unknown) => (id == null ? null : `${kind} ${id}`),
  record: () => undefined,
});
const named = () => ({
  member: source('member'),
  viewer: source('viewer'),
  project: source('project'),
  policy: source('policy'),
  category: source('category'),
});

const said = async (row: Row, columns: (names: Names) => readonly Column[], timeZone = 'Europe/Berlin') => {
  const [words] = await capture('table', { timeZone: () => timeZone }).output.inWords(
    [row],
    columns(named()),
  );
  return words;
};

const DAYS = { start_date: '2026-11-30', end_date: '2026-12-04' };
const TIMES = { start: '2026-11-19T23:30:00+00:00', end: '2026-11-20T01:45:00+00:00' };
const WEEK = { id: 't1', user_id: 4, date_from: '2026-11-09', date_to: '2026-11-15' };
const YEARS = { ...WEEK, date_from: '2026-12-28', date_to: '2027-01-03' };
const TAXI = { id: 'e', member: 'Ana', expense_name: 'Taxi', expense_date: 'Nov 9, 2026', amount: 12.5 };

describe('a record in words', () => {
  it.each<
    [what: string, row: Row, label: Parameters<typeof said>[1], words: readonly string[], zone?: string]
  >([
    [
      'its period and hours',
      { ...WEEK, total_hours: 38.5 },
      timesheets.label,
      ['member 4', 'Nov 9–15', '38:30', 't1'],
    ],
    [
      'minutes',
      { ...YEARS, total_minutes: 90 },
      timesheets.label,
      ['member 4', 'Dec 28 2026–Jan 3 2027', '1:30', 't1'],
    ],
    [
      'days',
      { id: 9, user_id: 4, policy_id: 2, ...DAYS, total: { days: 5, hours: 40 } },
      leaves.label,
      ['member 4', 'Nov 30–Dec 4', '5 d', 'policy 2', '9'],
    ],
    [
      'no days',
      { id: 9, user_id: 4, policy_id: 2, ...DAYS },
      leaves.label,
      ['member 4', 'Nov 30–Dec 4', '', 'policy 2', '9'],
    ],
    [
      'its beginning in the zone',
      { id: 'r', user_id: 4, ...TIMES },
      timeRequests.label,
      ['member 4', 'Nov 20 00:30+01', '2:15', '', 'r'],
    ],
    [
      'another zone',
      { id: 'r', user_id: 4, ...TIMES },
      timeRequests.label,
      ['member 4', 'Nov 19 23:30Z', '2:15', '', 'r'],
      'UTC',
    ],
    ['its day as it is written', TAXI, expenses.label, ['Ana', 'Taxi', 'Nov 9', '12.50', 'e']],
    ['a word for a number', { id: 5, title: 'Draw', status: 10 }, tasks.label, ['Draw', 'in-progress', '5']],
    [
      'nothing',
      { id: 'w', url: 'https://x.example', events: [] },
      webhooks.label,
      ['https://x.example', '', 'w'],
    ],
    ['ids alone', { id: 1, user_id: 17, project_id: 5 }, contracts.label, ['17', 'on 5', '1']],
  ])('has %s', async (_what, row, label, expected, zone) => {
    expect(await said(row, label, zone)).toEqual(expected);
  });

  it('fetches the names once for all records', async () => {
    const names = named();
    const rows = [1, 2].map((user_id) => ({ id: user_id, user_id }));
    await capture('table').output.inWords(rows, timesheets.label(names));
    expect(names.member.loaded).toEqual([1, 2]);
  });
});
