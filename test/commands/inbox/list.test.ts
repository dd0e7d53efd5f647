import { beforeEach, describe, expect, it } from 'vitest';
import type { Row } from '../../../src/api/page.ts';
import { toReviewItem, toSafeEvidence } from '../../../src/commands/inbox/items.ts';
import { type InboxKind, toInboxItem } from '../../../src/decide/item.ts';
import { standingClock } from '../../support/clocks.ts';
import { leave as aLeave, member, timeRequest, timesheet } from '../../support/records.ts';
import { type Answer, onePage, type Recorded } from '../../support/service.ts';
import { useCli } from '../../support/use-cli.ts';

describe('list', () => {
  /** The inbox as a list: for a pipe, a script, another format than a table. */

  const NOW = Date.parse('2026-11-20T12:00:00Z');

  const ana = member(17, 'Ana', { lastname: 'Sousa' });
  const sheet = timesheet('s1', 17, 41.5, { submitted_on: '2026-11-16T08:15:00Z' });
  const leave = aLeave('l1', 17, 1, {
    ...{ is_paid: 'yes', start_date: '2026-11-13', end_date: '2026-11-13' },
    ...{ note: 'Dentist', created_on: '2026-11-10T09:00:00Z' },
  });
  const time = timeRequest('r1', 18, {
    ...{ start: '2026-11-18T09:00:00+01:00', end: '2026-11-18T11:00:00+01:00' },
  });

  const ROWS: Readonly<Record<string, readonly unknown[]>> = {
    '/timesheets': [sheet, { ...sheet, id: 'open', status: 'open' }],
    '/leaves': [leave],
    '/time-requests': [time],
    '/members': [ana, { id: 18, email: 'bo@example.com', firstname: 'Bo', lastname: 'Ek', status: 'left' }],
    '/contracts': [{ id: 1, user_id: 17, weekly_hours_limit: 30, status: 'active' }],
    '/leaves/balances': [
      { user_id: 17, leave_information: [{ leave_type: 'Annual leave', balance: '0.5 days' }] },
    ],
    '/leaves/policies': [{ id: 3, name: 'Annual leave' }],
    '/projects': [{ id: 5, name: 'Harbour' }],
  };

  const pathOf = ({ line }: Recorded): string => /^\S+ ([^?]*)/.exec(line)?.[1] ?? '';

  const plainly = (request: Recorded): Answer => {
    const approved = request.line.includes('status=approved');
    return { body: onePage(approved ? [] : (ROWS[pathOf(request)] ?? [])) };
  };

  const refused: Answer = {
    status: 403,
    body: {
      success: false,
      message: 'Leaves are not for you.',
      meta: { api_version: '2.0.0', timestamp: '' },
    },
  };

  const clock = standingClock(NOW);
  const t = useCli({ env: { TZ: 'UTC' }, clock });
  beforeEach(() => {
    t.answer = plainly;
  });
  const { run } = t;

  describe('ttctl inbox in a pipe', () => {
    it('asks for the three lists, then for what is around them, and writes nothing', async () => {
      await run('inbox --json');
      const lines = t.lines();
      expect([...lines.slice(0, 3)].sort()).toEqual([
        'GET /leaves?workspace_id=7&status=pending&page=1&per_page=100',
        'GET /time-requests?workspace_id=7&status=pending&page=1&per_page=100',
        'GET /timesheets?workspace_id=7&status=submitted&page=1&per_page=100',
      ]);
      expect([...lines.slice(3)].sort()).toEqual([
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
      const { stdout, exit, stderr } = await run('inbox --json');
      const odd = 'warning: 1 timesheet has the status "open", which was not asked for\n';
      expect([exit, stderr]).toEqual([0, odd]);
      expect(JSON.parse(stdout)).toEqual([
        {
          kind: 'leave',
          id: 'l1',
          user_id: 17,
          member: 'Ana Sousa',
          email: 'ana@example.com',
          date_from: '2026-11-13',
          date_to: '2026-11-13',
          start: null,
          end: null,
          hours: 8,
          days: 1,
          policy: 'Annual leave',
          is_paid: true,
          project: null,
          note: 'Dentist',
          waiting_since: '2026-11-10T09:00:00.000Z',
          waiting_seconds: 10 * 86_400 + 3 * 3600,
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

    it.each([
      [
        'inbox -o csv --columns kind,member,hours',
        'kind,member,hours\r\nleave,Ana Sousa,8\r\ntimesheet,Ana Sousa,41.5\r\ntime-request,Bo Ek,2\r\n',
      ],
      ['inbox -o ids --limit 1', 'l1\n'],
      ['inbox -o ids --kind timesheet,time-request', 's1\nr1\n'],
    ])('%s', async (line, expected) => {
      expect(await run(line)).toMatchObject({ stdout: expected, exit: 0 });
    });

    it('is a table for people, remarks in words', async () => {
      const { stdout } = await run('inbox');
      expect(stdout).toMatch(/^MEMBER +KIND +WAITING SINCE +PERIOD/);
      expect(stdout).toMatch(
        /Ana Sousa +timesheet .*11:30 over the limit of 30:00 a week; also requests leave Nov 13/,
      );
      expect((await run('inbox -o markdown')).stdout).toMatch(/\| Ana Sousa +\| leave/);
    });

    it('tells that it is shortened', async () => {
      expect((await run('inbox --limit 2 -o ids')).stderr).toContain('Showing 2 of 3.');
    });

    it.each([
      ['inbox --kind sheets', '--kind: "sheets" is not one of timesheet, leave, time-request'],
      ['inbox --period last-week --date-from today', 'cannot be used with'],
      ['inbox --limit none', '--limit: "none" is not a whole number'],
      ['inbox --date-from 2026-02-30', '"2026-02-30" is not a valid date'],
      ['inbox x', 'too many arguments'],
    ])('%s is refused before the first request', async (line, message) => {
      const { exit, stderr } = await run(line);
      expect(exit).toBe(2);
      expect(stderr).toContain(message);
      expect(t.lines()).toEqual([]);
    });

    it('asks for one person by the filters that there are, and filters where there is none', async () => {
      await run('inbox --member 18 --date-from 2026-11-01 --date-to 2026-11-30 -o ids');
      expect([...t.lines().slice(0, 3)].sort()).toEqual([
        'GET /leaves?workspace_id=7&status=pending&date_from=2026-11-01&date_to=2026-11-30&user_id=18&page=1&per_page=100',
        'GET /time-requests?workspace_id=7&status=pending&user_id=18&date_from=2026-11-01&date_to=2026-11-30&page=1&per_page=100',
        'GET /timesheets?workspace_id=7&status=submitted&date_from=2026-11-01&date_to=2026-11-30&page=1&per_page=100',
      ]);
      expect((await run('inbox --member 18 -o ids')).stdout).toBe('r1\n');
    });

    it('is an empty list where nothing waits', async () => {
      t.answer = () => ({ body: onePage([]) });
      expect(await run('inbox --json')).toEqual({ stdout: '[]\n', stderr: '', exit: 0 });
      expect(t.lines()).toHaveLength(3);
      expect((await run('inbox')).stderr).toContain('Nothing is waiting for a decision.');
      const { stderr } = await run('inbox --kind leave');
      expect(stderr).toContain('No matching request is waiting for a decision.');
    });
  });

  describe('a list that cannot be read', () => {
    const without = (...paths: readonly string[]) => {
      t.answer = (request) => (paths.includes(pathOf(request)) ? refused : plainly(request));
    };

    it('leaves the others, and an exit that says so', async () => {
      without('/leaves');
      const { stdout, stderr, exit } = await run('inbox -o ids');
      expect(stdout).toBe('s1\nr1\n');
      expect(exit).toBe(8);
      expect(stderr).toContain('warning: leave requests are missing: Leaves are not for you.');
      expect(stderr).toContain('error: the inbox is incomplete: leave requests could not be read');
    });

    it('ends with its own code where no list can be read', async () => {
      without('/leaves', '/timesheets', '/time-requests');
      expect(await run('inbox --json')).toMatchObject({ stdout: '', exit: 4 });
      without('/leaves');
      expect(await run('inbox --json --kind leave')).toMatchObject({ stdout: '', exit: 4 });
    });

    it('of what is around costs a remark only, and is told', async () => {
      without('/contracts', '/leaves/balances', '/members', '/projects', '/leaves/policies');
      const { stdout, stderr, exit } = await run('inbox -o csv --columns id,member,project,warnings');
      expect(exit).toBe(0);
      expect(stderr).not.toContain('could not be read');
      expect(stdout).toContain('s1,,,"[""overlaps_leave"",""not_checked""]"');
      expect((await run('inbox')).stdout).toMatch(/17 +timesheet /);
    });

    it.each([
      ['/leaves/policies', 'l2', 'its policy is unknown'],
      ['/leaves/balances', 'l2', 'leave balances could not be read'],
      ['/members', 's2', 'its member is unknown'],
      ['/contracts', 's2', 'weekly limits of contracts could not be read'],
    ])('never passes for no warning: %s', async (path, id, what) => {
      without(path);
      const spread = t.answer;
      const rows: typeof ROWS = {
        '/timesheets': [{ ...sheet, id: 's2', total_hours: 20 }],
        '/leaves': [{ ...leave, id: 'l2', start_date: '2026-12-10', end_date: '2026-12-10' }],
        '/time-requests': [],
      };
      t.answer = (request) => {
        const own = request.line.includes('status=approved') ? undefined : rows[pathOf(request)];
        return own === undefined ? spread(request, 0) : { body: onePage(own) };
      };
      const all: readonly { id: string }[] = JSON.parse((await run('inbox --json')).stdout);
      expect(all.find((row) => row.id === id)).toMatchObject({
        warnings: ['not_checked'],
        warning_messages: [`not checked: ${what}`],
      });
      expect((await run('inbox')).stdout).toMatch(new RegExp(`not checked: ${what}.*${id}`));
    });
  });

  describe('ttctl inbox decide', () => {
    const RULES = '[{ "name": "all", "kind": "timesheet", "when": "total_hours > `1`", "then": "approve" }]';
    const decide = (line: string) => run(line, { stdin: RULES });

    it.each(['inbox decide --rules -', '--json inbox decide --rules -', 'inbox --json decide --rules -'])(
      'has the filters for itself: %s --member 18',
      async (line) => {
        const list = async (flags: string): Promise<readonly unknown[]> => {
          const { stdout } = await decide(`${line} ${flags} --columns id --output json`);
          return JSON.parse(stdout);
        };
        expect(await list('--kind timesheet')).toEqual([{ id: 's1' }]);
        expect(await list('--member 18')).toEqual([{ id: 'r1' }]);
      },
    );

    it.each(['--limit 1', "--where 'total_hours > `1`'", '--group-by kind', '--discard-draft'])(
      'refuses %s, which is of the inbox alone',
      async (flag) => {
        const { exit, stderr } = await decide(`inbox decide --rules - ${flag} --yes`);
        expect([exit, stderr]).toEqual([
          2,
          expect.stringContaining(`unknown option '${flag.split(' ')[0]}'`),
        ]);
        expect(t.lines()).toEqual([]);
      },
    );

    it('is not given flags that stand before its name', async () => {
      expect((await decide('inbox --member 18 decide --rules - --yes')).exit).toBe(2);
      expect(t.lines()).toEqual([]);
    });
  });
});

describe('on the screen', () => {
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
});
