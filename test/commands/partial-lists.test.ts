import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { leave, member, timeRequest, timesheet } from '../support/records.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { type Lists, useCli } from '../support/use-cli.ts';

/** A server or a proxy may ignore a filter, or send less of a list than there is: nothing is decided by it. */

describe('a filter that is ignored chooses nothing', () => {
  const t = useCli();
  /** Before a service whose lists have these rows, whatever is asked. */
  const run = async (line: string, lists: Lists) => {
    t.answer = ({ line: asked }) => {
      const name = /^GET \/(?:.*\/)?([\w-]+)\?/.exec(asked)?.[1] ?? '';
      return { body: asked.startsWith('GET') ? onePage(lists[name] ?? []) : envelope(null) };
    };
    const ended = await t.run(line);
    const targets = t.writes().map((write) => write.split('/')[2]);
    return { ...ended, targets: targets.sort().join(' ') };
  };

  const people = [
    member(17, 'Ana', { email: 'Ana@example.com', current_role: 'Team manager', role: 3 }),
    member(18, 'Bo', { status: 'inactive' }),
    // It does not show a role.
    { id: 19, email: 'mei@example.com', status: 'active' },
  ];
  const contracts = [
    { id: 1, project_id: 5, user_id: 17, status: 'active' },
    { id: 2, project_id: 6, user_id: 18, status: 'active' },
    { id: 3, project_id: 5, user_id: 17, status: 'paused' },
  ];
  const timesheets = [
    timesheet('s45', 17, 40, { date_from: '2026-11-02', date_to: '2026-11-08' }),
    timesheet('s46', 17, 40),
    { ...timesheet('s46b', 18, 40), user_id: undefined, member: { id: 18 } },
    { id: 'bare', status: 'submitted' },
  ];
  const leaves = [
    leave('l1', 17, 9, { is_paid: 'yes', start_date: '2026-11-02', end_date: '2026-11-12' }),
    leave('l2', 18, 1, { policy_id: 4, is_paid: false, start_date: '2026-11-20', end_date: null }),
  ];
  const times = [
    timeRequest('t1', 17, { start: '2026-11-08T23:30:00Z', end: '2026-11-09T00:30:00Z' }),
    timeRequest('t2', 18, { start: '2026-11-09T22:00:00-05:00', end: '2026-11-09T23:00:00-05:00' }),
    timeRequest('t3', 18, { start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z' }),
  ];

  it.each<readonly [line: string, lists: Lists, told: string, chosen: string]>([
    ['members archive --all --role team-manager', { members: people }, 'role: 1 row', '17 19'],
    ['members archive --all --email ANA@example.com', { members: people }, 'email: 2 rows', '17'],
    [
      'viewers archive --all --email wu@example.com',
      { 'project-viewers': [member(31, 'Vi'), member(32, 'Wu')] },
      'email: 1 row',
      '32',
    ],
    [
      'projects archive --all --name harbour',
      {
        projects: [
          { id: 5, name: 'New Harbour' },
          { id: 6, name: 'Kiosk' },
        ],
      },
      'name: 1 row',
      '5',
    ],
    ['contracts archive --all --project 6', { contracts }, 'project_id: 2 rows', '2'],
    ['tasks archive --all --project 5', { tasks: contracts.slice(0, 2) }, 'project_id: 1 row', '1'],
    ['timesheets approve --all --period 2026-W45', { timesheets }, 'date_to: 2 rows', 'bare s45'],
    ['timesheets approve --all --date-from 2026-11-09', { timesheets }, 'date_from: 1 row', 'bare s46 s46b'],
    ['timesheets approve --all --id s46', { timesheets }, 'id: 3 rows', 's46'],
    [
      'timesheets approve ana@example.com --period 2026-W46',
      { members: people, timesheets },
      'date_from: 1 row',
      's46',
    ],
    ['leaves approve --all --policy 4', { leaves }, 'policy_id: 1 row', 'l2'],
    ['leaves approve --all --paid no', { leaves }, 'is_paid: 1 row', 'l2'],
    ['leaves approve --all --period 2026-W46', { leaves }, 'date_to: 1 row', 'l1'],
    ['time-requests approve --all --member 17', { 'time-requests': times }, 'user_id: 2 rows', 't1'],
    [
      // A moment at the edge of the period may be on the next day elsewhere.
      'time-requests approve --all --date-from 2026-11-10 --date-to 2026-11-12',
      { 'time-requests': times },
      'date_to: 1 row',
      't1 t2',
    ],
  ])('what shows another value is left out, and told: %s', async (line, lists, told, chosen) => {
    const { exit, targets, stderr } = await run(`${line} --yes`, lists);
    expect([exit, targets]).toEqual([0, chosen]);
    expect(stderr).toContain(`the service ignored ${told} that did not match`);
  });

  it.each([
    [
      'members archive --all --status inactive',
      { members: people },
      '2 members have the status "active"',
      '18',
    ],
    ['contracts archive --all --status paused', { contracts }, '2 contracts have the status "active"', '3'],
  ])('another status is named: %s', async (line, lists, said, chosen) => {
    const { exit, targets, stderr } = await run(`${line} --yes`, lists);
    expect([exit, targets]).toEqual([0, chosen]);
    expect(stderr).toContain(`${said}, which was not asked for`);
  });

  it('nothing is told of a service that heeds them', async () => {
    const line = 'timesheets approve --all --date-from 2026-11-01 --yes';
    const { targets, stderr } = await run(line, { timesheets });
    expect([targets, stderr]).toEqual(['bare s45 s46 s46b', expect.not.stringContaining('ignored')]);
  });

  it('the inbox has what its period means', async () => {
    const lists = { members: people, timesheets, leaves, 'time-requests': times };
    const { stdout } = await run('inbox --period 2026-W45 -o ids', lists);
    expect(stdout).toContain('s45');
    expect(stdout).not.toMatch(/^(s46|l2|t3)$/m);
  });

  it.each([
    ['timesheets approve --all --yes', 'd', undefined],
    ['timesheets list --status submitted', '', undefined],
    ["timesheets list --status submitted --where 'user_id == `17`' -o ids", '', 'd\n'],
    ['inbox --kind timesheet', '', undefined],
    ['members archive 17 --dry-run', '', undefined],
  ])('R10: a status that nobody knows, or asked for, is named, and chosen by nothing: %s', async (...row) => {
    const [line, chosen, printed] = row;
    const statuses = {
      a: 'pending_review',
      b: 'Pending_Review',
      c: 'approved',
      d: 'SUBMITTED',
      e: undefined,
    };
    const odd = Object.entries(statuses).map(([id, status]) => timesheet(id, 17, 8, { status }));
    const { stdout, stderr, exit, targets } = await run(line, { members: people, timesheets: odd });
    expect([exit, targets], stderr).toEqual([0, chosen]);
    expect(stderr).toContain('2 timesheets have the status "pending_review", which is not known');
    expect(stderr).toContain('1 timesheet has the status "approved", which was not asked for');
    expect(stderr).toContain('1 timesheet has no status');
    if (printed !== undefined) expect(stdout).toBe(printed);
  });
});

describe('a list that came short', () => {
  const RECORDS: Lists = {
    members: [member(1, 'm1'), member(2, 'm2')],
    timesheets: [timesheet('1', 1, 8), timesheet('2', 2, 8)],
    projects: [
      { id: 5, name: 'Harbour' },
      { id: 6, name: 'Kiosk' },
    ],
  };

  /** The list whose second page is empty; from the first write on, the other one. */
  let short: string;
  let shortAfterWrite: string | undefined;
  let write: Answer;
  beforeEach(() => {
    [short, shortAfterWrite] = ['', undefined];
    write = { body: envelope({ id: 9, name: 'New' }) };
  });
  const t = useCli({
    service: ({ line }) => {
      if (!line.startsWith('GET')) {
        short = shortAfterWrite ?? short;
        return write;
      }
      const [path = '', query] = line.slice('GET /'.length).split('?');
      const rows = RECORDS[path] ?? [];
      if (path !== short) return { body: onePage(rows) };
      const page = Number(new URLSearchParams(query).get('page'));
      const pagination = { total: rows.length + 1, per_page: 2, current_page: page, last_page: 2 };
      return { body: envelope(page === 1 ? rows : [], { pagination }) };
    },
    clock: quickClock,
  });

  it.each([
    ['timesheets', 'timesheets approve --all --yes'],
    ['timesheets', 'timesheets approve m1@example.com --yes'],
    ['members', 'members archive --all --status active --yes'],
    ['members', 'timesheets approve --all --where "member.id == `1`" --yes'],
    ['projects', 'projects create --name New --if-missing'],
    ['members', 'close check --period 2026-W46'],
    ['timesheets', 'timesheets missing --period 2026-W46'],
    ['members', 'workspaces export DIR'],
  ])('of %s decides nothing: %s', async (list, line) => {
    short = list;
    const { exit, stderr } = await t.run(line.replace('DIR', t.file('files')));
    expect([exit, t.writes(), existsSync(t.file('files'))]).toEqual([7, [], false]);
    expect(stderr).toContain(`the list of ${list} is incomplete: got 2 of 3`);
  });

  it('archives nothing: a record without a row may be the one that did not come', async () => {
    const apply = `workspaces apply ${t.file('files')} --archive-missing`;
    await t.read(`workspaces export ${t.file('files')}`);
    t.file('files/projects.csv', t.text('files/projects.csv').replace(/^6,.*\n/m, ''));
    for (short of ['projects', 'members', 'project-viewers', 'contracts', 'webhooks', 'tasks'])
      for (const flag of ['--yes', '--dry-run', `--plan ${t.file('plan')}`]) {
        const { exit, stderr } = await t.run(`${apply} ${flag}`);
        expect([short, exit, t.writes(), existsSync(t.file('plan'))]).toEqual([short, 7, [], false]);
        expect(stderr).toContain(`the list of ${short.replace('project-', '')} is incomplete: got `);
      }
    short = '';
    await t.run(`${apply} --yes`);
    expect(t.writes()).toEqual([expect.stringMatching(/^(DELETE|PUT) \/projects\/6/)]);
  });

  it.each([
    ['short', 7, 'unknown', 1],
    ['whole', 0, 'done', 2],
  ])('settles no row of a run that is resumed: %s', async (kind, exit, status, writes) => {
    write = { cut: true };
    shortAfterWrite = 'projects';
    const line = `projects create --from-file ${t.file('rows.csv', 'name\nNew\n')} --yes`;
    expect((await t.run(line)).exit).toBe(7);
    const [job] = await t.rows('jobs list');
    write = { body: envelope({ id: 9, name: 'New' }) };
    [short, shortAfterWrite] = [kind === 'short' ? 'projects' : '', undefined];
    const resumed = await t.run(`jobs resume ${job?.['id']} --yes`);
    expect([resumed.exit, t.writes().length]).toEqual([exit, writes]);
    expect(await t.json(`jobs show ${job?.['id']}`)).toMatchObject([{ status }]);
  });

  it('leaves --clean nothing that could be judged by it', async () => {
    short = 'leaves';
    const { exit, stderr } = await t.run('timesheets approve --all --clean --yes');
    expect([exit, t.writes()]).toEqual([0, []]);
    expect(stderr).toContain('--clean left out 2 rows that it could not evaluate');
  });

  it('is told by status', async () => {
    short = 'timesheets';
    const { stdout, stderr } = await t.run('status');
    expect(stdout + stderr).toContain('the list of timesheets is incomplete: got 2 of 3');
  });

  it.each([
    ['', 'It may still be carried out: the records do not show it yet.'],
    ['projects', 'It may have been carried out: the records could not be read either.'],
  ])('shows nothing of a lost answer, as the record may be in the rest: %j', async (list, words) => {
    write = { cut: true };
    shortAfterWrite = list;
    const { exit, stderr } = await t.run('projects create --name New');
    expect([exit, stderr]).toEqual([7, expect.stringContaining(words)]);
  });

  it('keeps nobody from writing', async () => {
    short = 'projects';
    const { exit } = await t.run('projects create --name New');
    expect([exit, t.writes().length]).toEqual([0, 1]);
  });

  it.each([
    'members list',
    'members list -o json',
    'members list --sort email --limit 1 -o ids',
    'members list --group-by status',
    'api /members --paginate',
  ])('is printed, with a warning: %s', async (line) => {
    short = 'members';
    const { exit, stdout, stderr } = await t.run(line);
    expect([exit, stdout.trim()]).toEqual([0, expect.stringMatching(/./)]);
    expect(stderr).toMatch(
      /^warning: the list of (members|records) is incomplete: got 2 of 3\. The service/m,
    );
  });

  it('has what was found in it', async () => {
    short = 'members';
    expect(await t.read('members list --limit 1 -o ids')).toBe('1\n');
  });
});
