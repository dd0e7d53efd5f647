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

describe('a record in words', () => {
  it('is a timesheet with its period and its hours', async () => {
    const sheet = { id: 't1', user_id: 4, date_from: '2026-11-09', date_to: '2026-11-15', total_hours: 38.5 };
    expect(await said(sheet, timesheets.label)).toEqual(['member 4', 'Nov 9–15', '38:30', 't1']);
    const { total_hours: _hours, ...newer } = sheet;
    const minutes = { ...newer, date_to: '2027-01-03', date_from: '2026-12-28', total_minutes: 90 };
    expect(await said(minutes, timesheets.label)).toEqual([
      'member 4',
      'Dec 28 2026–Jan 3 2027',
      '1:30',
      't1',
    ]);
  });

  it('is a leave with its days', async () => {
    const leave = { id: 9, user_id: 4, policy_id: 2, start_date: '2026-11-30', end_date: '2026-12-04' };
    const total = { days: 5, hours: 40 };
    expect(await said({ ...leave, total }, leaves.label)).toEqual([
      ...['member 4', 'Nov 30–Dec 4', '5 d', 'policy 2', '9'],
    ]);
    expect(await said(leave, leaves.label)).toEqual(['member 4', 'Nov 30–Dec 4', '', 'policy 2', '9']);
  });

  it('is a time request with its beginning in the zone of the run', async () => {
    const request = { id: 'r', user_id: 4, project_id: null };
    const times = { start: '2026-11-19T23:30:00+00:00', end: '2026-11-20T01:45:00+00:00' };
    const row = { ...request, ...times };
    expect(await said(row, timeRequests.label)).toEqual(['member 4', 'Nov 20 00:30+01', '2:15', '', 'r']);
    expect(await said(row, timeRequests.label, 'UTC')).toEqual([
      'member 4',
      'Nov 19 23:30Z',
      '2:15',
      '',
      'r',
    ]);
  });

  it('is an expense with its day as the service writes it, and its amount', async () => {
    const expense = {
      id: 'e',
      member: 'Ana',
      expense_name: 'Taxi',
      expense_date: 'Nov 9, 2026',
      amount: 12.5,
    };
    expect(await said(expense, expenses.label)).toEqual(['Ana', 'Taxi', 'Nov 9', '12.50', 'e']);
  });

  it('has words in place of numbers, and nothing where there is nothing', async () => {
    expect(await said({ id: 5, title: 'Draw', status: 10 }, tasks.label)).toEqual([
      'Draw',
      'in-progress',
      '5',
    ]);
    expect(await said({ id: 'w', url: 'https://x.example', events: [] }, webhooks.label)).toEqual([
      ...['https://x.example', '', 'w'],
    ]);
    expect(await said({ id: 1, user_id: 17, project_id: 5 }, contracts.label)).toEqual(['17', 'on 5', '1']);
  });

  it('fetches the names once for all records', async () => {
    const names = named();
    const rows = [1, 2].map((user_id) => ({ id: user_id, user_id }));
    await capture('table').output.inWords(rows, timesheets.label(names));
    expect(names.member.loaded).toEqual([1, 2]);
  });
});
