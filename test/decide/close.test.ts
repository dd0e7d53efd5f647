import { beforeEach, describe, expect, it } from 'vitest';
import { listCommands } from '../../src/cli/command.ts';
import { CLOSE_CODES } from '../../src/decide/close.ts';
import { standingClock } from '../support/clocks.ts';
import { words } from '../support/in-process.ts';
import { leave, member, timeRequest, timesheet } from '../support/records.ts';
import { onePage } from '../support/service.ts';
import { commandOf, loadProgram } from '../support/tree.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** `ttctl close check`: each planted fault is its finding; requests; exit codes. */

const ANA = member(17, 'Ana', { lastname: 'Sousa', hired_at: '2025-01-01T09:00:00Z', deleted_at: null });
const balance = (leave_type: string, text: unknown): Row => ({
  user_id: 17,
  leave_information: [{ leave_type, balance: text }],
});
const onLeave = (more: Row = {}): Row =>
  leave('l1', 17, 1, { status: 'approved', start_date: '2026-10-14', end_date: '2026-10-14', ...more });
const request = (more: Row = {}): Row =>
  timeRequest('r1', 17, { start: '2026-10-20T09:00:00Z', end: '2026-10-20T11:00:00Z', ...more });
const expense = (more: Row = {}): Row => ({
  ...{ id: 'e1', member: 'Ana Sousa', expense_name: 'Train', expense_date: 'Oct 7, 2026', amount: 18.4 },
  ...{ project: null, category: 'Travel', ...more },
});

/** The records by the path of their list: before each test, a month with nothing open. */
let world: Record<string, readonly Row[]>;
const pathOf = (line: string): string => /^GET ([^?]*)/.exec(line)?.[1] ?? '';
const t = useCli({
  service: ({ line }) => ({ body: onePage(world[pathOf(line)] ?? []) }),
  env: { TZ: 'UTC' },
  clock: standingClock('2026-11-03T12:00:00Z'),
});
beforeEach(() => {
  const weeks = ['09-28 10-04', '10-05 10-11', '10-12 10-18', '10-19 10-25', '10-26 11-01'].entries();
  const sheets = [...weeks].map(([n, days]) => {
    const [date_from, date_to] = days.split(' ').map((day) => `2026-${day}`);
    return timesheet(`s${40 + n}`, 17, 38, { status: 'approved', date_from, date_to });
  });
  world = {
    '/members': [ANA],
    '/contracts': [{ id: 5, user_id: 17, status: 'active', weekly_hours_limit: 40 }],
    '/timesheets': sheets,
    '/leaves/balances': [balance('Annual leave', '3 days')],
    '/leaves/policies': [{ id: 3, name: 'Annual leave', allow_negative_balance: false }],
  };
});

const CHECK = 'close check --period 2026-10 --timezone UTC';
const findings = async (line = CHECK): Promise<readonly Row[]> => {
  const { stdout, stderr, exit } = await t.run(`${line} --json`);
  const rows: readonly Row[] = JSON.parse(stdout);
  expect([exit, stderr]).toEqual([rows.length === 0 ? 0 : 10, '']);
  return rows;
};

const add = (path: string, row: Row): void => {
  world[path] = [...(world[path] ?? []), row];
};
const change = (path: string, id: unknown, more: Row): void => {
  world[path] = (world[path] ?? []).map((row) => (row['id'] === id ? { ...row, ...more } : row));
};
const changeSheet = (id: string, more: Row): void => change('/timesheets', id, more);
const removeSheet = (id: string): void => {
  world['/timesheets'] = (world['/timesheets'] ?? []).filter((row) => row['id'] !== id);
};
const archive = (): void => change('/members', 17, { status: 'left', deleted_at: '2026-11-01T08:00:00Z' });
/** In the week of sheet s42. */
const takeWeekOff = (): void => add('/leaves', onLeave({ start_date: '2026-10-12', end_date: '2026-10-16' }));

/** Each with the one finding that it is: code, days of October, workdays, whether it is partial; words; fix. */
const FAULTS: readonly (readonly [finding: string, plant: () => void, message: string, fix: string])[] = [
  [
    'no_timesheet 12..16 5 whole',
    () => removeSheet('s42'),
    'No timesheet for 5 workdays',
    'ttctl time-requests create --member ana@example.com',
  ],
  [
    'no_timesheet 12..12 1 whole',
    () => changeSheet('s42', { date_from: '2026-10-13', total_hours: 32 }),
    'No timesheet for this workday',
    'ttctl time-requests create --member ana@example.com',
  ],
  [
    'not_submitted 01..04 2 partial',
    () => changeSheet('s40', { status: 'pending' }),
    'Timesheet Sep 28–Oct 4 (38:00) is not submitted',
    'ttctl timesheets submit s40',
  ],
  [
    'rejected 05..11 5 whole',
    () => changeSheet('s41', { status: 'rejected', reject_reason: 'Friday is missing' }),
    'Timesheet Oct 5–11 (38:00) was rejected: Friday is missing',
    'ttctl timesheets get s41',
  ],
  [
    'waiting 26..31 5 partial',
    () => changeSheet('s44', { status: 'submitted' }),
    'Timesheet Oct 26–Nov 1 (38:00) is waiting for a decision',
    'ttctl timesheets approve s44',
  ],
  [
    'over_limit 05..11 5 whole',
    () => changeSheet('s41', { total_hours: 41.5 }),
    'Timesheet Oct 5–11 (41:30) is 1:30 over the limit of 40:00 a week',
    'ttctl timesheets get s41',
  ],
  [
    'over_limit 05..18 10 whole',
    () => {
      changeSheet('s41', { date_to: '2026-10-18', total_hours: 80.5 });
      removeSheet('s42');
    },
    'Timesheet Oct 5–18 (80:30) is 0:30 over the limit of 80:00 for 14 days',
    'ttctl timesheets get s41',
  ],
  [
    'sheet_on_leave 12..18 5 whole',
    takeWeekOff,
    'Timesheet Oct 12–18 (38:00) has hours, but approved leave covers 5 of its 5 workdays',
    'ttctl leaves list --member ana@example.com --date-from 2026-10-12 --date-to 2026-10-18',
  ],
  [
    'sheet_on_leave 12..12 1 whole',
    () => {
      changeSheet('s42', { date_to: '2026-10-12', total_hours: 8 });
      takeWeekOff();
    },
    'Timesheet Oct 12 (8:00) has hours, but approved leave covers its workday',
    'ttctl leaves list --member ana@example.com --date-from 2026-10-12 --date-to 2026-10-12',
  ],
  [
    'over_limit 16..16 1 whole',
    () => {
      changeSheet('s42', { date_from: '2026-10-16', date_to: '2026-10-16', total_hours: 9 });
      add('/leaves', onLeave({ start_date: '2026-10-12', end_date: '2026-10-15' }));
    },
    'Timesheet Oct 16 (9:00) is 1:00 over the limit of 8:00 for 1 day',
    'ttctl timesheets get s42',
  ],
  [
    'sheet_on_leave 26..31 5 partial',
    // The weekend after the month is not in it, and nor is that day of leave.
    () => {
      changeSheet('s44', { date_to: '2026-11-03', total_hours: 55 });
      add('/leaves', onLeave({ start_date: '2026-11-02', end_date: '2026-11-02' }));
    },
    'Timesheet Oct 26–Nov 3 (55:00) has hours, but approved leave covers 1 of its 7 workdays',
    'ttctl leaves list --member ana@example.com --date-from 2026-10-26 --date-to 2026-11-03',
  ],
  [
    'overlap 16..18 1 whole',
    () =>
      add('/timesheets', {
        ...timesheet('s50', 17, 8, { status: 'approved' }),
        ...{ date_from: '2026-10-16', date_to: '2026-10-18' },
      }),
    'Timesheet Oct 16–18 (8:00) overlaps the timesheet Oct 12–18',
    'ttctl timesheets list --member ana@example.com --date-from 2026-10-12 --date-to 2026-10-18',
  ],
  [
    'overlap 20..20 1 whole',
    () => {
      add('/time-requests', request({ status: 'approved' }));
      add('/time-requests', request({ id: 'r2', start: '2026-10-20T10:00:00Z', status: 'pending' }));
    },
    'Time request Oct 20 (1:00) is waiting for a decision and overlaps the time request Oct 20',
    'ttctl inbox --kind time-request --member ana@example.com',
  ],
  [
    'leave_pending 14..15 2 whole',
    () =>
      add('/leaves', onLeave({ status: 'pending', end_date: '2026-10-15', total: { days: 2, hours: 16 } })),
    'Leave Oct 14–15 (2 d) is waiting for a decision',
    'ttctl leaves approve l1',
  ],
  [
    'time_request_pending 20..20 1 whole',
    () => add('/time-requests', request()),
    'Time request Oct 20 (2:00) is waiting for a decision',
    'ttctl time-requests approve r1',
  ],
  [
    'negative_balance 01..31 null whole',
    () => Object.assign(world, { '/leaves/balances': [balance('Annual leave', '-2 days')] }),
    'Annual leave is at -2 days',
    'ttctl leaves balances --member ana@example.com --date-from 2026-01-01 --date-to 2026-12-31',
  ],
  [
    'archived_with_open_items 14..14 1 whole',
    () => {
      archive();
      add('/leaves', onLeave({ status: 'pending' }));
    },
    'Leave Oct 14 (1 d) is waiting for a decision; the member was archived Nov 1',
    'ttctl leaves approve l1',
  ],
  [
    'archived_with_open_items 19..25 5 whole',
    () => {
      archive();
      changeSheet('s43', { status: 'open' });
    },
    'Timesheet Oct 19–25 (38:00) is not submitted; the member was archived Nov 1',
    'ttctl timesheets submit s43',
  ],
  [
    'expense_without_project 07..07 null whole',
    () => add('/expenses', expense()),
    'Expense Train (18.40) has no project',
    'ttctl expenses update e1 --project <project>',
  ],
  [
    'duplicate_expense 07..07 null whole',
    () => {
      add('/expenses', expense({ project: 'Harbour' }));
      add('/expenses', expense({ id: 'e2', project: 'Harbour', amount: '18.40' }));
    },
    'Expense Train (18.40) has the same day, amount and category as another',
    'ttctl expenses list --period 2026-10-07',
  ],
  [
    'not_checked 01..31 null whole',
    () => change('/members', 17, { weekly_hours_limit: undefined }),
    'The weekly limit or the status of the member cannot be read',
    'ttctl members get ana@example.com',
  ],
];

it('a month with nothing open has no finding', async () => {
  expect(await findings()).toEqual([]);
});

it.each(FAULTS)('a planted %s is the one finding', async (finding, plant, message, fix) => {
  plant();
  const [{ member, ...found } = {}, ...others] = await findings();
  const [code, days = '', workdays, partial] = finding.split(' ');
  const [from, to] = days.split('..').map((day) => `2026-10-${day}`);
  const facts = { from, to, days: JSON.parse(workdays ?? ''), partial: partial === 'partial' };
  expect([found, others]).toEqual([{ code, ...facts, message, fix }, []]);
  const limit = code === 'not_checked' ? null : 40;
  expect(member).toEqual({
    ...{ id: 17, name: 'Ana Sousa', email: 'ana@example.com', role: 'Regular User' },
    weekly_hours_limit: limit,
  });
  await commandOf(words(fix).slice(1));
});

it('every code has its planted fault, and the help names them all', async () => {
  const planted = FAULTS.map(([finding]) => finding.split(' ')[0]);
  expect([...new Set(planted)]).toEqual([...CLOSE_CODES]);
  const all = (await loadProgram()).commands.flatMap(listCommands);
  const help = JSON.stringify(all.find(({ path }) => path === 'close check')?.more);
  expect(CLOSE_CODES.filter((code) => !help.includes(code))).toEqual([]);
});

it('O11: a timesheet has one finding; of hours that should not be the inbox decides while it waits', async () => {
  changeSheet('s41', { total_hours: 41.5, status: 'submitted' });
  takeWeekOff();
  changeSheet('s42', { status: 'submitted' });
  expect((await findings()).map(({ code, fix }) => `${code}: ${fix}`)).toEqual([
    'over_limit: ttctl inbox --kind timesheet --member ana@example.com',
    'sheet_on_leave: ttctl inbox --kind timesheet --member ana@example.com',
  ]);
});

const lastNight = { start: '2026-10-31T23:30:00-02:00', end: '2026-10-31T23:50:00-02:00' };
it.each<readonly [what: string, plant: () => void]>([
  ...[0, 168, null].map((limit): readonly [string, () => void] => [
    `a limit of ${limit}, which is none`,
    () => {
      change('/members', 17, { weekly_hours_limit: limit });
      changeSheet('s42', { total_hours: 70 });
    },
  ]),
  [
    'a balance that may be negative',
    () => {
      world['/leaves/balances'] = [balance('Unpaid', '-2 days')];
      world['/leaves/policies'] = [{ id: 4, name: 'Unpaid', allow_negative_balance: true }];
    },
  ],
  ['an expense of another month', () => add('/expenses', expense({ expense_date: '2026-11-01' }))],
  ['a time request of another month', () => add('/time-requests', request(lastNight))],
  [
    'the status of a contract or a leave that is not asked about, or paused',
    () => {
      change('/contracts', 5, { status: undefined });
      add('/contracts', { id: 7, user_id: 17, status: 'Paused' });
      add('/leaves', onLeave({ status: null, start_date: '2026-09-01', end_date: '2026-09-01' }));
    },
  ],
])('no finding: %s', async (_what, plant) => {
  plant();
  expect(await findings()).toEqual([]);
});

it('the day of a time request is that in --timezone', async () => {
  add('/time-requests', request({ start: '2026-10-31T23:30:00Z', end: '2026-11-01T01:00:00Z' }));
  const days = async (zone: string) =>
    (await findings(`close check --period 2026-10 --timezone ${zone}`)).map(({ from, to, partial }) =>
      [from, to, partial].join(' '),
    );
  expect(await days('UTC')).toEqual(['2026-10-31 2026-10-31 true']);
  expect(await days('Asia/Tokyo')).toEqual([]);
  expect(await days('America/New_York')).toEqual(['2026-10-31 2026-10-31 false']);
});

it('of namesakes nothing is joined', async () => {
  add('/members', { ...ANA, id: 18, email: 'ana2@example.com', status: 'inactive' });
  add('/expenses', expense());
  expect(await findings()).toMatchObject([{ member: { id: null, name: 'Ana Sousa', email: null } }]);
});

const sortedLines = () => [...t.lines()].sort();

it('requests are the pages of the lists; the policies only where a balance is negative', async () => {
  const lists = [
    'GET /contracts?workspace_id=7&page=1&per_page=100',
    'GET /expenses?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
    'GET /leaves/balances?workspace_id=7&date_from=2026-01-01&date_to=2026-12-31&page=1',
    'GET /leaves?workspace_id=7&date_from=2026-09-28&date_to=2026-11-01&page=1&per_page=100',
    'GET /members?workspace_id=7&page=1&per_page=100',
    'GET /time-requests?workspace_id=7&date_from=2026-09-30&date_to=2026-11-01&page=1&per_page=100',
    'GET /timesheets?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
  ];
  await findings();
  expect(sortedLines()).toEqual(lists);
  world['/leaves/balances'] = [balance('x', '-1 days')];
  await findings();
  expect(sortedLines()).toEqual([...lists, ...lists, 'GET /leaves/policies?workspace_id=7'].sort());
});

it('requests name the member where a list takes one', async () => {
  await findings(`${CHECK} --member ana@example.com`);
  expect(sortedLines()).toEqual([
    'GET /contracts?workspace_id=7&user_id=17&page=1&per_page=100',
    'GET /expenses?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
    'GET /leaves/balances?workspace_id=7&date_from=2026-01-01&date_to=2026-12-31&user_id=17&page=1',
    'GET /leaves?workspace_id=7&date_from=2026-09-28&date_to=2026-11-01&user_id=17&page=1&per_page=100',
    'GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100',
    'GET /members?workspace_id=7&page=1&per_page=100',
    'GET /time-requests?workspace_id=7&user_id=17&date_from=2026-09-30&date_to=2026-11-01&page=1&per_page=100',
    'GET /timesheets?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
  ]);
});

it('requests leave out other members, and refuse one that there is not', async () => {
  add('/members', { ...ANA, id: 18, email: 'bo@example.com', firstname: 'Bo' });
  add('/contracts', { id: 6, user_id: 18, status: 'active' });
  world['/timesheets'] = [];
  add('/expenses', expense());
  const members = async (flags: string) => [
    ...new Set((await findings(`${CHECK} ${flags}`)).map(({ member }) => (member as Row)['id'])),
  ];
  expect(await members('')).toEqual([17, 18]);
  expect(await members('--member 18')).toEqual([18]);
  expect(await members('--member 18 --member ana@example.com')).toEqual([17, 18]);
  const none = await t.run(`${CHECK} --member 999999`);
  expect(none).toMatchObject({
    exit: 5,
    stdout: '',
    stderr: expect.stringContaining('no member "999999"'),
  });
});

it.each([
  ['/expenses', 403, 4],
  ['/contracts', 403, 4],
  ['/members', 404, 5],
  ['/leaves', 500, 7],
  ['/leaves/balances', 503, 7],
  ['/timesheets', 403, 4],
  ['/time-requests', 400, 6],
])(
  'a list that cannot be read %s (%i): the others are printed, and the exit code is %i',
  async (path, status, exit) => {
    changeSheet('s42', { status: 'submitted' });
    add('/leaves', onLeave({ status: 'pending' }));
    t.answer = ({ line }) => {
      const body = { success: false, message: 'Not for you.' };
      if (pathOf(line) === path) return { status, headers: { 'retry-after': '1' }, body };
      return { body: onePage(world[pathOf(line)] ?? []) };
    };
    const outcome = await t.run(`${CHECK} --json --max-wait 0`);
    const error = JSON.parse(outcome.stderr.trim().split('\n').at(-1) ?? '').error;
    expect([outcome.exit, error.exit]).toEqual([exit, exit]);
    expect(error.message).toMatch(/^the check is incomplete: .+ could not be read$/);
    const codes = JSON.parse(outcome.stdout).map(({ code }: Row) => code);
    const all = ['waiting', 'leave_pending'];
    const hidden = { '/timesheets': 'waiting', '/leaves': 'leave_pending' }[path];
    expect(codes).toEqual(all.filter((code) => code !== hidden));
  },
);

const OF_ANA = '--member ana@example.com --date-from 2026-01-01 --date-to 2026-12-31';
const ofMember = 'The weekly limit or the status of the member';
it.each<readonly [why: string, path: string, row: Row, fix: string]>([
  ...['many', null].map(
    (total_hours) =>
      ['Timesheet s41: its hours', '/timesheets', { total_hours }, 'timesheets list --id s41'] as const,
  ),
  ...[null, 'draft', 7].map(
    (status) => ['Timesheet s41: its status', '/timesheets', { status }, 'timesheets list --id s41'] as const,
  ),
  ['Timesheet s41: its dates', '/timesheets', { date_to: null }, 'timesheets list --id s41'],
  ['Leave l1: its dates', '/leaves', onLeave({ start_date: 7 }), 'leaves list --id l1'],
  ['Leave l1: its status', '/leaves', onLeave({ status: 'asked' }), 'leaves list --id l1'],
  ['Time request r1: its dates', '/time-requests', request({ end: 'late' }), 'time-requests list --id r1'],
  [ofMember, '/members', { weekly_hours_limit: '40h' }, 'members get ana@example.com'],
  [ofMember, '/members', { status: 'employed' }, 'members get ana@example.com'],
  ['The leave balance', '/leaves/balances', balance('x', {}), `leaves balances ${OF_ANA}`],
  ['The date of expense Train', '/expenses', expense({ expense_date: 'then' }), 'expenses list --id e1'],
  ['Contract 5: its status', '/contracts', { status: null }, 'contracts get 5'],
  ['Contract 5: its status', '/contracts', { status: 'ended' }, 'contracts get 5'],
  ['Contract 5: its member', '/contracts', { user_id: null }, 'contracts get 5'],
])('a record that cannot be read is a finding: %s', async (what, path, row, fix) => {
  const own = { '/timesheets': 's41', '/members': 17, '/contracts': 5 }[path];
  if (path === '/contracts') world['/timesheets'] = [];
  if (own === undefined) add(path, row);
  else change(path, own, row);
  const found = (await findings()).filter(({ code }) => code === 'not_checked');
  expect(found).toMatchObject([{ message: `${what} cannot be read`, fix: `ttctl ${fix}` }]);
  await commandOf(words(fix));
});

it('a status in another case is read', async () => {
  change('/members', 17, { status: 'Active' });
  change('/contracts', 5, { status: 'ACTIVE' });
  removeSheet('s40');
  for (const [id, status] of [
    ['s41', 'SUBMITTED'],
    ['s42', 'Rejected'],
    ['s43', 'Pending'],
  ] as const)
    changeSheet(id, { status });
  add('/leaves', onLeave({ status: 'Approved', start_date: '2026-10-01', end_date: '2026-10-01' }));
  add('/leaves', onLeave({ id: 'l2', status: 'PENDING' }));
  add('/time-requests', request({ status: 'Pending' }));
  expect((await findings()).map(({ code, from }) => `${code} ${from}`)).toEqual([
    'no_timesheet 2026-10-02',
    'waiting 2026-10-05',
    'rejected 2026-10-12',
    'leave_pending 2026-10-14',
    'not_submitted 2026-10-19',
    'time_request_pending 2026-10-20',
  ]);
});

it('a list that cannot be read is told though nothing is found; where none can be read the check fails', async () => {
  t.refused = /^GET .expenses/;
  const some = await t.run(CHECK);
  expect([some.exit, some.stdout]).toEqual([4, '']);
  expect(some.stderr).toContain('No findings in what could be read.');
  expect(some.stderr).toContain('expenses are missing: Not for you.');
  t.refused = /^GET/;
  const { exit, stdout, stderr } = await t.run(`${CHECK} --json`);
  expect([exit, stdout, JSON.parse(stderr).error.message]).toEqual([4, '', 'Not for you.']);
});

it('where contracts cannot be read, everybody active is expected', async () => {
  world['/timesheets'] = [];
  t.refused = /^GET .contracts/;
  const { stdout, exit } = await t.run(`${CHECK} --json`);
  expect([exit, JSON.parse(stdout)[0].code]).toEqual([4, 'no_timesheet']);
});

it('advises the column of next steps at a terminal, to whoever does not have it', async () => {
  changeSheet('s41', { status: 'submitted' });
  const advice = /To list a next step for each: ttctl close check --period 2026-10 (--member 17 )?--columns/;
  for (const [columns, isAdvised] of [
    ['', true],
    [' --member 17', true],
    [' --columns member.name,fix', false],
  ] as const) {
    const told: string[] = [];
    const stderr = { isTTY: true, write: async (text: string) => void told.push(text) };
    expect((await t.run(`${CHECK}${columns}`, { machine: { stderr } })).exit).toBe(10);
    const text = told.join('');
    expect([columns, text.includes('1 finding.'), advice.test(text)]).toEqual([columns, true, isAdvised]);
  }
});

it.each([
  ["code == 'waiting'", 10, /^1 of 2 findings\.\n$/],
  ["code == 'Leave pending'", 0, /^No findings match\.\n/],
  ["code != 'over limit' && code == 'expense without project'", 10, /^1 of 2 findings\.\n$/],
  ["code == 'Timesheet on leave'", 0, /^No findings match\.\n/],
  ["member != 'Ana Sousa'", 2, /^error: --where: member is a record: compare member\.name\n/],
  ["code == 'over limits'", 2, /^error: --where: there is no "over limits"\nhint: Did you mean over_limit\?/],
  ["code == 'rejected'", 0, /^No findings match\.\n0 of 2 findings\.\n$/],
  ["cod == 'waiting'", 2, /^error: --where: no record has "cod"\nhint: Known fields: code, member, record,/],
  // Of a limit that is not known nothing can be said.
  ['member.weekly_hours_limit > `30`', 0, /--where left out 2 rows/],
])('--where %s is exit %i', async (where, exit, said) => {
  changeSheet('s41', { status: 'submitted' });
  add('/expenses', expense());
  if (where.startsWith('member')) change('/members', 17, { weekly_hours_limit: null });
  const ended = await t.run([...words(CHECK), '--where', where]);
  expect([ended.exit, ended.stderr]).toEqual([exit, expect.stringMatching(said)]);
});

describe('formats', () => {
  beforeEach(() => {
    add('/members', { ...ANA, id: 18, email: 'ana2@example.com' });
    add('/contracts', { id: 6, user_id: 18, status: 'active', weekly_hours_limit: 40 });
    changeSheet('s41', { status: 'submitted' });
  });

  it.each([
    [
      '--period 2026-10 -o csv',
      /^code,member.id,.*,fix\r\nwaiting,17,Ana Sousa,ana@example.com,2026-10-05,2026-10-11,5,false,/,
    ],
    ['--period 2026-10 -o ids', /^17\n18\n$/],
    [
      '--period 2026-10',
      /^MEMBER +CODE +PERIOD +FINDING +FIX\nAna Sousa \(17\) +waiting +2026-10-05 to 2026-10-11 +Timesheet Oct 5–11/,
    ],
    ['--period 2026-10', /^Ana Sousa \(18\) +no timesheet/m],
    // Nothing is found.
    [
      '--period 2026-10-03 -o csv',
      /^code,member.id,member.name,member.email,from,to,days,partial,message,fix\r\n$/,
    ],
  ])('close check %s', async (flags, printed) => {
    expect((await t.run(`close check --timezone UTC ${flags}`)).stdout).toMatch(printed);
  });
});
