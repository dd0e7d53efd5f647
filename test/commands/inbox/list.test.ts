import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/api/page.ts';
import { toReviewItem, toSafeEvidence } from '../../../src/commands/inbox/items.ts';
import { type InboxKind, toInboxItem } from '../../../src/decide/item.ts';
import { standingClock } from '../../support/clocks.ts';
import { leave as aLeave, member, timeRequest, timesheet } from '../../support/records.ts';
import { onePage } from '../../support/service.ts';
import { answerFrom, useCli } from '../../support/use-cli.ts';

/** The inbox as a list: for a pipe, a script, another format than a table. */

const sheet = timesheet('s1', 17, 41.5, { submitted_on: '2026-11-16T08:15:00Z' });
const leave = aLeave('l1', 17, 1, {
  ...{ is_paid: 'yes', start_date: '2026-11-13', end_date: '2026-11-13' },
  ...{ note: 'Dentist', created_on: '2026-11-10T09:00:00Z' },
});
const time = timeRequest('r1', 18, {
  ...{ start: '2026-11-18T09:00:00+01:00', end: '2026-11-18T11:00:00+01:00' },
});

const t = useCli({
  service: {
    timesheets: [sheet],
    leaves: [leave],
    'time-requests': [time],
    members: [member(17, 'Ana', { lastname: 'Sousa' }), member(18, 'Bo', { status: 'left' })],
    contracts: [{ id: 1, user_id: 17, weekly_hours_limit: 30, status: 'active' }],
    balances: [{ user_id: 17, leave_information: [{ leave_type: 'Annual leave', balance: '0.5 days' }] }],
    policies: [{ id: 3, name: 'Annual leave' }],
    projects: [{ id: 5, name: 'Harbour' }],
  },
  env: { TZ: 'UTC' },
  clock: standingClock('2026-11-20T12:00:00Z'),
});
const { run, json, lines } = t;

describe('the inbox in a pipe', () => {
  it('asks for the three lists, then for what is around them, and writes nothing', async () => {
    await run('inbox --json');
    expect([...lines().slice(0, 3)].sort()).toEqual([
      'GET /leaves?workspace_id=7&status=pending&page=1&per_page=100',
      'GET /time-requests?workspace_id=7&status=pending&page=1&per_page=100',
      'GET /timesheets?workspace_id=7&status=submitted&page=1&per_page=100',
    ]);
    expect([...lines().slice(3)].sort()).toEqual([
      'GET /contracts?workspace_id=7&user_id=17&page=1&per_page=100',
      'GET /leaves/balances?workspace_id=7&date_from=2026-01-01&date_to=2026-12-31&user_id=17&page=1',
      'GET /leaves/policies?workspace_id=7',
      'GET /leaves?workspace_id=7&status=approved&date_from=2026-11-09&date_to=2026-11-18&user_id=17&page=1&per_page=100',
      'GET /leaves?workspace_id=7&status=approved&date_from=2026-11-09&date_to=2026-11-18&user_id=18&page=1&per_page=100',
      'GET /members?workspace_id=7&page=1&per_page=100',
      'GET /projects?workspace_id=7&page=1&per_page=100',
      'GET /time-requests?workspace_id=7&status=approved&user_id=18&date_from=2026-11-18&date_to=2026-11-18&page=1&per_page=100',
    ]);
  });

  it('prints each with the same keys, the oldest first', async () => {
    expect(await json('inbox')).toEqual([
      {
        ...{ kind: 'leave', id: 'l1', user_id: 17, member: 'Ana Sousa', email: 'ana@example.com' },
        ...{ date_from: '2026-11-13', date_to: '2026-11-13', start: null, end: null, hours: 8, days: 1 },
        ...{ policy: 'Annual leave', is_paid: true, project: null, note: 'Dentist' },
        ...{ waiting_since: '2026-11-10T09:00:00.000Z', waiting_seconds: 10 * 86_400 + 3 * 3600 },
        warnings: ['over_balance', 'overlaps_timesheet', 'begun'],
        warning_messages: [
          '1 day requested, 0.5 days left',
          'the timesheet Nov 9–15 is also waiting',
          'began 7 days ago',
        ],
      },
      expect.objectContaining({
        ...{ kind: 'timesheet', id: 's1', hours: 41.5, days: null, policy: null, is_paid: null },
        warnings: ['over_weekly_limit', 'overlaps_leave'],
        warning_messages: ['11:30 over the limit of 30:00 a week', 'also requests leave Nov 13'],
      }),
      expect.objectContaining({
        ...{ kind: 'time-request', id: 'r1', member: 'Bo Ek', project: 'Harbour', note: null },
        ...{ start: '2026-11-18T09:00:00+01:00', end: '2026-11-18T11:00:00+01:00', hours: 2 },
        ...{ warnings: ['not_active'], warning_messages: ['the member is gone'] },
      }),
    ]);
  });

  it('leaves out what was not asked for, and says so', async () => {
    const odd = { ...sheet, id: 'open', status: 'open' };
    t.answer = (request) =>
      request.line.includes('/timesheets?') ? { body: onePage([sheet, odd]) } : answerFrom(t.lists, request);
    expect(await run('inbox -o ids')).toMatchObject({
      stdout: 'l1\ns1\nr1\n',
      stderr: 'warning: 1 timesheet has the status "open", which was not asked for\n',
    });
  });

  it('is CSV with the columns that are asked for', async () => {
    const rows =
      'kind,member,hours\r\nleave,Ana Sousa,8\r\ntimesheet,Ana Sousa,41.5\r\ntime-request,Bo Ek,2\r\n';
    expect(await t.read('inbox -o csv --columns kind,member,hours')).toBe(rows);
    expect(await t.read('inbox -o ids --kind timesheet,time-request')).toBe('s1\nr1\n');
  });

  it('is a table for people, remarks in words', async () => {
    const table = await t.read('inbox');
    expect(table).toMatch(/^MEMBER +KIND +WAITING SINCE +PERIOD/);
    const remarks = '11:30 over the limit of 30:00 a week; also requests leave Nov 13';
    expect(table).toMatch(new RegExp(`Ana Sousa +timesheet .*${remarks}`));
    expect(await t.read('inbox -o markdown')).toMatch(/\| Ana Sousa +\| leave/);
  });

  it.each([
    ['inbox --period last-week --date-from today', 'cannot be used with'],
    ['inbox --limit none', '--limit: "none" is not a whole number'],
    ['inbox --date-from 2026-02-30', '"2026-02-30" is not a valid date'],
    ['inbox x', 'too many arguments'],
  ])('%s is refused before the first request', async (line, message) => {
    const { exit, stderr } = await run(line);
    expect([exit, lines(), stderr]).toEqual([2, [], expect.stringContaining(message)]);
  });

  it('asks for one person by the filters that there are, and filters where there is none', async () => {
    await run('inbox --member 18 --date-from 2026-11-01 --date-to 2026-11-30 -o ids');
    expect([...lines().slice(0, 3)].sort()).toEqual([
      'GET /leaves?workspace_id=7&status=pending&date_from=2026-11-01&date_to=2026-11-30&user_id=18&page=1&per_page=100',
      'GET /time-requests?workspace_id=7&status=pending&user_id=18&date_from=2026-11-01&date_to=2026-11-30&page=1&per_page=100',
      'GET /timesheets?workspace_id=7&status=submitted&date_from=2026-11-01&date_to=2026-11-30&page=1&per_page=100',
    ]);
    expect(await t.read('inbox --member 18 -o ids')).toBe('r1\n');
  });

  it('is an empty list where nothing waits', async () => {
    t.lists = {};
    expect(await run('inbox --json')).toEqual({ stdout: '[]\n', stderr: '', exit: 0 });
    expect(lines()).toHaveLength(3);
    expect((await run('inbox')).stderr).toContain('Nothing is waiting for a decision.');
  });
});

describe('a list that cannot be read', () => {
  it('leaves the others, and an exit that says so', async () => {
    t.refused = /\/leaves\?/;
    const { stdout, stderr, exit } = await run('inbox -o ids');
    expect([exit, stdout]).toEqual([8, 's1\nr1\n']);
    expect(stderr).toContain('warning: leave requests are missing: Not for you.');
    expect(stderr).toContain('error: the inbox is incomplete: leave requests could not be read');
  });

  it.each([
    [/leaves|timesheets|time-requests/, 'inbox --json'],
    [/leaves/, 'inbox --json --kind leave'],
  ])('ends with its own code where no other list is: %s', async (refused, line) => {
    t.refused = refused;
    expect(await run(line)).toMatchObject({ stdout: '', exit: 4 });
  });

  it('of what is around costs a remark only, and is told', async () => {
    t.refused = /contracts|balances|members|projects|policies/;
    const { stdout, stderr, exit } = await run('inbox -o csv --columns id,member,project,warnings');
    expect([exit, stderr]).toEqual([0, expect.not.stringContaining('could not be read')]);
    expect(stdout).toContain('s1,,,"[""overlaps_leave"",""not_checked""]"');
    expect(await t.read('inbox')).toMatch(/17 +timesheet /);
  });

  it('never passes for no warning', async () => {
    t.refused = /contracts/;
    Object.assign(t.lists, { timesheets: [timesheet('s2', 17, 20)], leaves: [], 'time-requests': [] });
    const told = 'not checked: weekly limits of contracts could not be read';
    expect(await json('inbox')).toMatchObject([{ warnings: ['not_checked'], warning_messages: [told] }]);
    expect(await t.read('inbox')).toMatch(new RegExp(`${told}.*s2`));
  });
});

describe('on the review screen', () => {
  const show = (kind: InboxKind, row: Row, timeZone = 'UTC') => {
    const nobody = { load: async () => {}, of: () => null, record: () => undefined };
    const names = { member: nobody, viewer: nobody, project: nobody, policy: nobody, category: nobody };
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
    [{ total: { days: 2, hours: 16 } }, '2 days, 16:00 hours, paid'],
    [{ total: { hours: 4 } }, '4:00 hours, paid'],
    [{}, 'paid'],
  ])('how long a leave of %j is', (more, length) => {
    const dates = { start_date: '2026-11-16', end_date: '2026-11-17', is_paid: true };
    expect(show('leave', { ...dates, ...more }).facts()).toContainEqual(['length', length]);
  });

  it('nothing of the service is shown as it came', () => {
    const hostile = '\x1b]0;owned\x07\u202e\n  x';
    const shown = show('leave', { note: hostile, member: { name: hostile } });
    const fact = new Map(shown.facts()).get('note');
    expect([shown.note, fact]).toEqual(['\\x1b]0;owned\\x07\\u202e\\n x', '\\x1b]0;owned\\x07\\u202e\n  x']);
    const evidence = toSafeEvidence([{ label: hostile, lines: [hostile] }]);
    expect(JSON.stringify([shown.who, shown.facts(), evidence])).not.toMatch(/\\u001b|\u202e/);
  });
});
