import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listCommands } from '../../src/cli/command.ts';
import { loadProgram } from '../../src/cli/registry.ts';
import { CLOSE_CODES } from '../../src/decide/close.ts';
import { type Machine, realClock } from '../../src/platform/machine.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import {
  type Answer,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';
import { commandOf } from '../support/tree.ts';

/** `ttctl close check`: each planted fault is its finding; requests; exit codes. */

const NOW = Date.parse('2026-11-03T12:00:00Z');

type Row = Record<string, unknown>;
type World = Record<string, Row[]>;

const sheet = (id: string, from: string, to: string, more: Row = {}): Row => ({
  id,
  user_id: 17,
  status: 'approved',
  date_from: from,
  date_to: to,
  total_hours: 38,
  submitted_on: null,
  reject_reason: null,
  ...more,
});

const leave = (more: Row = {}): Row => ({
  id: 'l1',
  user_id: 17,
  status: 'approved',
  policy_id: 3,
  start_date: '2026-10-14',
  end_date: '2026-10-14',
  total: { days: 1, hours: 8 },
  ...more,
});

/** A month with nothing open. */
const createWorld = (): World => ({
  '/members': [
    {
      id: 17,
      email: 'ana@example.com',
      firstname: 'Ana',
      lastname: 'Sousa',
      status: 'active',
      weekly_hours_limit: 40,
      hired_at: '2025-01-01T09:00:00Z',
      deleted_at: null,
    },
  ],
  '/contracts': [{ id: 5, user_id: 17, status: 'active', weekly_hours_limit: 40 }],
  '/timesheets': [
    sheet('s40', '2026-09-28', '2026-10-04'),
    sheet('s41', '2026-10-05', '2026-10-11'),
    sheet('s42', '2026-10-12', '2026-10-18'),
    sheet('s43', '2026-10-19', '2026-10-25'),
    sheet('s44', '2026-10-26', '2026-11-01'),
  ],
  '/leaves': [],
  '/time-requests': [],
  '/expenses': [],
  '/leaves/balances': [
    {
      user_id: 17,
      user_name: 'Ana Sousa',
      leave_information: [{ leave_type: 'Annual leave', balance: '3 days' }],
    },
  ],
  '/leaves/policies': [{ id: 3, name: 'Annual leave', allow_negative_balance: false }],
});

const pathOf = ({ line }: Recorded): string => /^\S+ ([^?]*)/.exec(line)?.[1] ?? '';
const refusal = (status: number): Answer => ({
  status,
  headers: { 'retry-after': '1' },
  body: { success: false, message: 'Not for you.', meta: { api_version: '2.0.0', timestamp: '' } },
});

let recorder: Recorder;
let world: World;
let refused: Record<string, number>;
beforeEach(async () => {
  world = createWorld();
  refused = {};
  recorder = await startRecorder((request) => {
    const status = refused[pathOf(request)];
    return status === undefined ? { body: onePage(world[pathOf(request)] ?? []) } : refusal(status);
  });
});
afterEach(() => recorder.close());

const folder = makeFolder();

const run = (line: string, now = NOW, machine: Partial<Machine> = {}) =>
  runInProcess(words(line), {
    env: serviceEnv(recorder, { TZ: 'UTC', TTCTL_STATE_DIR: join(folder, 'state') }),
    machine: {
      clock: { now: () => now, random: Math.random, sleep: () => new Promise(() => {}) },
      ...machine,
    },
  });

const CHECK = 'close check --period 2026-10 --timezone UTC';

const findings = async (line = CHECK, now = NOW): Promise<readonly Row[]> => {
  const { stdout, stderr, exit } = await run(`${line} --json`, now);
  const rows: readonly Row[] = JSON.parse(stdout);
  expect([exit, stderr]).toEqual([rows.length === 0 ? 0 : 10, '']);
  return rows;
};

const change = (path: string, id: unknown, more: Row): void => {
  world[path] = (world[path] ?? []).map((row) => (row.id === id ? { ...row, ...more } : row));
};
const remove = (path: string, id: unknown): void => {
  world[path] = (world[path] ?? []).filter((row) => row.id !== id);
};
const add = (path: string, row: Row): void => {
  world[path] = [...(world[path] ?? []), row];
};

const request = (more: Row = {}): Row => ({
  id: 'r1',
  user_id: 17,
  status: 'pending',
  start: '2026-10-20T09:00:00+00:00',
  end: '2026-10-20T11:00:00+00:00',
  ...more,
});
const expense = (more: Row = {}): Row => ({
  id: 'e1',
  member: 'Ana Sousa',
  expense_name: 'Train',
  expense_date: 'Oct 7, 2026',
  amount: 18.4,
  project: null,
  category: 'Travel',
  ...more,
});
const archive = (): void => change('/members', 17, { status: 'left', deleted_at: '2026-11-01T08:00:00Z' });
/** On leave in the week of sheet s42. */
const takeWeekOff = (): void => add('/leaves', leave({ start_date: '2026-10-12', end_date: '2026-10-16' }));

/** Each with the one finding that it is: code, days, workdays, partial, words, fix. */
type Fault = readonly [code: string, plant: () => void, ...finding: unknown[]];
const FAULTS: readonly Fault[] = [
  [
    'no_timesheet',
    () => remove('/timesheets', 's42'),
    ...['2026-10-12', '2026-10-16', 5, false, 'No timesheet for 5 workdays'],
    'ttctl time-requests create --member ana@example.com',
  ],
  [
    'no_timesheet',
    () => change('/timesheets', 's42', { date_from: '2026-10-13', total_hours: 32 }),
    ...['2026-10-12', '2026-10-12', 1, false, 'No timesheet for this workday'],
    'ttctl time-requests create --member ana@example.com',
  ],
  [
    'not_submitted',
    () => change('/timesheets', 's40', { status: 'pending' }),
    ...['2026-10-01', '2026-10-04', 2, true, 'Timesheet Sep 28–Oct 4 (38:00) is not submitted'],
    'ttctl timesheets submit s40',
  ],
  [
    'rejected',
    () => change('/timesheets', 's41', { status: 'rejected', reject_reason: 'Friday is missing' }),
    ...['2026-10-05', '2026-10-11', 5, false, 'Timesheet Oct 5–11 (38:00) was rejected: Friday is missing'],
    'ttctl timesheets list --id s41',
  ],
  [
    'waiting',
    () => change('/timesheets', 's44', { status: 'submitted' }),
    ...['2026-10-26', '2026-10-31', 5, true, 'Timesheet Oct 26–Nov 1 (38:00) is waiting for a decision'],
    'ttctl timesheets approve s44',
  ],
  [
    'over_limit',
    () => change('/timesheets', 's41', { total_hours: 41.5 }),
    ...['2026-10-05', '2026-10-11', 5, false],
    ...['Timesheet Oct 5–11 (41:30) is 1:30 over the limit of 40:00 a week'],
    'ttctl members update ana@example.com --weekly-hours-limit 42',
  ],
  [
    'over_limit',
    () => {
      change('/timesheets', 's41', { date_to: '2026-10-18', total_hours: 80.5 });
      remove('/timesheets', 's42');
    },
    ...['2026-10-05', '2026-10-18', 10, false],
    ...['Timesheet Oct 5–18 (80:30) is 0:30 over the limit of 80:00 for 14 days'],
    'ttctl members update ana@example.com --weekly-hours-limit 41',
  ],
  [
    'sheet_on_leave',
    takeWeekOff,
    ...['2026-10-12', '2026-10-18', 5, false],
    ...['Timesheet Oct 12–18 (38:00) has hours, but approved leave covers 5 of its 5 workdays'],
    'ttctl leaves list --member ana@example.com --date-from 2026-10-12 --date-to 2026-10-18',
  ],
  [
    'leave_pending',
    () => add('/leaves', leave({ status: 'pending', end_date: '2026-10-15', total: { days: 2, hours: 16 } })),
    ...['2026-10-14', '2026-10-15', 2, false, 'Leave Oct 14–15 (2 d) is waiting for a decision'],
    'ttctl leaves approve l1',
  ],
  [
    'time_request_pending',
    () => add('/time-requests', request()),
    ...['2026-10-20', '2026-10-20', 1, false, 'Time request Oct 20 (2:00) is waiting for a decision'],
    'ttctl time-requests approve r1',
  ],
  [
    'negative_balance',
    () => {
      world['/leaves/balances'] = [
        { user_id: 17, leave_information: [{ leave_type: 'Annual leave', balance: '-2 days' }] },
      ];
    },
    ...['2026-10-01', '2026-10-31', null, false, 'Annual leave is at -2 days'],
    'ttctl leaves balances --member ana@example.com --date-from 2026-01-01 --date-to 2026-12-31',
  ],
  [
    'archived_with_open_items',
    () => {
      archive();
      add('/leaves', leave({ status: 'pending' }));
    },
    ...['2026-10-14', '2026-10-14', 1, false],
    ...['Leave Oct 14 (1 d) is waiting for a decision; the member was archived Nov 1'],
    'ttctl leaves approve l1',
  ],
  [
    'archived_with_open_items',
    () => {
      archive();
      change('/timesheets', 's43', { status: 'open' });
    },
    ...['2026-10-19', '2026-10-25', 5, false],
    ...['Timesheet Oct 19–25 (38:00) is not submitted; the member was archived Nov 1'],
    'ttctl timesheets submit s43',
  ],
  [
    'expense_without_project',
    () => add('/expenses', expense()),
    ...['2026-10-07', '2026-10-07', null, false, 'Expense Train (18.40) has no project'],
    'ttctl expenses update e1 --project <project>',
  ],
  [
    'not_checked',
    () => change('/members', 17, { weekly_hours_limit: undefined }),
    ...[
      '2026-10-01',
      '2026-10-31',
      null,
      false,
      'The weekly limit or the status of the member cannot be read',
    ],
    'ttctl members get ana@example.com',
  ],
];

describe('a planted fault', () => {
  it('is not there before', async () => {
    expect(await findings()).toEqual([]);
  });

  it.each(FAULTS.map((fault) => [fault[0], fault] as const))('%s is its one finding', async (code, fault) => {
    const [, plant, ...finding] = fault;
    const [from, to, days, partial, message, fix] = finding;
    plant();
    const member = {
      ...{ id: 17, name: 'Ana Sousa', email: 'ana@example.com' },
      ...{ role: null, weekly_hours_limit: code === 'not_checked' ? null : 40 },
    };
    expect(await findings()).toEqual([{ code, member, from, to, days, partial, message, fix }]);
    await commandOf(words(String(fix)).slice(1));
  });

  it('is planted for every code', () => {
    expect([...new Set(FAULTS.map(([code]) => code))]).toEqual([...CLOSE_CODES]);
  });

  it('can be sent back while it waits', async () => {
    change('/timesheets', 's41', { total_hours: 41.5, status: 'submitted' });
    takeWeekOff();
    change('/timesheets', 's42', { status: 'submitted' });
    const fixes = (await findings()).map(({ code, fix }) => [code, fix]);
    expect(fixes).toEqual([
      ['waiting', 'ttctl timesheets approve s41'],
      ['over_limit', 'ttctl timesheets reject s41'],
      ['waiting', 'ttctl timesheets approve s42'],
      ['sheet_on_leave', 'ttctl timesheets reject s42'],
    ]);
    for (const [, fix] of fixes) await commandOf(words(String(fix)).slice(1));
  });
});

describe('what is no fault', () => {
  const NONE: readonly (readonly [what: string, plant: () => void])[] = [
    ...[0, 168, null].map((limit): readonly [string, () => void] => [
      `a limit of ${limit}, which is none`,
      () => {
        change('/members', 17, { weekly_hours_limit: limit });
        change('/timesheets', 's42', { total_hours: 70 });
      },
    ]),
    [
      'a balance that may be negative',
      () => {
        world['/leaves/balances'] = [
          { user_id: 17, leave_information: [{ leave_type: 'Unpaid', balance: '-2 days' }] },
        ];
        world['/leaves/policies'] = [{ id: 4, name: 'Unpaid', allow_negative_balance: true }];
      },
    ],
    [
      'an expense of another month, which the service sent all the same',
      () => add('/expenses', expense({ expense_date: '2026-11-01' })),
    ],
    [
      'a time request of another month',
      () =>
        add(
          '/time-requests',
          request({ start: '2026-10-31T23:30:00-02:00', end: '2026-10-31T23:50:00-02:00' }),
        ),
    ],
  ];
  it.each(NONE)('%s', async (_what, plant) => {
    plant();
    expect(await findings()).toEqual([]);
  });

  it('the day of a time request is that in --timezone', async () => {
    add('/time-requests', request({ start: '2026-10-31T23:30:00Z', end: '2026-11-01T01:00:00Z' }));
    const days = async (zone: string) =>
      (await findings(`close check --period 2026-10 --timezone ${zone}`)).map(({ from, to, partial }) => [
        from,
        to,
        partial,
      ]);
    expect(await days('UTC')).toEqual([['2026-10-31', '2026-10-31', true]]);
    expect(await days('Asia/Tokyo')).toEqual([]);
    expect(await days('America/New_York')).toEqual([['2026-10-31', '2026-10-31', false]]);
  });

  it('of namesakes nothing is joined', async () => {
    add('/members', { ...world['/members']?.[0], id: 18, email: 'ana2@example.com', status: 'inactive' });
    add('/expenses', expense());
    expect(await findings()).toMatchObject([{ member: { id: null, name: 'Ana Sousa', email: null } }]);
  });
});

/** The lists of October, each once. */
const LISTS = [
  'GET /contracts?workspace_id=7&page=1&per_page=100',
  'GET /expenses?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
  'GET /leaves/balances?workspace_id=7&date_from=2026-01-01&date_to=2026-12-31&page=1',
  'GET /leaves?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
  'GET /members?workspace_id=7&page=1&per_page=100',
  'GET /time-requests?workspace_id=7&status=pending&date_from=2026-09-30&date_to=2026-11-01&page=1&per_page=100',
  'GET /timesheets?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&page=1&per_page=100',
];

describe('requests', () => {
  it('are the pages of the lists, and no other', async () => {
    await findings();
    expect(recorder.lines().sort()).toEqual(LISTS);
  });

  it('ask for the policies only where a balance is negative', async () => {
    world['/leaves/balances'] = [
      { user_id: 17, leave_information: [{ leave_type: 'x', balance: '-1 days' }] },
    ];
    await findings();
    expect(recorder.lines().sort()).toEqual([...LISTS, 'GET /leaves/policies?workspace_id=7'].sort());
  });

  it('name the member where a list takes one', async () => {
    await findings(`${CHECK} --member ana@example.com`);
    expect(recorder.lines().sort()).toEqual(
      [
        'GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100',
        'GET /contracts?workspace_id=7&user_id=17&page=1&per_page=100',
        LISTS[1],
        'GET /leaves/balances?workspace_id=7&date_from=2026-01-01&date_to=2026-12-31&user_id=17&page=1',
        'GET /leaves?workspace_id=7&date_from=2026-10-01&date_to=2026-10-31&user_id=17&page=1&per_page=100',
        LISTS[4],
        'GET /time-requests?workspace_id=7&status=pending&user_id=17&date_from=2026-09-30&date_to=2026-11-01&page=1&per_page=100',
        LISTS[6],
      ].sort(),
    );
  });

  it('leave out other members', async () => {
    add('/members', { ...world['/members']?.[0], id: 18, email: 'bo@example.com', firstname: 'Bo' });
    add('/contracts', { id: 6, user_id: 18, status: 'active' });
    for (const path of ['/timesheets', '/leaves', '/time-requests']) world[path] = [];
    add('/expenses', expense());
    const members = async (flags: string) => [
      ...new Set((await findings(`${CHECK} ${flags}`)).map(({ member }) => (member as Row).id)),
    ];
    expect(await members('')).toEqual([17, 18]);
    expect(await members('--member 18')).toEqual([18]);
    expect(await members('--member 18 --member ana@example.com')).toEqual([17, 18]);
  });
});

describe('a list that cannot be read', () => {
  const CASES: readonly (readonly [path: string, status: number, exit: number])[] = [
    ['/expenses', 403, 4],
    ['/contracts', 403, 4],
    ['/members', 404, 5],
    ['/leaves', 500, 7],
    ['/leaves/balances', 503, 7],
    ['/timesheets', 403, 4],
    ['/time-requests', 400, 6],
  ];

  it.each(CASES)('%s (%i): the others are printed, and the exit code is %i', async (path, status, exit) => {
    change('/timesheets', 's42', { status: 'submitted' });
    add('/leaves', leave({ status: 'pending' }));
    refused[path] = status;
    const outcome = await run(`${CHECK} --json --max-wait 0`);
    const error = JSON.parse(outcome.stderr.trim().split('\n').at(-1) ?? '').error;
    expect([outcome.exit, error.exit]).toEqual([exit, exit]);
    expect(error.message).toMatch(/^the check is incomplete: .+ could not be read$/);
    const codes = JSON.parse(outcome.stdout).map(({ code }: Row) => code);
    expect(codes).toEqual([
      ...(path === '/timesheets' ? [] : ['waiting']),
      ...(path === '/leaves' ? [] : ['leave_pending']),
    ]);
  });

  const sheetIs = (more: Row) => () => change('/timesheets', 's41', more);
  const contractIs = (more: Row) => () => {
    world['/timesheets'] = [];
    change('/contracts', 5, more);
  };
  const memberIs = (more: Row) => () => change('/members', 17, more);
  const has = (path: string, row: Row) => () => add(path, row);
  const balance = { user_id: 17, leave_information: [{ balance: {} }] };
  const OF_ANA = '--member ana@example.com --date-from 2026-01-01 --date-to 2026-12-31';
  it.each<readonly [why: string, plant: () => void, fix: string]>([
    ['Timesheet s41: its hours', sheetIs({ total_hours: 'many' }), 'timesheets list --id s41'],
    ['Timesheet s41: its hours', sheetIs({ total_hours: null }), 'timesheets list --id s41'],
    ['Timesheet s41: its status', sheetIs({ status: null }), 'timesheets list --id s41'],
    ['Timesheet s41: its status', sheetIs({ status: 'draft' }), 'timesheets list --id s41'],
    ['Timesheet s41: its status', sheetIs({ status: 7 }), 'timesheets list --id s41'],
    ['Timesheet s41: its dates', sheetIs({ date_to: null }), 'timesheets list --id s41'],
    ['Leave l1: its dates', has('/leaves', leave({ start_date: 7 })), 'leaves list --id l1'],
    ['Leave l1: its status', has('/leaves', leave({ status: 'asked' })), 'leaves list --id l1'],
    [
      'Time request r1: its dates',
      has('/time-requests', request({ end: 'late' })),
      'time-requests list --id r1',
    ],
    [
      'The weekly limit or the status of the member',
      memberIs({ weekly_hours_limit: '40h' }),
      'members get ana@example.com',
    ],
    [
      'The weekly limit or the status of the member',
      memberIs({ status: 'employed' }),
      'members get ana@example.com',
    ],
    ['The leave balance', has('/leaves/balances', balance), `leaves balances ${OF_ANA}`],
    [
      'The date of expense Train',
      has('/expenses', expense({ expense_date: 'then' })),
      'expenses list --id e1',
    ],
    ['Contract 5: its status', contractIs({ status: null }), 'contracts get 5'],
    ['Contract 5: its status', contractIs({ status: 'ended' }), 'contracts get 5'],
    ['Contract 5: its member', contractIs({ user_id: null }), 'contracts get 5'],
  ])('nor a record, which is a finding: %s', async (what, plant, fix) => {
    plant();
    const found = (await findings()).filter(({ code }) => code === 'not_checked');
    expect(found).toMatchObject([{ message: `${what} cannot be read`, fix: `ttctl ${fix}` }]);
    await commandOf(words(fix));
  });

  it('but a status in another case is read', async () => {
    change('/members', 17, { status: 'Active' });
    change('/contracts', 5, { status: 'ACTIVE' });
    remove('/timesheets', 's40');
    change('/timesheets', 's41', { status: 'SUBMITTED' });
    change('/timesheets', 's42', { status: 'Rejected' });
    change('/timesheets', 's43', { status: 'Pending' });
    add('/leaves', leave({ status: 'Approved', start_date: '2026-10-01', end_date: '2026-10-01' }));
    add('/leaves', leave({ id: 'l2', status: 'PENDING' }));
    add('/time-requests', request({ status: 'Pending' }));
    expect((await findings()).map(({ code, from }) => [code, from])).toEqual([
      ['no_timesheet', '2026-10-02'],
      ['waiting', '2026-10-05'],
      ['rejected', '2026-10-12'],
      ['leave_pending', '2026-10-14'],
      ['not_submitted', '2026-10-19'],
      ['time_request_pending', '2026-10-20'],
    ]);
  });

  it('nor matters the status of a contract or a leave that is not asked about, or paused', async () => {
    change('/contracts', 5, { status: undefined });
    add('/contracts', { id: 6, user_id: 18, status: null });
    add('/contracts', { id: 7, user_id: 17, status: 'Paused' });
    add('/leaves', leave({ status: null, start_date: '2026-09-01', end_date: '2026-09-01' }));
    expect(await findings(`${CHECK} --member 17`)).toEqual([]);
  });

  it('says so though nothing is found', async () => {
    refused['/expenses'] = 403;
    const { exit, stdout, stderr } = await run(CHECK);
    expect([exit, stdout]).toEqual([4, '']);
    expect(stderr).toContain('Nothing was found in what could be read.');
    expect(stderr).toContain('expenses are missing: Not for you.');
  });

  it('expects everybody active where contracts cannot be read', async () => {
    world['/contracts'] = [];
    world['/timesheets'] = [];
    refused['/contracts'] = 403;
    const { stdout, exit } = await run(`${CHECK} --json`);
    expect([exit, JSON.parse(stdout)[0].code]).toEqual([4, 'no_timesheet']);
  });

  it('fails alike where none can be read', async () => {
    for (const line of LISTS) refused[/ ([^?]*)/.exec(line)?.[1] ?? ''] = 403;
    const { exit, stdout, stderr } = await run(`${CHECK} --json`);
    expect([exit, stdout, JSON.parse(stderr).error.message]).toEqual([4, '', 'Not for you.']);
  });
});

it('advises the column of next steps at a terminal, to whoever does not have it', async () => {
  change('/timesheets', 's41', { status: 'submitted' });
  const told: string[] = [];
  const stderr = { isTTY: true, write: async (text: string) => void told.push(text) };
  const advice = /To list a next step for each: ttctl close check --period 2026-10 (--member 17 )?--columns/;
  for (const [columns, isAdvised] of [
    ['', true],
    [' --member 17', true],
    [' --columns member.name,fix', false],
  ] as const) {
    told.length = 0;
    const clock = { ...realClock, now: () => NOW };
    expect((await run(`${CHECK}${columns}`, NOW, { stderr, clock })).exit).toBe(10);
    const text = told.join('');
    expect([columns, text.includes('1 finding.'), advice.test(text)]).toEqual([columns, true, isAdvised]);
  }
});

describe('--where', () => {
  it('never says that nothing is open because it leaves out what is', async () => {
    change('/timesheets', 's41', { status: 'submitted' });
    add('/expenses', expense());
    const some = await run(`${CHECK} --where "code == 'waiting'"`);
    expect([some.exit, some.stderr]).toEqual([10, expect.stringContaining('1 of 2 findings.\n')]);
    const none = await run(`${CHECK} --where "code == 'rejected'"`);
    expect([none.exit, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toContain('No findings match.\n0 of 2 findings.\n');
    expect(none.stderr).not.toContain('Nothing is open');
  });

  it('is refused where no finding has what it names', async () => {
    change('/timesheets', 's41', { status: 'submitted' });
    const { exit, stdout, stderr } = await run(`${CHECK} --where "cod == 'waiting'"`);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      'error: --where: no record has "cod"\nhint: Known fields: record, code, member,',
    );
  });

  it('sees the member as every list does, and leaves out what it cannot decide on', async () => {
    change('/timesheets', 's41', { status: 'submitted' });
    const hours = await run(`${CHECK} --where 'member.weekly_hours_limit == \`40\`' -o ids`);
    expect([hours.exit, hours.stdout]).toEqual([10, '17\n']);
    for (const row of world['/members'] ?? []) row['weekly_hours_limit'] = null;
    const none = await run(`${CHECK} --where 'member.weekly_hours_limit > \`30\`'`);
    expect([none.exit, none.stderr]).toEqual([0, expect.stringContaining('--where left out 1 row')]);
  });
});

it('a member that there is not is refused', async () => {
  const { exit, stdout, stderr } = await run(`${CHECK} --member 999999`);
  expect([exit, stdout]).toEqual([5, '']);
  expect(stderr).toContain('error: no member "999999"');
});

describe('formats', () => {
  const fill = () => {
    world['/members']?.push({ ...world['/members'][0], id: 18, email: 'ana2@example.com' });
    world['/contracts']?.push({ ...world['/contracts'][0], id: 6, user_id: 18 });
    change('/timesheets', 's41', { status: 'submitted' });
    change('/timesheets', 's42', { status: 'rejected' });
  };

  it('of spreadsheets have no nesting', async () => {
    fill();
    const { stdout } = await run(`${CHECK} -o csv`);
    const [heading, first] = stdout.split('\r\n');
    expect(heading).toBe('code,member.id,member.name,member.email,from,to,days,partial,message,fix');
    expect(first).toMatch(/^waiting,17,Ana Sousa,ana@example.com,2026-10-05,2026-10-11,5,false,/);
    expect((await run(`${CHECK} -o tsv --columns +member.role,-fix`)).stdout.split('\n')[0]).toBe(
      'code\tmember.id\tmember.name\tmember.email\tfrom\tto\tdays\tpartial\tmessage\tmember.role',
    );
    world = createWorld();
    expect((await run(`${CHECK} -o csv`)).stdout).toBe(`${heading}\r\n`);
  });

  it('of programs nest what is named of the member', async () => {
    fill();
    const read = async (columns: string) =>
      JSON.parse((await run(`${CHECK} --columns ${columns} -o ndjson`)).stdout.split('\n')[0] ?? '');
    expect(await read('member.name,member.email,code')).toEqual({
      member: { name: 'Ana Sousa', email: 'ana@example.com' },
      code: 'waiting',
    });
  });

  it('have each member once as ids, in order', async () => {
    fill();
    expect((await run(`${CHECK} -o ids`)).stdout).toBe('17\n18\n');
  });

  it('for people tell namesakes apart', async () => {
    fill();
    const { stdout } = await run(CHECK);
    expect(stdout).toMatch(/^Ana Sousa \(17\) +waiting/m);
    expect(stdout).toMatch(/^Ana Sousa \(18\) +no_timesheet/m);
  });
});

describe('formats', () => {
  beforeEach(() => change('/timesheets', 's42', { status: 'submitted' }));
  it.each([
    ['--query [].member.name', '[\n  "Ana Sousa"\n]\n'],
    ['--group-by code -o csv', 'code,count\r\nwaiting,1\r\n'],
  ])('%s', async (flags, stdout) => {
    expect(await run(`${CHECK} ${flags}`)).toMatchObject({ stdout, exit: 10 });
  });

  it('a table says how to get at the commands', async () => {
    const { stdout, stderr } = await run(CHECK);
    expect(stdout).toMatch(
      /^MEMBER +CODE +PERIOD +FINDING +FIX\nAna Sousa +waiting +2026-10-12 to 2026-10-18 +Timesheet Oct 12–18/,
    );
    expect(stderr).toBe('1 finding.\n');
  });
});

describe('help', () => {
  it('names every code', async () => {
    const check = (await loadProgram()).commands
      .flatMap(listCommands)
      .find(({ path }) => path === 'close check');
    const text = check?.more?.map((section) => section.text).join(' ') ?? '';
    expect(CLOSE_CODES.filter((code) => !text.includes(code))).toEqual([]);
  });
});
