import { beforeEach, describe, expect, it } from 'vitest';
import { member, timesheet } from '../support/records.ts';
import { envelope } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** What a person reads before a write, and how a person is understood who names members. */

describe('archiving says whether somebody has just been invited', () => {
  const person = (id: number, name: string, status: string, created_at: string) =>
    member(id, name, { status, created_at, deleted_at: null });
  const t = useCli({
    service: {
      workspaces: [{ id: 7, workspace_name: 'N' }],
      members: [
        person(17, 'Ana', 'inactive', '2026-11-17T23:00:00Z'),
        person(18, 'Bo', 'inactive', '2026-11-20'),
        person(19, 'Cy', 'active', '2024-02-29T08:00:00Z'),
        person(20, 'Di', 'left', 'soon'),
      ],
    },
  });
  const SAID =
    /Ana Ek .*inactive +invited 2026-11-17[\s\S]*Bo Ek .*inactive +invited 2026-11-20[\s\S]*Cy Ek .*active +invited 2024-02-29[\s\S]*Di Ek .*left/;
  const sit = (line: string) =>
    t.sit(line, ({ kind }) => (kind === 'mark' ? `${' \x1b[B'.repeat(4)}\r` : 'n\r'), { columns: 120 });

  it.each(['', '--all --role regular-user', '17 18 19 20'])('in the question: %j', async (who) => {
    const { screen, prompts } = await sit(`members archive ${who}`);
    expect(prompts.at(-1)).toEqual({ message: 'Archive 4 members', kind: 'confirm' });
    expect(screen).toMatch(SAID);
    expect(screen).not.toContain('NaN');
    expect(t.sent()).toEqual([]);
  });

  it.each(['--all --role regular-user', '17 18 19 20'])(
    'in a dry run, which asks nothing: %s',
    async (who) => {
      expect(await t.read(`members archive ${who} --dry-run`)).toMatch(SAID);
      expect((await sit(`members archive ${who} --dry-run`)).prompts).toEqual([]);
    },
  );
});

describe('approving many', () => {
  const sheet = (id: string, user: number, hours: number, days = ['2026-11-09', '2026-11-15']) =>
    timesheet(id, user, hours, { date_from: days[0], date_to: days[1] });
  const t = useCli({
    service: {
      workspaces: [{ id: 7, workspace_name: 'N' }],
      members: [
        member(17, 'Ana', { lastname: 'Sousa' }),
        member(18, 'Bo', { weekly_hours_limit: 30 }),
        member(19, 'Mei', { lastname: 'Tanaka' }),
        member(20, 'Meinhard', { lastname: 'Vogt' }),
        member(21, 'Tomasz', { lastname: 'Zieliński', weekly_hours_limit: 10 }),
      ],
      timesheets: [
        // Five short ones without a warning, each on a day of its own.
        ...[1, 2, 3, 4, 5].map((n) => sheet(`a${n}`, 17, 5, [`2026-10-0${n}`, `2026-10-0${n}`])),
        sheet('b1', 18, 45),
        sheet('c1', 21, 12.5),
        sheet('d1', 19, 30, ['2026-11-02', '2026-11-08']),
        sheet('d2', 19, 31),
      ],
    },
    env: { TZ: 'UTC' },
  });
  // A decision is answered with what was sent.
  beforeEach(() => {
    const read = t.answer;
    t.answer = (request, index) =>
      request.line.startsWith('GET') ? read(request, index) : { body: envelope({ ...Object(request.body) }) };
  });
  const no = () => 'n\r';
  const yes = () => 'y\r';
  const FLAGGED =
    / {2}Bo Ek +\S+ 9–15( 2026)? +45:00.*\n {4}! 15:00 over the limit of 30:00 a week\n {2}Tomasz Zieliński +\S+ 9–15( 2026)? +12:30.*\n {4}! 2:30 over the limit of 10:00 a week\n/;

  it('asks with what has a warning first, in words, and how many have which', async () => {
    const { screen, prompts } = await t.sit('timesheets approve --all', no);
    expect(prompts).toEqual([{ message: 'Approve 9 timesheets', kind: 'confirm' }]);
    expect(screen, 'O2').toContain('Decisions cannot be undone.\n');
    expect(screen).toMatch(FLAGGED);
    expect(screen).toMatch(
      /! 2:30 over.*\n( {2}Ana Sousa.*\n){5}( {2}Mei Tanaka.*\n){2}\n {2}7 clean, 2 over the limit\n/,
    );
    expect(t.writes()).toEqual([]);
  });

  it('also of records that are named, however late they come', async () => {
    const { screen, prompts } = await t.sit('timesheets approve a1 a2 a3 a4 a5 b1 c1', no);
    expect(prompts).toEqual([{ message: 'Approve 7 timesheets', kind: 'confirm' }]);
    expect(screen).toMatch(FLAGGED);
    expect(screen).toContain('5 clean, 2 over the limit');
  });

  it.each([
    ['--all', 8],
    ['a1 b1 c1 d1', 3],
  ])('S3: sends none that changed while it was asked: %s', async (targets, count) => {
    const answer = () => {
      const sheets = t.lists['timesheets'] ?? [];
      t.lists['timesheets'] = sheets.map((row) => (row['id'] === 'b1' ? { ...row, total_hours: 60 } : row));
      return 'y\r';
    };
    const { exit, screen, stdout } = await t.sit(`timesheets approve ${targets}`, answer);
    expect(exit, screen).toBe(8);
    expect(stdout).toMatch(/changed since:\s+hours:\s+45:00 → 60:00/);
    expect(t.writes()).toHaveLength(count);
    expect(t.writes()).not.toContain('PUT /timesheets/b1/approve');
  });

  it.each(['--all', 'a1 b1 c1'])('a dry run asks nothing, and says which they are: %s', async (targets) => {
    const line = `timesheets approve ${targets} --dry-run`;
    const { screen, prompts } = await t.sit(line);
    expect(screen).toMatch(/\d clean, 2 over the limit\./);
    for (const told of [
      screen,
      (await t.sit(`${line} --yes`)).screen,
      (await t.run(line)).stderr,
      (await t.run(`${line} -o csv`)).stderr,
    ])
      expect(told).toMatch(FLAGGED);
    expect([prompts, t.writes()]).toEqual([[], []]);
  });

  it('the results of a dry run have the codes and their words', async () => {
    const line = 'timesheets approve a1 b1 --dry-run';
    expect(await t.json(line)).toMatchObject([
      { warnings: [], warning_messages: [] },
      { warnings: ['over_weekly_limit'], warning_messages: ['15:00 over the limit of 30:00 a week'] },
    ]);
    expect(await t.read(`${line} -o csv --columns warnings,warning_messages`)).toContain(
      '\r\n"[""over_weekly_limit""]","[""15:00 over the limit of 30:00 a week""]"\r\n',
    );
    expect(await t.read(`${line} -o markdown`)).toContain('15:00 over the limit of 30:00 a week');
  });

  it.each([
    [/contracts/, [['not_checked'], ['over_weekly_limit', 'not_checked']]],
    [/GET \/timesheets/, [null, null]],
  ])('and what could not be checked where a list was refused: %s', async (list, warnings) => {
    t.refused = list;
    const results = await t.rows('timesheets approve a1 b1 --dry-run');
    expect(results.map((result) => result['warnings'])).toEqual(warnings);
  });

  it.each([
    ['--all', ['/timesheets']],
    ['8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b 0d9be1d5-3c5f-4b5c-9c55-2a3f0f6f8a11', []],
  ])('with --yes nothing of it is read: %s', async (targets, reads) => {
    await t.sit(`timesheets approve ${targets} --yes`);
    const paths = t.lines().map((line) => line.replace(/^GET |\?.*/g, ''));
    expect(paths.filter((path) => /timesheets$|contracts|leaves/.test(path))).toEqual(reads);
  });

  it('a list that is refused costs what rests on it, not the decision', async () => {
    t.refused = /contracts/;
    const { screen, exit } = await t.sit('timesheets approve --all', yes);
    const unread = '! not checked: weekly limits of contracts could not be read';
    expect(screen.replace(/\s+/g, ' ')).toMatch(
      new RegExp(
        `Bo Ek .* ! 15:00 over the limit of 30:00 a week ${unread} .*Tomasz .* ${unread} Ana .* ${unread}`,
      ),
    );
    expect(screen).toContain('2 over the limit, 9 not checked');
    expect([exit, t.writes().length]).toEqual([0, 9]);
  });

  it('what waits may be refused too', async () => {
    t.refused = /GET \/timesheets/;
    const { screen, exit } = await t.sit('timesheets approve a1 b1', yes);
    expect(screen.replace(/\s+/g, ' ')).toContain('The warnings could not be read: Not for you.');
    expect([exit, t.writes().length]).toEqual([0, 2]);
  });

  it('of several sheets of one member a person picks', async () => {
    const { prompts, screen } = await t.sit('timesheets approve "Mei Tanaka"', ({ kind }) =>
      kind === 'pick' ? '\r' : 'y\r',
    );
    expect(prompts.map(({ kind }) => kind)).toEqual(['pick', 'confirm']);
    expect(screen).toMatch(/Mei Tanaka .* 30:00\n.*Mei Tanaka .* 31:00\n/);
    expect(t.writes()).toEqual(['PUT /timesheets/d1/approve']);
  });

  it.each([
    ['timesheets reject tomasz --reason late', 'Tomasz Zieliński (tomasz@example.com)?'],
    ['timesheets list --member mei', 'Mei Tanaka (mei@example.com), or Meinhard Vogt (meinhard@'],
  ])('the beginning of a name is answered with whom it may mean: %s', async (line, hint) => {
    for (const { exit, stderr } of [await t.sit(line), await t.run(`${line} --yes`)]) {
      expect([exit, t.writes()]).toEqual([5, []]);
      expect(stderr).toContain(`Did you mean ${hint}`);
    }
  });
});

describe('archiving says what somebody has open', () => {
  const { run, sit, json, rows, sent } = useCli({ sandbox: 'demo', shared: true });

  it('before the question, and in a dry run', async () => {
    const line = 'members archive arjun@lindenhof.example';
    const { screen, prompts } = await sit(line, () => 'n\r', { columns: 100 });
    expect(prompts.map(({ kind }) => kind)).toEqual(['confirm']);
    const { exit, stderr } = await run(`${line} --dry-run`);
    expect([exit, await sent()]).toEqual([0, []]);
    for (const contract of ['Harbour website (122)', 'Ferry timetable app (124)', 'Support and care (131)'])
      for (const text of [screen, stderr]) expect(text).toContain(`! contract on ${contract}`);
    for (const task of ['Home page layout (132)', 'Offline timetable (135)'])
      for (const text of [screen, stderr]) expect(text).toContain(`! task ${task}`);
    for (const kind of ['leave', 'time request', 'timesheet'])
      expect(stderr).toMatch(new RegExp(`! ${kind} \\w{3} \\d.* is waiting for a decision \\(`));
    expect(stderr).toMatch(
      /\n3 waiting for a decision, .*3 contracts, 2 tasks; none of this changes \(--end/,
    );
  });

  it('with --end-contracts those are changes of their own', async () => {
    const line = 'members archive arjun@lindenhof.example --end-contracts';
    const { screen } = await sit(line, () => 'n\r', { columns: 100 });
    expect(screen).toContain('Archive 1 member and 3 contracts?');
    for (const text of ['on Harbour website', '! task Home page layout']) expect(screen).toContain(text);
    expect([screen.includes('! contract on'), await sent()]).toEqual([false, []]);
  });

  it('but reads nothing for it with --yes', async () => {
    await run('sandbox log --clear');
    const { exit, stderr } = await run('members archive 106 --yes');
    expect([exit, stderr.includes('!')]).toEqual([0, false]);
    const read = (await rows('sandbox log')).map(({ operation }) => operation);
    expect(read).toContain('members.archive');
    expect(read.join()).not.toMatch(/contracts.list|tasks.list|leaves.list|timesheets.list/);
  });

  it('in the result of each of several', async () => {
    const planned = await json('members archive aoife@lindenhof.example tomasz@lindenhof.example --dry-run');
    const contract = { warnings: expect.arrayContaining(['contract']) };
    expect(planned).toMatchObject([contract, contract]);
  });

  it.each([
    ['leaves', 'leave requests'],
    ['contracts', 'contracts and tasks'],
    ['tasks', 'tasks of Internal'],
  ])('and what could not be read: %s', async (noun, unread) => {
    await run(`sandbox fault add ${noun} list --status 403`);
    const { exit, stderr } = await run('members archive samir@lindenhof.example --dry-run');
    expect([exit, stderr]).toEqual([0, expect.stringContaining(`; could not be read: ${unread}.`)]);
  });
});
