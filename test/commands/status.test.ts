import { beforeEach, expect, it } from 'vitest';
import { standingClock } from '../support/clocks.ts';
import { words } from '../support/in-process.ts';
import { leave as aLeave, member, timesheet } from '../support/records.ts';
import { onePage } from '../support/service.ts';
import { commandOf } from '../support/tree.ts';
import { type Lists, type Row, useCli } from '../support/use-cli.ts';

/** `ttctl status`: its record, its requests, what people see, and lists that cannot be read. */

const person = (id: number, name: string): Row => member(id, name, { hired_at: '2025-01-01T09:00:00Z' });
const sheet = (id: string, user: number, status: string, hours = 38, more: Row = {}): Row =>
  timesheet(id, user, hours, { status, submitted_on: '2026-11-16T08:15:00Z', ...more });
const leave = (id: string, user: number, start_date: string, end_date: string, status = 'approved'): Row =>
  aLeave(id, user, 1, { status, start_date, end_date, created_on: '2026-11-10T09:00:00Z' });

/** Ana has submitted too much, Bo not at all, Cy is away, Di was, Ed has no contract. */
const RECORDS: Lists = {
  members: [person(1, 'Ana'), person(2, 'Bo'), person(3, 'Cy'), person(4, 'Di'), person(5, 'Ed')],
  contracts: [1, 2, 3, 4].map((id) => ({
    id: 10 + id,
    user_id: id,
    status: 'active',
    weekly_hours_limit: 40,
  })),
  timesheets: [
    sheet('s1', 1, 'submitted', 45),
    sheet('s2', 2, 'open'),
    sheet('s3', 3, 'approved'),
    sheet('s4', 4, 'submitted'),
    sheet('s5', 4, 'submitted', 38, { date_from: '2026-11-02', date_to: '2026-11-08' }),
  ],
  leaves: [
    leave('l1', 3, '2026-11-20', '2026-11-24'),
    leave('l2', 4, '2026-11-17', '2026-11-17'),
    leave('l3', 2, '2026-12-21', '2026-12-22', 'pending'),
    leave('l4', 1, '2026-11-27', '2026-11-27'),
  ],
  workspaces: [{ id: 7, workspace_name: 'Harbour', role: 'Owner' }],
  balances: [{ user_id: 2, leave_information: [{ leave_type: 'Annual leave', balance: '3 days' }] }],
  policies: [{ id: 3, name: 'Annual leave' }],
};

let lists: Lists;
/** Fields that come otherwise, by the ids of their records. */
let changed: Readonly<Record<string, Row>>;
beforeEach(() => {
  [lists, changed] = [{ ...RECORDS }, {}];
});
const t = useCli({
  // Its filters are those of the service: a status, and the days that a record reaches into.
  service: ({ line }) => {
    const { pathname, searchParams } = new URL(line.slice(4), 'http://x');
    const [status, from, to] = ['status', 'date_from', 'date_to'].map((name) => searchParams.get(name));
    const rows = (lists[pathname.split('/').at(-1) ?? ''] ?? []).filter((row) => {
      const [first, last] = [row['date_from'] ?? row['start_date'], row['date_to'] ?? row['end_date']];
      if (status && row['status'] !== status) return false;
      return !first || !from || (String(first) <= String(to) && String(last) >= from);
    });
    return { body: onePage(rows.map((row) => ({ ...row, ...changed[String(row['id'])] }))) };
  },
  env: { TZ: 'UTC' },
  // A Friday.
  clock: standingClock('2026-11-20T12:00:00Z'),
});

it('status is one record', async () => {
  const away = (id: number, name: string, from: string, to: string) => ({
    ...{ id, name: `${name} Ek`, email: `${name.toLowerCase()}@example.com`, from, to },
  });
  const { stdout, stderr, exit } = await t.run('status --json');
  expect([exit, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({
    waiting: {
      timesheets: 3,
      leaves: 1,
      time_requests: 0,
      with_warnings: 1,
      oldest_at: '2026-11-10T09:00:00.000Z',
    },
    not_submitted: [{ id: 2, name: 'Bo Ek', email: 'bo@example.com' }],
    away: {
      today: [away(3, 'Cy', '2026-11-20', '2026-11-24')],
      this_week: [away(3, 'Cy', '2026-11-20', '2026-11-24'), away(4, 'Di', '2026-11-17', '2026-11-17')],
    },
    sign_in: { kind: 'environment', expires_at: null },
  });
});

it('reads each list once', async () => {
  await t.run('status --json');
  expect([...t.lines()].sort()).toEqual([
    'GET /contracts?workspace_id=7&page=1&per_page=100',
    'GET /leaves/balances?workspace_id=7&date_from=2026-01-01&date_to=2026-12-31&user_id=2&page=1',
    'GET /leaves/policies?workspace_id=7',
    'GET /leaves?workspace_id=7&status=approved&date_from=2026-11-02&date_to=2026-12-22&page=1&per_page=100',
    'GET /leaves?workspace_id=7&status=pending&page=1&per_page=100',
    'GET /members?workspace_id=7&page=1&per_page=100',
    'GET /time-requests?workspace_id=7&status=pending&page=1&per_page=100',
    'GET /timesheets?workspace_id=7&date_from=2026-11-09&date_to=2026-11-15&page=1&per_page=100',
    'GET /timesheets?workspace_id=7&status=submitted&page=1&per_page=100',
  ]);
});

it('is told to people in sections, on a terminal with the commands behind them', async () => {
  const plain = (await t.run('status')).stdout;
  expect(plain).toBe(
    [
      'Waiting for a decision',
      '  3 timesheets, oldest 4 d',
      '  1 leave request, oldest 10 d',
      '  no time requests',
      '  1 of them with warnings',
      '',
      'Not submitted for last week, Nov 9–15',
      '  1: Bo Ek',
      '',
      'Away',
      '  today: Cy Ek (Nov 20–24)',
      '  other days this week: Di Ek (Nov 17)',
      '',
      'Sign-in',
      '  default: token from TTCTL_TOKEN',
      '',
    ].join('\n'),
  );
  for (const width of [80, 120]) {
    const lines = (await t.run('status', { machine: { width } })).stdout.split('\n');
    const commands = lines.flatMap((line) => /^ {4}(ttctl .*)$/.exec(line)?.[1] ?? []);
    expect(commands).toEqual([
      'ttctl inbox --kind timesheet',
      'ttctl inbox --kind leave',
      'ttctl inbox --kind time-request',
      'ttctl inbox',
      'ttctl timesheets missing',
      'ttctl leaves away --period today',
      'ttctl leaves away --period this-week',
      'ttctl auth status',
    ]);
    for (const command of commands) await commandOf(words(command).slice(1));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  }
});

it('tells namesakes apart', async () => {
  lists['members'] = [...(lists['members'] ?? []), person(6, 'Bo')];
  const { stdout } = await t.run('status');
  expect(stdout).toContain('1: Bo Ek (2)\n');
});

it.each([
  ['/leaves/balances', 0],
  ['/timesheets', 8],
])('does not count warnings that could not be found out: %s', async (path, exit) => {
  t.refused = new RegExp(`${path}\\?`);
  const { stdout, exit: code } = await t.run('status --json');
  expect([code, JSON.parse(stdout).waiting.with_warnings]).toEqual([exit, null]);
  expect((await t.run('status')).stdout).toContain('not all could be checked\n');
});

it.each([
  ['/timesheets', { timesheets: null, not_submitted: null }],
  ['/leaves', { leaves: null, not_submitted: null, this_week: null }],
  ['/members', { timesheets: 3, not_submitted: null }],
  ['/time-requests', { time_requests: null, timesheets: 3 }],
  ['/contracts', { timesheets: 3 }],
])('shows the rest where %s cannot be read, and exits with 8', async (path, expected) => {
  t.refused = new RegExp(`${path}\\?`);
  const { stdout, stderr, exit } = await t.run('status --json');
  const { waiting, away: absent, not_submitted: late } = JSON.parse(stdout);
  expect([exit, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code]).toEqual([8, 'partial']);
  expect({ ...waiting, ...absent, not_submitted: late }).toMatchObject(expected);
  const text = await t.run('status');
  expect(text.stderr).toMatch(/^warning: .* are missing: Not for you\./m);
  if (path !== '/contracts') expect(text.stdout).toContain('could not be read');
});

it.each([
  ['s2', { status: null }, 'Timesheet s2: its status', false],
  ['s2', { status: 'draft' }, 'Timesheet s2: its status', false],
  ['12', { status: null }, 'Contract 12: its status', false],
  ['2', { status: 'employed' }, 'The weekly limit or the status of the member', false],
  ['l1', { status: null }, 'Leave l1: its status', true],
])('says of nobody what %s with %j does not tell', async (id, more, what, isLeave) => {
  changed = { [id]: more };
  const { stdout, stderr, exit } = await t.run('status --json');
  const { not_submitted, away: absent } = JSON.parse(stdout);
  expect([exit, not_submitted, absent.this_week === null]).toEqual([8, null, isLeave]);
  expect(stderr).toContain('the status is incomplete');
  const { stdout: text, stderr: warning } = await t.run('status');
  expect(text).not.toContain('nobody');
  expect(warning).toContain(`warning: some records are missing: ${what} cannot be read`);
});

it('reads a status in any case, and needs no limit', async () => {
  changed = {
    s2: { status: 'OPEN' },
    l1: { status: 'Approved' },
    12: { status: 'Active' },
    3: { weekly_hours_limit: '40h' },
  };
  const { stdout, exit } = await t.run('status --json');
  const { not_submitted, away: absent } = JSON.parse(stdout);
  expect([exit, not_submitted.length, absent.today.length]).toEqual([0, 1, 1]);
});

it('tells how long a stored token lasts', async () => {
  const more = { machine: { width: 80 }, env: { TTCTL_TOKEN: '', TTCTL_BASE_URL: '' } };
  const login = `auth login --profile work --base-url ${t.baseUrl} --token-stdin --created 2026-05-25`;
  await t.read(login, { ...more, stdin: 'token-1\n' });
  const { sign_in } = await t.json('status --profile work', more);
  expect(sign_in).toEqual({ kind: 'personal', expires_at: '2026-11-25' });
  expect(await t.read('status --profile work', more)).toContain(
    '  work: personal access token, until Nov 25 (4 days)\n    ttctl auth status --profile work\n',
  );
});

it('fails alike where nothing can be read', async () => {
  t.refused = /./;
  expect(await t.run('status --json')).toMatchObject({ exit: 4, stdout: '' });
});
