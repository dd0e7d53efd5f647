import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { standingClock } from '../support/clocks.ts';
import { leave, member, timeRequest, timesheet } from '../support/records.ts';
import { envelope, onePage } from '../support/service.ts';
import { ask, openCli } from '../support/use-cli.ts';

/** What is particular to one resource, where the clock or a terminal has a part in it: the rest is in test/scripts/. */

/** A Friday. */
const clock = standingClock('2026-11-20T13:00:00Z');

it('stopping the tracker needs no workspace', async () => {
  const { exit, lines } = await ask('tracker stop', undefined, { env: { TTCTL_WORKSPACE: '' } });
  expect([exit, lines]).toEqual([0, ['POST /time-tracking/stop']]);
});

it('an expense at 80 columns is shown with what one decides by', async () => {
  const expense = {
    ...{
      id: '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
      member: 'Nora Lindqvist',
      amount: 48.6,
      type: 'billable',
    },
    ...{ expense_name: 'Lunch with the bakers', expense_date: 'Nov 20, 2026', added_dte: 'Nov 21, 2026' },
    ...{ category: 'Travel', project: 'Harbour website', note: 'two of us' },
  };
  const { stdout } = await ask('expenses list', { expenses: [expense] }, { machine: { width: 80 } });
  expect(stdout).toMatch(/^MEMBER +NAME +DATE +AMOUNT +CATEGORY +PROJECT +ID\n/);
});

it('--timezone is the zone of periods, and of what is shown', async () => {
  const time = timeRequest('a', 17, { start: '2026-11-20T23:30:00Z', end: '2026-11-21T01:00:00Z' });
  const list = (zone: string) =>
    ask(`time-requests list --period today --timezone ${zone}`, { 'time-requests': [time] }, { clock });
  const east = await list('Pacific/Kiritimati');
  expect(east.lines[0]).toContain('date_from=2026-11-21');
  expect(east.stdout).toMatch(/2026-11-21 13:30\+14.* 1:30/);
  expect((await list('America/New_York')).lines[0]).toContain('date_from=2026-11-20');
});

it('a leave says on a terminal how long it waits', async () => {
  const leaves = [leave('l1', 17, 1, { created_on: '2026-11-06T09:00:00Z' })];
  const list = (width?: number) =>
    ask('leaves list --timezone UTC', { leaves }, { clock, machine: { width } });
  expect((await list(200)).stdout).toContain('14 d ago');
  expect((await list()).stdout).toContain('2026-11-06 09:00Z');
});

it.each([
  ['', 'date_from=2026-01-01&date_to=2026-12-31'],
  ['--date-from 2026-02-01 --date-to 2026-02-03', 'date_from=2026-02-01&date_to=2026-02-03'],
  ['--period last-year', 'date_from=2025-01-01&date_to=2025-12-31'],
  ['--param date_from=2020-01-01 --param date_to=2020-12-31', 'date_from=2020-01-01&date_to=2020-12-31'],
])('leaves balances is about the current year where no days are named: %j', async (flags, days) => {
  const { lines } = await ask(`leaves balances ${flags}`, undefined, { clock });
  expect(lines).toEqual([`GET /leaves/balances?workspace_id=7&${days}&page=1`]);
});

it.each([
  ['timesheets submit t1 --yes', 'ttctl timesheets unsubmit t1'],
  ['timesheets submit t1 t2 t3 --yes', 'ttctl timesheets unsubmit t1 t2 t3'],
  // Of many records the run (O2).
  ['timesheets submit t1 t2 t3 t4 t5 --yes', String.raw`ttctl undo \d{8}-\d{4}-[a-z]+`],
  [
    'members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user',
    'ttctl members archive 41',
  ],
])('a person is told how %s is taken back', async (line, undo) => {
  const { sit } = await openCli({
    service: ({ line: asked }) => ({
      body: asked.startsWith('GET /members?') ? onePage([]) : envelope({ user_id: 41 }),
    }),
  });
  const screen = stripVTControlCharacters((await sit(line)).screen);
  expect(screen).toMatch(new RegExp(`Undo with: ${undo}\n`));
});

describe('a record in words', () => {
  const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
  const [start, end] = ['2026-11-19T23:30:00Z', '2026-11-20T01:45:00Z'];
  const NEW_YEAR = { date_from: '2026-12-28', date_to: '2027-01-03', total_minutes: 90 };

  it.each([
    ['timesheets approve t1', timesheet('t1', 4, 38.5), 't1  Ana Ek  Nov 9–15  38:30'],
    ['timesheets approve t1', timesheet('t1', 4, null, NEW_YEAR), 't1  Ana Ek  Dec 28 2026–Jan 3 2027  1:30'],
    ['leaves approve l1', leave('l1', 4, 5), 'Ana Ek  Dec 7–11  5 d  Annual'],
    ['leaves approve l1', leave('l1', 4, 5, { total: null }), 'Ana Ek  Dec 7–11  Annual'],
    [
      'time-requests approve r1 --timezone Europe/Berlin',
      timeRequest('r1', 4, { start, end }),
      'Nov 20 00:30+01  2:15',
    ],
    ['time-requests approve r1 --timezone UTC', timeRequest('r1', 4, { start, end }), 'Nov 19 23:30Z  2:15'],
    [
      `expenses delete ${ID}`,
      { id: ID, member: 'Ana', expense_name: 'Taxi', expense_date: 'Nov 9, 2026', amount: 12.5 },
      'Ana  Taxi  Nov 9  12.50',
    ],
    ['tasks archive 5', { id: 5, title: 'Draw', status: 10 }, 'Draw  in-progress'],
    ['contracts archive 1', { id: 1, user_id: 17, project_id: 5 }, '17  on 5'],
    [
      `webhooks delete ${ID}`,
      { id: ID, url: 'https://x.example/1', events: ['a.b'] },
      'https://x.example/1  a.b',
    ],
  ])('has its days and hours as a narrow table: %s', async (line, record, said) => {
    const [noun = ''] = line.split(' ');
    const lists = { members: [member(4, 'Ana')], policies: [{ id: 3, name: 'Annual' }], [noun]: [record] };
    const { stdout, exit } = await ask(`${line} --dry-run`, lists, { clock });
    expect([exit, stdout]).toEqual([0, expect.stringContaining(said)]);
  });
});
