import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { envelope, onePage } from '../support/service.ts';
import { ask, openCli } from '../support/use-cli.ts';

/** What is particular to one resource: requests and fields are those of docs/service.md. */

const UUID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const TIMES = 'time-requests create --member ana@example.com --contract 21';

it.each([
  ['tasks list', 'missing --project'],
  ['tasks create --title A', 'missing --project'],
  ['tasks assign 17 --member 12', 'missing --project'],
  ['tasks unassign 17 --member 12', 'missing --project'],
  ['tasks assign 17 --project 5', 'missing --member'],
  ['tasks assign 17', 'error: missing --member, --project\nhint: For example: '],
  ['tasks archive --all --yes', 'missing --project'],
  ['tasks archive 17 --status done --yes', 'filters need --all'],
  ['tasks assign 17 --project 5 --member 12,13', 'assigning 2 members'],
  ['tasks update 17 --project 5', 'nothing to change'],
  [`expenses update ${UUID} --amount 50`, 'missing --name, --date, --category'],
  ['expenses create --name x --date 2026-02-30 --amount 1 --category a', '"2026-02-30" is not a valid date'],
  ['expenses create --name x --date today --amount 1,5 --category a', '--amount: "1,5" is not a number'],
  [`expenses delete ${UUID}`, 'deleting 1 expense needs confirmation'],
  ['expenses list --date-from 2026-11-02 --date-to 2026-11-01', 'is before --date-from (2026-11-02)'],
  [`${TIMES} --start 2026-11-20T09:00Z --end 2026-11-20T09:00Z`, 'is not after --start'],
  [`${TIMES} --start 2026-11-20T09:00Z --end 2026-11-20T09:30+01:00`, 'is not after --start'],
  [
    `${TIMES} --start 2026-11-20T09:00 --end 2026-11-20T10:00 --timezone Europe/Nowhere`,
    'is not a time zone',
  ],
  [
    `${TIMES} --start 2026-03-29T02:30 --end 2026-03-29T05:00 --timezone Europe/Berlin`,
    'does not exist in Europe',
  ],
  [`${TIMES} --start 2026-11-20 --end 2026-11-20T10:00`, 'is not a time'],
  [`${TIMES} --start 2026-11-20T10:00`, 'missing --end'],
  [`leaves approve ${UUID} --status pending --yes`, 'filters need --all'],
  ['leaves approve --all --status rejected --yes', 'only pending leave requests can be approved'],
  [`leaves reject ${UUID} --yes`, 'missing --reason'],
  [`leaves approve ${UUID}`, 'approving 1 leave request needs confirmation'],
])('%s: %s, before any request', async (line, message) => {
  const { exit, stderr, lines } = await ask(line);
  expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(message), []]);
});

describe('tracker', () => {
  /** docs/service.md, Time tracking: no `workspace_id`, no body, and it does not ask. */

  describe('stopping the tracker', () => {
    it('needs no workspace, and answers when it was stopped', async () => {
      const answer = () => ({ body: envelope({ stopped_at: '2026-11-20T09:00:00Z' }) });
      const stop = (flags: string) => ask(`tracker stop ${flags}`, answer, { env: { TTCTL_WORKSPACE: '' } });
      const { exit, stdout } = await stop('--json');
      expect([exit, JSON.parse(stdout)]).toEqual([0, { stopped_at: '2026-11-20T09:00:00Z' }]);
      expect((await stop('--timezone Asia/Kolkata')).stdout).toBe('stopped  2026-11-20 14:30+05:30\n');
    });

    it('that does not run is refused in the words of the service', async () => {
      const body = { success: false, message: 'There is no active tracker.', meta: {} };
      const { exit, stderr } = await ask('tracker stop', () => ({ status: 400, body }));
      expect(exit).toBe(6);
      expect(stderr).toMatch(/^error: There is no active tracker\.[\s\S]*hint: .*auth status/);
    });
  });
});

describe('contracts', () => {
  /** Requests and fields are those of docs/service.md, Contracts. */

  describe('contracts', () => {
    const ana = { id: 1, project_name: 'Site', user_firstname: 'Ana', user_lastname: 'Sá', status: 'active' };
    const shown = (...rows: readonly object[]) => ask('contracts list', () => ({ body: onePage(rows) }));

    it('show rates only to those who get them, and whose rate it is in words', async () => {
      expect((await shown(ana)).stdout).not.toMatch(/RATE/);
      const rated = { ...ana, id: 2, rate: 75.5, rate_type: 3 };
      const { stdout } = await shown(ana, rated, { ...ana, id: 3, rate_type: 9 });
      expect(stdout).toMatch(/RATE {2}RATE FROM/);
      expect(stdout).toMatch(/75\.50 {2}project's/);
      expect(stdout).toMatch(/- {2}9/);
    });

    it('fetch names only where the records lack them', async () => {
      expect((await shown({ ...ana, project_id: 5, user_id: 12 })).lines).toHaveLength(1);
      expect((await shown({ id: 1, project_id: 5, user_id: 12 })).lines.slice(1).sort()).toEqual([
        'GET /members?workspace_id=7&page=1&per_page=100',
        'GET /projects?workspace_id=7&page=1&per_page=100',
      ]);
    });
  });
});

describe('tasks', () => {
  /**
   * Assign takes `workspace_id` and `project_id` in the body; the others name no place for them.
   * Fields, and the numbers of status and priority: docs/service.md, Tasks.
   */

  describe('tasks', () => {
    it('are shown with words for numbers, also unknown ones, and names where there are some', async () => {
      const rows = [
        {
          id: 1,
          title: 'A',
          status: 10,
          priority: 40,
          assignees: [{ firstname: 'Ana', lastname: 'Sá' }, 12],
        },
        { id: 2, title: 'B', status: 15, priority: null, assignees: [] },
      ];
      const bo = { id: 12, firstname: 'Bo', lastname: 'Li' };
      const { stdout } = await ask('tasks list --project 5', ({ line }) => ({
        body: onePage(line.startsWith('GET /members') ? [bo] : rows),
      }));
      expect(stdout).toBe(
        [
          'TITLE  STATUS       PRIORITY  ASSIGNEES      DUE  ID',
          'A      in-progress  low       Ana Sá, Bo Li  -     1',
          'B      15           -         -              -     2',
          '',
        ].join('\n'),
      );
    });
  });
});

describe('expenses', () => {
  /** A create counts its like before, so that a lost answer can be told. */

  const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
  const MAIN = `--name Train --date 2026-11-20 --amount 48.60`;

  const TRAIN = {
    ...{ id: ID, member: 'Ana Sousa', expense_name: 'Train', expense_date: 'Nov 20, 2026' },
    ...{ amount: 48.6, added_dte: 'Nov 21, 2026' },
  };

  describe('an expense', () => {
    it('is booked by one who may not list expenses', async () => {
      const { exit, stdout } = await ask(`expenses create ${MAIN} --category 4 --json`, ({ line }) =>
        line.startsWith('GET')
          ? { status: 403, body: { success: false, message: 'No.', meta: {} } }
          : { body: envelope({ id: ID }) },
      );
      expect([exit, JSON.parse(stdout)]).toEqual([0, { id: ID }]);
    });

    it('at 80 columns is shown with what one decides by', async () => {
      const more = { category: 'Travel', project: 'Harbour website', type: 'billable', note: 'two of us' };
      const row = { ...TRAIN, member: 'Nora Lindqvist', expense_name: 'Lunch with the bakers', ...more };
      const { stdout } = await ask('expenses list', { expenses: [row] }, { machine: { width: 80 } });
      expect(stdout).toMatch(/^MEMBER +NAME +DATE +AMOUNT +CATEGORY +PROJECT +ID\n/);
    });

    it('is shown before it is deleted', async () => {
      const { sit } = await openCli({ service: { expenses: [TRAIN] } });
      const { screen, exit } = await sit(`expenses delete ${ID}`, () => 'n\r');
      expect(screen).toMatch(/Ana Sousa {2}Train {2}Nov 20( 2026)? {2}48\.60/);
      expect(exit).toBe(9);
    });
  });
});

describe('time requests', () => {
  /**
   * Decisions are POSTs here (docs/service.md, Time requests). A create counts its like before, so that a lost answer can
   * be told.
   */

  describe('--timezone', () => {
    it('is checked though nothing needs it', async () => {
      const { exit, lines } = await ask('time-requests list --timezone Europe/Nowhere --json');
      expect([exit, lines]).toEqual([2, []]);
    });

    it('is the zone of periods, and of what is shown', async () => {
      const rows = [
        {
          id: 'a',
          user_id: 17,
          status: 'pending',
          start: '2026-11-20T23:30:00Z',
          end: '2026-11-21T01:00:00Z',
        },
      ];
      // 2026-11-20T13:00Z is the 21st already on Kiritimati, and its week began on the 16th.
      const machine = { clock: { ...quickClock, now: () => Date.parse('2026-11-20T13:00:00Z') } };
      const list = (zone: string) =>
        ask(
          `time-requests list --period today --timezone ${zone}`,
          ({ line }) => ({ body: onePage(line.startsWith('GET /time-requests') ? rows : []) }),
          { machine },
        );
      const [{ stdout, stderr, lines }, west] = [
        await list('Pacific/Kiritimati'),
        await list('America/New_York'),
      ];
      expect(stderr).toBe('');
      expect([lines[0], west.lines[0]]).toEqual([
        expect.stringContaining('date_from=2026-11-21'),
        expect.stringContaining('date_from=2026-11-20'),
      ]);
      expect(stdout).toContain('2026-11-21 13:30+14');
      expect(stdout).toContain('1:30');
    });
  });
});

describe('leaves', () => {
  /** `workspace_id` goes into the query of a read, query and body of a write (docs/service.md, Where values travel). */

  const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';

  const POLICIES = [
    { id: 3, name: 'Annual leave' },
    { id: 4, name: 'Sick leave' },
  ];

  describe('a decision', () => {
    it('on one that is decided already is refused by the service, with a way to see it', async () => {
      const body = { success: false, message: 'Already approved.', meta: {} };
      const { exit, stderr } = await ask(`leaves approve ${ID} --yes`, () => ({ status: 400, body }));
      expect(exit).toBe(6);
      expect(stderr).toContain('error: Already approved.');
      expect(stderr).toContain(`ttctl leaves list --id ${ID}`);
    });
  });

  describe('for people', () => {
    const table = async (rows: readonly object[], line: string) => {
      const { stdout } = await ask(line, ({ line: asked }) => {
        const names = asked.startsWith('GET /members')
          ? [{ id: 17, firstname: 'Ana', lastname: 'Sousa' }]
          : [];
        const policies = asked.startsWith('GET /leaves/policies') ? POLICIES : [];
        return { body: onePage(/^GET .leaves(.balances)?\?/.test(asked) ? rows : [...names, ...policies]) };
      });
      return stdout.split('\n').map((text) => text.trim().split(/ {2,}/));
    };

    it('a leave says who, which, when, how long, paid or not; nothing of what it has not', async () => {
      const row = {
        id: 'l1',
        user_id: 17,
        policy_id: 4,
        start_date: '2026-12-05',
        end_date: '2026-12-09',
        total: { days: 5, hours: 40 },
        is_paid: 'yes',
        status: 'pending',
      };
      const [heading, cells] = await table([row], 'leaves list');
      expect(heading).toEqual(['MEMBER', 'POLICY', 'PERIOD', 'DAYS', 'STATUS', 'PAID', 'REQUESTED', 'ID']);
      expect(cells).toEqual([
        ...['Ana Sousa', 'Sick leave', '2026-12-05 to 2026-12-09', '5', 'pending', 'yes', '-', 'l1'],
      ]);
    });

    it('a leave says on a terminal how long it waits', async () => {
      const row = { id: 'l1', user_id: 17, status: 'pending', created_on: '2026-11-06T09:00:00Z' };
      const list = (machine = {}) =>
        ask(
          'leaves list --timezone UTC',
          ({ line }) => ({ body: onePage(line.startsWith('GET /leaves?') ? [row] : []) }),
          { machine },
        );
      const clock = { ...quickClock, now: () => Date.parse('2026-11-20T13:00:00Z') };
      const { stdout } = await list({ width: 200, clock });
      const piped = await list();
      expect(stdout).toContain('14 d ago');
      expect(piped.stdout).toContain('2026-11-06 09:00Z');
    });

    it('a balance is words, whatever comes', async () => {
      const rows = [
        {
          user_name: 'Ana',
          leave_information: [
            { leave_type: 'Annual', balance: '10 days' },
            { leave_type: 'Sick', balance: '1 hour' },
          ],
          total_balance: '11 days',
        },
        { user_name: 'Bo', leave_information: null, total_balance: null },
        { user_name: 'Cy', leave_information: [null, {}], total_balance: '2 weeks' },
      ];
      const lines = await table(rows, 'leaves balances --period 2026');
      expect(lines.slice(1, 4)).toEqual([
        ['Ana', '10 days', '1 hour', '-', '11 days'],
        ['Bo', '-', '-', '-', '-'],
        ['Cy', '-', '-', '-', '2 weeks'],
      ]);
    });
  });
});

describe('balances', () => {
  /** `leaves balances` in formats without nesting, and its usual days. */

  const ROWS = [
    {
      user_id: 1,
      user_name: 'Ana',
      leave_information: [
        { leave_type: 'Annual', balance: '10 days' },
        { leave_type: 'user_id', balance: '1 hour' },
      ],
      total_balance: '11 days',
    },
    { user_id: 2, user_name: 'Bo', leave_information: null, total_balance: null },
    { user_id: 3, user_name: 'Cy', leave_information: [{ leave_type: 'Sick', balance: '2 days' }] },
  ];

  const machine = { clock: { ...quickClock, now: () => Date.UTC(2026, 10, 20) } };
  const run = (line: string) => ask(`leaves balances ${line}`, () => ({ body: onePage(ROWS) }), { machine });

  describe('leaves balances', () => {
    it('has a column for each policy in CSV, with the values as they were sent', async () => {
      expect((await run('-o csv')).stdout.split('\r\n')).toEqual([
        'user_id,user_name,Annual,Sick,total_balance',
        '1,Ana,10 days,,11 days',
        '2,Bo,,,',
        '3,Cy,,2 days,',
        '',
      ]);
    });

    it('R12: has a row for each balance with --long, its unit apart', async () => {
      expect((await run('--long -o tsv')).stdout.split('\n')).toEqual([
        'user_id\tuser_name\tleave_type\tbalance\tbalance_unit',
        '1\tAna\tAnnual\t10\tdays',
        '1\tAna\tuser_id\t1\thours',
        '3\tCy\tSick\t2\tdays',
        '',
      ]);
    });

    it.each(['--json', '--query [] -o json', '--long --json'])(
      'is in JSON as it was sent: %s',
      async (flags) => {
        expect(JSON.parse((await run(flags)).stdout)).toEqual(ROWS);
      },
    );

    it('tells namesakes apart for people', async () => {
      const before = [...ROWS];
      ROWS.push({ user_id: 4, user_name: 'Bo', leave_information: null, total_balance: null });
      for (const line of ['', '--long -o markdown']) {
        const { stdout } = await run(line);
        if (line === '') expect(stdout).toMatch(/^Ana +10 [\s\S]*^Bo \(2\) [\s\S]*^Bo \(4\) /m);
        expect(stdout).not.toMatch(/Ana \(/);
      }
      ROWS.splice(0, ROWS.length, ...before);
    });

    it('is about the current year where no days are named', async () => {
      const days = async (line: string) =>
        /date_from=[^&]*&date_to=[^&]*/.exec((await run(line)).lines[0] ?? '')?.[0];
      expect(await days('')).toBe('date_from=2026-01-01&date_to=2026-12-31');
      expect(await days('--date-from 2026-02-01 --date-to 2026-02-03')).toBe(
        'date_from=2026-02-01&date_to=2026-02-03',
      );
      expect(await days('--period last-year')).toBe('date_from=2025-01-01&date_to=2025-12-31');
      expect(await days('--param date_from=2020-01-01 --param date_to=2020-12-31')).toBe(
        'date_from=2020-01-01&date_to=2020-12-31',
      );
      expect(await run('--date-to 2026-02-03')).toMatchObject({ exit: 2, lines: [] });
    });
  });
});

describe('taken back', () => {
  /** After a move that another one takes back a person is told with which command: of many records for the first three. */

  it.each([
    ['t1', 't1'],
    ['t1 t2 t3', 't1 t2 t3'],
    ['t1 t2 t3 t4 t5', 't1 t2 t3'],
  ])('timesheets submit %s', async (ids, named) => {
    const { sit } = await openCli({ service: () => ({ body: envelope(null) }) });
    const { screen, exit } = await sit(`timesheets submit ${ids} --yes`, () => '\x03');
    expect(exit, screen).toBe(0);
    expect(/Undo with: (.*)/.exec(stripVTControlCharacters(screen))?.[1]).toBe(
      `ttctl timesheets unsubmit ${named}`,
    );
  });
});
