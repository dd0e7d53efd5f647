import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** A server or a proxy may ignore a filter, or send less of a list than there is: nothing is decided by it. */

describe('filters', () => {
  /** What is written is chosen by filters, and a server or a proxy may ignore any of them. */

  const person = (id: number, email: string, more = {}) => ({ id, email, status: 'active', ...more });
  const decidable = (id: string, user: number, more = {}) => ({
    id,
    user_id: user,
    status: 'pending',
    ...more,
  });
  const LISTS: Record<string, readonly object[]> = {
    members: [
      person(17, 'Ana@example.com', { current_role: 'Team manager', role: 3 }),
      person(18, 'bo@example.com', { current_role: 'Regular User', status: 'inactive' }),
      person(19, 'mei@example.com'),
    ],
    'project-viewers': [person(31, 'vi@example.com'), person(32, 'wu@example.com')],
    projects: [
      { id: 5, name: 'New Harbour' },
      { id: 6, name: 'Kiosk' },
    ],
    contracts: [
      { id: 1, project_id: 5, user_id: 17, status: 'active' },
      { id: 2, project_id: 6, user_id: 18, status: 'active' },
      { id: 3, project_id: 5, user_id: 17, status: 'paused' },
    ],
    tasks: [
      { id: 1, project_id: 5, status: 1, priority: 1 },
      { id: 2, project_id: 6, status: 2, priority: 1 },
    ],
    timesheets: [
      { id: 's45', user_id: 17, date_from: '2026-11-02', date_to: '2026-11-08', status: 'submitted' },
      { id: 's46', user_id: 17, date_from: '2026-11-09', date_to: '2026-11-15', status: 'submitted' },
      { id: 's46b', member: { id: 18 }, date_from: '2026-11-09', date_to: '2026-11-15', status: 'submitted' },
      { id: 'bare', status: 'submitted' },
    ],
    leaves: [
      decidable('l1', 17, { policy_id: 3, is_paid: 'yes', start_date: '2026-11-02', end_date: '2026-11-12' }),
      decidable('l2', 18, { policy_id: 4, is_paid: false, start_date: '2026-11-20', end_date: null }),
    ],
    'time-requests': [
      decidable('t1', 17, { start: '2026-11-08T23:30:00Z', end: '2026-11-09T00:30:00Z' }),
      decidable('t2', 18, { start: '2026-11-09T22:00:00-05:00', end: '2026-11-09T23:00:00-05:00' }),
      decidable('t3', 18, { start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z' }),
    ],
  };

  const { run, sent } = useCli({
    service: ({ line }) => {
      const name = /^GET \/(?:.*\/)?([\w-]+)\?/.exec(line)?.[1] ?? '';
      return { body: line.startsWith('GET') ? onePage(LISTS[name] ?? []) : envelope(null) };
    },
  });
  const targets = () => sent().map((line) => /\/([\w]+)(\/approve|\/submit)?[? ]/.exec(line)?.[1] ?? line);

  describe('a filter that is ignored chooses nothing: what shows another value is left out, and told', () => {
    it.each([
      // The third member does not show the role.
      ['members archive --all --role team-manager', 'role', 1, ['17', '19']],
      ['members archive --all --email ANA@example.com', 'email', 2, ['17']],
      ['viewers archive --all --email wu@example.com', 'email', 1, ['32']],
      ['projects archive --all --name harbour', 'name', 1, ['5']],
      ['contracts archive --all --project 6', 'project_id', 2, ['2']],
      ['tasks archive --all --project 5', 'project_id', 1, ['1']],
      ['timesheets approve --all --period 2026-W45', 'date_to', 2, ['s45', 'bare']],
      ['timesheets approve --all --date-from 2026-11-09', 'date_from', 1, ['s46', 's46b', 'bare']],
      ['timesheets approve --all --id s46', 'id', 3, ['s46']],
      ['leaves approve --all --policy 4', 'policy_id', 1, ['l2']],
      ['leaves approve --all --paid no', 'is_paid', 1, ['l2']],
      ['leaves approve --all --period 2026-W46', 'date_to', 1, ['l1']],
      ['time-requests approve --all --member 17', 'user_id', 2, ['t1']],
    ] as const)('%s', async (line, flags, count, chosen) => {
      const { exit, stderr } = await run(`${line} --yes`);
      expect([exit, targets().sort()]).toEqual([0, [...chosen].sort()]);
      const rows = count === 1 ? '1 row that did not match was' : `${count} rows that did not match were`;
      expect(stderr).toContain(`the service ignored ${flags}: ${rows} left out`);
    });

    it.each([
      ['members archive --all --status inactive', '2 members have the status "active"', ['18']],
      ['contracts archive --all --status paused', '2 contracts have the status "active"', ['3']],
    ] as const)('%s', async (line, said, chosen) => {
      const { exit, stderr } = await run(`${line} --yes`);
      expect([exit, targets()]).toEqual([0, chosen]);
      expect(stderr).toContain(`${said}, which was not asked for`);
    });

    it('a moment at the edge of the period may be on the next day elsewhere', async () => {
      const { exit } = await run(
        'time-requests approve --all --date-from 2026-11-10 --date-to 2026-11-12 --yes',
      );
      expect([exit, targets().sort()]).toEqual([0, ['t1', 't2']]);
    });

    it('a record named by its member is one of those that the filters mean', async () => {
      const { exit, stderr } = await run('timesheets approve ana@example.com --period 2026-W46 --yes');
      expect([exit, targets()]).toEqual([0, ['s46']]);
      expect(stderr).toContain('the service ignored date_from: 1 row that did not match was left out');
    });

    it('nothing is told of a service that heeds them', async () => {
      const { stderr } = await run('timesheets approve --all --date-from 2026-11-01 --yes');
      expect([targets().length, stderr]).toEqual([4, expect.not.stringContaining('ignored')]);
    });

    it('the inbox has what its period means', async () => {
      const { stdout } = await run('inbox --period 2026-W45 -o ids');
      expect(stdout.split('\n').filter(Boolean)).toEqual(expect.not.arrayContaining(['s46', 'l2', 't3']));
      expect(stdout).toContain('s45');
    });
  });

  describe('R10: a status that nobody knows, or asked for, is named and chosen by nothing', () => {
    const sheet = (id: string, status: string | undefined) => ({ ...LISTS.timesheets?.[0], id, status });
    const odd = [
      sheet('a', 'pending_review'),
      sheet('b', 'Pending_Review'),
      sheet('c', 'approved'),
      sheet('d', 'SUBMITTED'),
      sheet('e', undefined),
    ];
    const UNKNOWN = '2 timesheets have the status "pending_review", which is not known';
    const OTHER = '1 timesheet has the status "approved", which was not asked for';
    const NONE = '1 timesheet has no status';

    it.each([
      ['timesheets approve --all --yes', ['d']],
      ['timesheets list --status submitted', []],
      ["timesheets list --status submitted --where 'user_id == `17`' -o ids", []],
      ['inbox --kind timesheet', []],
      ['members archive 17 --dry-run', []],
    ])('%s', async (line, sent) => {
      const known = LISTS.timesheets;
      LISTS.timesheets = odd;
      const { stdout, stderr, exit } = await run(line);
      LISTS.timesheets = known ?? [];
      expect(exit, stderr).toBe(0);
      for (const said of [UNKNOWN, OTHER, NONE]) expect(stderr).toContain(said);
      expect(targets()).toEqual(sent);
      if (line.endsWith('ids')) expect(stdout).toBe('d\n');
    });
  });
});

describe('short lists', () => {
  /** A list that came short must not pass for a whole one where something is decided by it. */

  const member = (id: number) => ({
    ...{ id, email: `m${id}@example.com`, current_role: 'Regular User', status: 'active' },
  });
  const sheet = (id: number) => ({
    ...{ id, user_id: id, total_hours: 8, submitted_on: '2026-11-16T08:00:00Z' },
    ...{ date_from: '2026-11-09', date_to: '2026-11-15', status: 'submitted' },
  });
  const LISTS: Readonly<Record<string, readonly object[]>> = {
    members: [member(1), member(2)],
    timesheets: [sheet(1), sheet(2)],
    projects: [
      { id: 5, name: 'Harbour' },
      { id: 6, name: 'Kiosk' },
    ],
  };

  /** The list whose second page is empty. */
  let short: string;
  let shortAfterWrite: string;
  let write: Answer;
  let folder: string;
  beforeEach(() => {
    short = '';
    shortAfterWrite = '';
    write = { body: envelope({ id: 9 }) };
    folder = makeFolder();
  });
  const service = useCli({
    service: ({ line }) => {
      if (!line.startsWith('GET')) {
        short = shortAfterWrite || short;
        return write;
      }
      const [path = '', query] = line.slice('GET /'.length).split('?');
      const rows = LISTS[path] ?? [];
      if (path !== short) return { body: onePage(rows) };
      const page = Number(new URLSearchParams(query).get('page'));
      const pagination = { total: rows.length + 1, per_page: 2, current_page: page, last_page: 2 };
      return { body: envelope(page === 1 ? rows : [], { pagination }) };
    },
  });
  const run = (line: string) =>
    service.run(line, { env: { TTCTL_STATE_DIR: folder }, machine: { clock: quickClock } });
  const sent = service.writes;

  describe('a list that came short', () => {
    it.each([
      ['timesheets', 'timesheets approve --all --yes'],
      ['timesheets', 'timesheets approve m1@example.com --yes'],
      ['members', 'members archive --all --status active --yes'],
      ['members', 'timesheets approve --all --where "member.id == `1`" --yes'],
      ['projects', 'projects create --name New --if-missing'],
      ['members', 'close check --period 2026-W46'],
    ])('of %s decides nothing: %s', async (list, line) => {
      short = list;
      const { exit, stderr } = await run(line);
      expect([exit, sent()]).toEqual([7, []]);
      expect(stderr).toContain(`the list of ${list} is incomplete: got 2 of 3`);
    });

    it('is not exported', async () => {
      short = 'members';
      const { exit, stderr } = await run(`workspaces export ${join(folder, 'files')}`);
      expect([exit, existsSync(join(folder, 'files', 'members.csv'))]).toEqual([7, false]);
      expect(stderr).toContain('the list of members is incomplete: got 2 of 3');
    });

    it('archives nothing: a record without a row may be the one that did not come', async () => {
      const files = join(folder, 'files');
      expect((await run(`workspaces export ${files}`)).exit).toBe(0);
      const projects = join(files, 'projects.csv');
      writeFileSync(projects, readFileSync(projects, 'utf8').replace(/^6,.*\n/m, ''));
      const apply = `workspaces apply ${files} --archive-missing`;
      for (short of ['projects', 'members', 'project-viewers', 'contracts', 'webhooks', 'tasks']) {
        for (const flag of ['--yes', '--dry-run', `--plan ${join(folder, 'plan')}`]) {
          const { exit, stderr } = await run(`${apply} ${flag}`);
          expect([short, flag, exit, sent()]).toEqual([short, flag, 7, []]);
          expect(stderr).toContain(`the list of ${short.replace('project-', '')} is incomplete: got `);
        }
        expect(existsSync(join(folder, 'plan'))).toBe(false);
      }
      short = '';
      await run(`${apply} --yes`);
      expect(sent()).toEqual([expect.stringMatching(/^(?:DELETE|PUT) \/projects\/6/)]);
    });

    it.each([
      ['short', 7, 0],
      ['whole', 0, 1],
    ])('settles no row of a run that is resumed: %s', async (kind, exit, writes) => {
      const rows = join(folder, 'rows.csv');
      writeFileSync(rows, 'name\nNew\n');
      write = { cut: true };
      shortAfterWrite = 'projects';
      expect((await run(`projects create --from-file ${rows} --yes`)).exit).toBe(7);
      const [id = ''] = (await run('jobs list -o ids')).stdout.split('\n');
      const before = sent().length;
      write = { body: envelope({ id: 9, name: 'New' }) };
      shortAfterWrite = '';
      short = kind === 'short' ? 'projects' : '';
      const resumed = await run(`jobs resume ${id} --yes`);
      expect([resumed.exit, sent().length - before]).toEqual([exit, writes]);
      const states = JSON.parse((await run(`jobs show ${id} --json`)).stdout);
      expect(states).toMatchObject([{ status: kind === 'short' ? 'unknown' : 'done' }]);
    });

    it('leaves --clean nothing that could be judged by it', async () => {
      short = 'leaves';
      const { exit, stderr } = await run('timesheets approve --all --clean --yes');
      expect([exit, sent()]).toEqual([0, []]);
      expect(stderr).toContain('--clean left out 2 rows that it could not evaluate');
    });

    it('is told by status', async () => {
      short = 'timesheets';
      const { stdout, stderr } = await run('status');
      expect(stdout + stderr).toContain('the list of timesheets is incomplete: got 2 of 3');
    });

    it.each([
      ['whole', 'It may still be carried out: the records do not show it yet.'],
      ['short', 'It may have been carried out: the records could not be read either.'],
    ])('shows nothing of a lost answer, as the record may be in the rest: %s', async (kind, words) => {
      write = { cut: true };
      shortAfterWrite = kind === 'short' ? 'projects' : '';
      const { exit, stderr } = await run('projects create --name New');
      expect([exit, stderr]).toEqual([7, expect.stringContaining(words)]);
    });

    it('keeps nobody from writing', async () => {
      short = 'projects';
      const { exit } = await run('projects create --name New');
      expect([exit, sent().length]).toEqual([0, 1]);
    });

    it.each([
      'members list',
      'members list -o json',
      'members list --sort email --limit 1 -o ids',
      'members list --group-by status',
      'api /members --paginate',
    ])('is printed, with a warning: %s', async (line) => {
      short = 'members';
      const { exit, stdout, stderr } = await run(line);
      expect([exit, stdout.trim()]).toEqual([0, expect.stringMatching(/./)]);
      expect(stderr).toMatch(
        /^warning: the list of (members|records) is incomplete: got 2 of 3\. The service/m,
      );
    });

    it('has what was found in it', async () => {
      short = 'members';
      expect(await run('members list --limit 1 -o ids')).toMatchObject({ exit: 0, stdout: '1\n' });
    });
  });
});
