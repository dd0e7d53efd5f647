import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

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
