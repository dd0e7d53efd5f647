import { beforeEach, describe, expect, it } from 'vitest';
import { member, timesheet } from '../support/records.ts';
import { envelope, onePage } from '../support/service.ts';
import type { Prompt } from '../support/terminal.ts';
import { useCli } from '../support/use-cli.ts';

/** What a person reads before a write, and how a person is understood who names members. */

describe('archiving', () => {
  /** Who is about to archive a member reads first whether that is somebody who has just been invited. */

  const person = (id: number, firstname: string, status: string, created_at: unknown) => ({
    ...{ id, firstname, lastname: 'Ek', email: `${firstname.toLowerCase()}@example.com` },
    ...{ status, created_at, current_role: 'Regular User', deleted_at: null },
  });
  const people = [
    person(17, 'Ana', 'inactive', '2026-11-17T23:00:00Z'),
    person(18, 'Bo', 'inactive', '2026-11-20'),
    person(19, 'Cy', 'active', '2024-02-29T08:00:00Z'),
    person(20, 'Di', 'left', 'soon'),
  ];
  /** What stands beside each name. */
  const SAID = [
    /Ana Ek .*inactive +invited 2026-11-17/,
    /Bo Ek .*inactive +invited 2026-11-20/,
    /Cy Ek .*active +invited 2024-02-29/,
    /Di Ek .*left/,
  ];

  const t = useCli({
    service: ({ line }) => {
      const id = /^GET \/members\/(\d+)/.exec(line)?.[1];
      if (id !== undefined) return { body: envelope(people.find((one) => one.id === Number(id))) };
      if (line.startsWith('GET /workspaces')) return { body: onePage([{ id: 7, workspace_name: 'N' }]) };
      return { body: onePage(people) };
    },
  });
  const sit = (line: string, answer: (prompt: Prompt) => string = () => 'n\r') =>
    t.sit(line, answer, { columns: 120 });

  it('asks the same of those that are picked', async () => {
    const { screen } = await sit('members archive', ({ kind }) =>
      kind === 'mark' ? `${' \x1b[B'.repeat(4)}\r` : 'n\r',
    );
    expect(screen).toContain('Archive 4 members? (y/N)');
    for (const said of SAID) expect(screen).toMatch(said);
  });

  it.each(['--all --role regular-user', '17 18 19 20'])(
    'archiving %s asks with the status of each, and when they were invited; a dry run says the same',
    async (who) => {
      const { screen, prompts } = await sit(`members archive ${who}`);
      expect(prompts).toEqual([{ message: 'Archive 4 members', kind: 'confirm' }]);
      expect(screen).not.toContain('NaN');
      expect(t.sent()).toEqual([]);
      const { stdout, exit } = await t.run(`members archive ${who} --dry-run`);
      expect(exit).toBe(0);
      for (const said of SAID) for (const text of [screen, stdout]) expect(text).toMatch(said);
      expect((await sit(`members archive ${who} --dry-run`)).screen).not.toContain('y/N');
    },
  );
});

describe('decisions', () => {
  /** What a person at a terminal reads before a decision, and how a person is understood who names members. */

  const idOf = (start: string): string => `${start}000000-0000-4000-8000-000000000000`;
  const sheet = (start: string, user: number, hours: number, days = ['2026-11-09', '2026-11-15']) =>
    timesheet(idOf(start), user, hours, { date_from: days[0], date_to: days[1] });
  /** Five short ones without a warning, each on a day of its own. */
  const SHORT = ['a1', 'a2', 'a3', 'a4', 'a5'];

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
        ...SHORT.map((start, i) => sheet(start, 17, 5, [`2026-10-0${i + 1}`, `2026-10-0${i + 1}`])),
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
  const sit = (line: string, answer: (prompt: Prompt) => string = () => 'n\r') => t.sit(line, answer);
  const pipe = t.run;
  const sent = t.writes;

  const FLAGGED =
    / {2}Bo Ek +\S+ 9–15( 2026)? +45:00.*\n {4}! 15:00 over the limit of 30:00 a week\n {2}Tomasz Zieliński +\S+ 9–15( 2026)? +12:30.*\n {4}! 2:30 over the limit of 10:00 a week\n/;

  describe('approving many', () => {
    it('asks with what has a warning first, in words, and how many have which', async () => {
      const { screen, prompts } = await sit('timesheets approve --all');
      expect(prompts).toEqual([{ message: 'Approve 9 timesheets', kind: 'confirm' }]);
      expect(screen).toMatch(FLAGGED);
      expect(screen).toMatch(
        /! 2:30 over.*\n {2}Ana Sousa[\s\S]*… and 4 more\n\n {2}7 clean, 2 over the limit\n/,
      );
      expect(sent()).toEqual([]);
    });

    it.each([
      ['--all', 8],
      [['a1', 'b1', 'c1', 'd1'].map(idOf).join(' '), 3],
    ])('S3: sends none that changed while it was asked: %s', async (targets, count) => {
      const answer = () => {
        t.lists['timesheets'] = (t.lists['timesheets'] ?? []).map((row) =>
          Object(row).id === idOf('b1') ? { ...row, total_hours: 60 } : row,
        );
        return 'y\r';
      };
      const { exit, screen, stdout } = await sit(`timesheets approve ${targets}`, answer);
      expect(exit, screen).toBe(8);
      expect(stdout).toMatch(/changed since:\s+hours:\s+45:00 → 60:00/);
      expect(sent()).toHaveLength(count);
      expect(sent()).not.toContain(`PUT /timesheets/${idOf('b1')}/approve`);
    });

    it('also of records that are named, however late they come', async () => {
      const ids = [...SHORT, 'b1', 'c1'].map(idOf);
      const { screen, prompts } = await sit(`timesheets approve ${ids.join(' ')}`);
      expect(prompts).toEqual([{ message: 'Approve 7 timesheets', kind: 'confirm' }]);
      expect(screen).toMatch(FLAGGED);
      expect(screen).toContain('5 clean, 2 over the limit');
    });

    it.each(['timesheets approve --all', `timesheets approve ${['a1', 'b1', 'c1'].map(idOf).join(' ')}`])(
      'says in a dry run which they are',
      async (line) => {
        const { screen, prompts } = await sit(`${line} --dry-run`);
        expect([prompts, sent()]).toEqual([[], []]);
        expect(screen).toMatch(FLAGGED);
        expect(screen).toMatch(/\d clean, 2 over the limit\./);
      },
    );

    it.each([
      ['at a terminal with --yes', async (line: string) => (await sit(`${line} --yes`)).screen],
      ['in a pipe', async (line: string) => (await pipe(line)).stderr],
      ['beside CSV', async (line: string) => (await pipe(`${line} -o csv`)).stderr],
    ])('a dry run says so %s too', async (_where, read) => {
      expect(await read('timesheets approve --all --dry-run')).toMatch(FLAGGED);
      expect(sent()).toEqual([]);
    });

    it('the results of a dry run have the codes and their words', async () => {
      const line = `timesheets approve ${idOf('a1')} ${idOf('b1')} --dry-run`;
      const results = JSON.parse((await pipe(`${line} --json`)).stdout);
      expect(results).toMatchObject([
        { warnings: [], warning_messages: [] },
        { warnings: ['over_weekly_limit'], warning_messages: ['15:00 over the limit of 30:00 a week'] },
      ]);
      const { stdout } = await pipe(`${line} -o csv --columns warnings,warning_messages`);
      expect(stdout.split('\r\n').slice(2, 3)).toEqual([
        '"[""over_weekly_limit""]","[""15:00 over the limit of 30:00 a week""]"',
      ]);
      expect((await pipe(`${line} -o markdown`)).stdout).toContain('15:00 over the limit of 30:00 a week');
    });

    it.each([
      [/contracts/, [['not_checked'], ['over_weekly_limit', 'not_checked']]],
      [/GET \/timesheets/, [null, null]],
    ])('and what could not be checked where a list was refused: %s', async (list, warnings) => {
      t.refused = list;
      const { exit, stdout } = await pipe(`timesheets approve ${idOf('a1')} ${idOf('b1')} --dry-run --json`);
      expect(exit).toBe(0);
      expect(JSON.parse(stdout).map((result: Record<string, unknown>) => result['warnings'])).toEqual(
        warnings,
      );
    });

    it.each([
      ['--all', ['GET /timesheets']],
      [`${idOf('b1')} ${idOf('c1')}`, []],
    ])('with --yes nothing of it is read: %s', async (targets, reads) => {
      await sit(`timesheets approve ${targets} --yes`);
      expect(
        t.requests
          .map(({ line }) => line.replace(/[?].*/, ''))
          .filter((path) => /timesheets$|contracts|leaves/.test(path)),
      ).toEqual(reads);
    });

    it('a list that is refused costs what rests on it, not the decision', async () => {
      t.refused = /contracts/;
      const { screen, exit } = await sit('timesheets approve --all', () => 'y\r');
      const unread = '! not checked: weekly limits of contracts could not be read';
      expect(screen.replace(/\s+/g, ' ')).toMatch(
        new RegExp(
          `Bo Ek .* ! 15:00 over the limit of 30:00 a week ${unread} .*Tomasz .* ${unread} Ana .* ${unread}`,
        ),
      );
      expect(screen).toContain('0 clean, 2 over the limit, 9 not checked');
      expect([exit, sent().length]).toEqual([0, 9]);
    });

    it('what waits may be refused too', async () => {
      t.refused = /GET \/timesheets/;
      const { screen, exit } = await sit(`timesheets approve ${idOf('a1')} ${idOf('b1')}`, () => 'y\r');
      expect(screen.replace(/\s+/g, ' ')).toContain('The warnings could not be read: Not for you.');
      expect([exit, sent().length]).toEqual([0, 2]);
    });
  });

  it('the beginning of an id is enough at a terminal', async () => {
    const { screen } = await sit('timesheets approve b1000000', () => 'y\r');
    expect(screen).toMatch(/Bo Ek/);
    expect(sent()).toEqual([`PUT /timesheets/${idOf('b1')}/approve`]);
  });

  describe('a member in words', () => {
    it('is written whole: a beginning is answered with whom it may mean', async () => {
      const { screen, exit } = await sit('timesheets reject tomasz --reason late');
      expect(screen).toContain('Did you mean Tomasz Zieliński (tomasz@example.com)?');
      expect([exit, sent()]).toEqual([5, []]);
    });

    it('of several sheets of one member a person picks', async () => {
      const { prompts, screen } = await sit('timesheets approve "Mei Tanaka"', ({ kind }) =>
        kind === 'pick' ? '\r' : 'y\r',
      );
      expect(prompts.map(({ kind }) => kind)).toEqual(['pick', 'confirm']);
      expect(screen).toMatch(/Mei Tanaka .* 30:00\n.*Mei Tanaka .* 31:00\n/);
      expect(sent()).toEqual([`PUT /timesheets/${idOf('d1')}/approve`]);
    });

    it.each([
      ['timesheets reject tomasz --reason late --yes', 'Did you mean Tomasz Zieliński (tomasz@example.com)?'],
      [
        'timesheets list --member mei',
        'Did you mean Mei Tanaka (mei@example.com), or Meinhard Vogt (meinhard@',
      ],
    ])('a beginning is refused without a terminal, with the candidates: %s', async (line, hint) => {
      const { exit, stderr } = await pipe(line);
      expect([exit, sent()]).toEqual([5, []]);
      expect(stderr).toContain(hint);
    });
  });
});

describe('open items', () => {
  /** Who archives somebody reads first what they have open, in the sandbox. */

  const { run, sit, rows, sent } = useCli({ sandbox: 'demo', shared: true });

  /** What Arjun has in the seed. */
  const OPEN = [
    /! leave \w{3} \d.* is waiting for a decision \(/,
    /! time request \w{3} \d.* is waiting for a decision \(/,
    /! timesheet \w{3} \d.* is waiting for a decision \(/,
    /! contract on Harbour website \(122\)/,
    /! contract on Ferry timetable app \(124\)/,
    /! contract on Support and care \(131\)/,
    /! task Home page layout \(132\)/,
    /! task Offline timetable \(135\)/,
    /3 waiting for a decision, 3 contracts, 2 tasks\./,
  ];
  const LINE = 'members archive arjun@lindenhof.example';

  describe('members archive', () => {
    it('shows what waits and what is assigned before the question', async () => {
      const { screen, prompts } = await sit(LINE, () => 'n\r', { columns: 100 });
      expect(prompts.map(({ kind }) => kind)).toEqual(['confirm']);
      for (const line of OPEN.slice(3, -1)) expect(screen).toMatch(line);
      expect(await sent()).toEqual([]);
    });

    it('shows it in a dry run', async () => {
      const { exit, stderr } = await run(`${LINE} --dry-run`);
      expect(exit).toBe(0);
      for (const line of OPEN) expect(stderr).toMatch(line);
    });

    it('and reads nothing for it with --yes', async () => {
      await run('sandbox log --clear');
      const { exit, stderr } = await run('members archive 106 --yes');
      expect([exit, stderr.includes('!')]).toEqual([0, false]);
      const read = (await rows('sandbox log')).map(({ operation }) => operation);
      expect(read).toContain('members.archive');
      for (const operation of ['contracts.list', 'tasks.list', 'leaves.list', 'timesheets.list'])
        expect(read).not.toContain(operation);
    });

    it('is in the result of each of several', async () => {
      const line = 'members archive aoife@lindenhof.example tomasz@lindenhof.example';
      const codes = async (how: string) =>
        JSON.parse((await run(`${line} --json ${how}`)).stdout).map(
          ({ warnings }: { warnings: readonly string[] }) => warnings,
        );
      const planned = await codes('--dry-run');
      expect(planned).toEqual([expect.arrayContaining(['contract']), expect.arrayContaining(['contract'])]);
    });

    it('says what could not be read', async () => {
      await run('sandbox fault add leaves list --status 403');
      const { stderr } = await run('members archive mei@lindenhof.example --dry-run');
      expect(stderr).toContain('; could not be read: leave requests.');
    });
  });
});
