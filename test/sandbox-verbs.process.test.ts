import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLog, openLogFile, type StoredLogRow } from '../src/sandbox/log.ts';
import { quickClock } from './support/clocks.ts';
import { begin, freePort } from './support/oauth.ts';
import { finished } from './support/process.ts';
import { openCli, SANDBOX_KINDS, type SandboxCli, useCli } from './support/use-cli.ts';

/** `sandbox clock`, `log`, `snapshot`, in both kinds of sandbox, and what ends and renews by its clock. */

const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

describe.each(SANDBOX_KINDS)('the %s sandbox', (kind, open) => {
  let t: SandboxCli;
  beforeAll(async () => {
    t = await open('demo');
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.json('sandbox clock reset');
    await t.json('sandbox log --clear');
  });
  const clock = (line: string) => t.json(`sandbox clock ${line}`);

  it('has a clock that is shown, set, moved, frozen and put back', async () => {
    expect(await clock('show')).toMatchObject({ frozen: false, ahead_seconds: 0 });
    expect(await clock('freeze')).toMatchObject({ frozen: true });
    expect((await clock('set 2030-06-01T09:00+02:00')).now).toBe('2030-06-01T07:00:00.000Z');
    expect((await clock('set 2030-06-01 --timezone Asia/Kolkata')).now).toBe('2030-05-31T18:30:00.000Z');
    expect((await clock('advance 1h30m')).now).toBe('2030-05-31T20:00:00.000Z');
    expect((await clock('show')).now).toBe('2030-05-31T20:00:00.000Z');
    expect((await clock('resume')).frozen).toBe(false);
    expect(await clock('reset')).toMatchObject({ frozen: false, ahead_seconds: 0 });
    for (const wrong of ['advance 5', 'advance 1y', 'set tomorrowish', 'set 2026-02-30', 'set 1960-01-01'])
      expect((await t.run(`sandbox clock ${wrong}`)).exit, wrong).toBe(2);
  });

  it('dates its answers and records by its clock', async () => {
    await clock('freeze');
    const { now } = await clock('advance 100d');
    expect((await t.run('members list --debug')).stderr).toContain(`date: ${new Date(now).toUTCString()}`);
    await t.json('members invite a@b.example --firstname A --lastname B --role regular-user');
    const [member] = await t.json('members list --email a@b.example');
    expect(member.created_at).toBe(now);
  });

  it('logs time, operation, status, fault, what is left, what nobody reads, and no secret', async () => {
    await t.run('sandbox fault add members get --status 500');
    await t.run('members list --param color=blue --limit 5');
    await t.run('members get 102', { clock: quickClock });
    const [first, second] = await t.json('sandbox log');
    expect(first).toMatchObject({
      at: expect.stringMatching(/Z$/),
      request_id: expect.stringMatching(/^\d{8}-\d{4}-[a-z]{8}-1$/),
      ...{ operation: 'members.list', route: 'GET /members', method: 'GET', path: '/members' },
      query: { workspace_id: '101', page: '1', per_page: '5', color: 'blue' },
      ...{ body: null, status: 200, fault: null, remaining: kind === 'server' ? expect.any(Number) : null },
      ...{ unread: ['query.color'], member: 'nora@lindenhof.example', duration_ms: expect.any(Number) },
    });
    expect(second).toMatchObject({ operation: 'members.get', status: 500, fault: '500', remaining: null });
    expect(await t.read('sandbox log')).toMatch(/TIME +OPERATION +STATUS/);
    expect(await t.read('sandbox log -o ids --limit 1 --quiet')).toMatch(/^\w{10}\n$/);
    expect((await t.run('sandbox log --limit 1')).stderr).toContain('Showing 1 of 3.');
    const body = ['--field', 'token=canary-0123', '--field', 'nested:={"client_secret":"canary-4567"}'];
    await t.run(['api', 'POST', '/oauth/canary', ...body, '--param', 'access_token=canary-89ab']);
    const rows = JSON.stringify(await t.json('sandbox log'));
    expect(rows).toContain('***');
    expect(rows).not.toMatch(/canary-|sbx_/);
    expect(await t.json('sandbox log --clear')).toEqual({ cleared: true });
    expect(await t.json('sandbox log')).toEqual([]);
  });

  it('goes on with what comes in, row by row, after the latest ten', async () => {
    for (const format of ['ndjson', 'table']) {
      await t.run('viewers list');
      for (let row = 0; row < 10; row += 1) await t.run('members list');
      const follow = t.start(`sandbox log -f -o ${format}`);
      const end = finished(follow);
      let seen = '';
      follow.stdout?.on('data', (chunk) => {
        seen += chunk;
      });
      await expect.poll(() => seen, { timeout: 30_000 }).toContain('members.list');
      expect(seen).not.toContain('viewers.list');
      await t.run('projects list');
      await expect.poll(() => seen, { timeout: 30_000 }).toContain('projects.list');
      follow.kill('SIGINT');
      expect((await end).exit).toBe(130);
      await t.run('sandbox log --clear');
    }
    expect((await t.run('sandbox log -f --sort at')).exit).toBe(2);
  });

  it('is put back to a snapshot, with what was decided since undone', async () => {
    const submitted = async () =>
      (await t.rows('timesheets list --status submitted')).map(({ id }) => String(id));
    const before = await submitted();
    const saved = await t.json('sandbox snapshot save before-approval');
    expect(saved).toMatchObject({ name: 'before-approval', seed: 'demo', saved: true });
    expect(await t.json('sandbox snapshot diff before-approval')).toEqual([]);
    const [id = ''] = before;
    await t.read(`timesheets approve ${id} --yes`);
    const diff = await t.run('sandbox snapshot diff before-approval --json');
    const fields = [{ field: 'status', before: 'submitted', after: 'approved' }];
    expect(diff.exit).toBe(10);
    expect(JSON.parse(diff.stdout)).toMatchObject([{ kind: 'timesheets', id, change: 'changed', fields }]);
    const { stdout } = await t.run('sandbox snapshot diff before-approval');
    expect(stdout).toContain('status: submitted → approved');
    await t.json('sandbox snapshot save after');
    await t.json('sandbox snapshot restore before-approval');
    expect(await submitted()).toEqual(before);
    expect((await t.run('sandbox snapshot diff before-approval after')).exit).toBe(10);
    expect(await t.read('sandbox snapshot list -o ids')).toBe('after\nbefore-approval\n');
    expect(await t.json('sandbox snapshot remove after')).toEqual({ name: 'after', removed: true });
    const gone = await t.run('sandbox snapshot restore after');
    expect(gone).toMatchObject({ exit: 5, stderr: expect.stringContaining('no snapshot after') });
  });
});

it('a log is the latest thousand in memory; in its file bounded, private, and without what is torn', async () => {
  const row = (id: string, body: unknown = null) => ({ id, body }) as StoredLogRow;
  const kept = createMemoryLog();
  for (let id = 1; id <= 1002; id += 1) kept.add(row(String(id)));
  expect([kept.rows().length, kept.rows()[0]?.id, kept.rows().at(-1)?.id]).toEqual([1000, '3', '1002']);
  const t = await openCli({ sandbox: 'demo' });
  const file = t.file('world.json.log');
  const log = openLogFile(file);
  for (let id = 1; id <= 1500; id += 1) log.add(row(String(id)));
  expect([log.rows().length, log.rows().at(-1)?.id]).toEqual([1000, '1500']);
  const reader = openSync(file, 'r');
  for (let id = 0; id < 400; id += 1) log.add(row(`long${id}`, 'x'.repeat(4000)));
  // Whoever reads it while it is cut has the one before, whole.
  expect(readFileSync(reader, 'utf8')).toContain('"id":"long0"');
  closeSync(reader);
  expect(statSync(file).size).toBeLessThanOrEqual(1024 * 1024);
  expect([log.rows().at(-1)?.id, statSync(file).mode & 0o777]).toEqual(['long399', 0o600]);
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n{"id":"torn`);
  log.add(row('after'));
  expect(log.rows().at(-1)?.id).toBe('after');
  log.clear();
  expect(existsSync(file)).toBe(false);
});

describe('a server', () => {
  const t = useCli({ sandbox: { flags: ['--auto-approve', 'nora@lindenhof.example'], limits: true } });

  it('that ends, ends the log that follows it', async () => {
    await t.run('members list');
    const follow = t.start('sandbox log -f -o ndjson');
    const end = finished(follow);
    await new Promise((resolve) => follow.stdout?.once('data', resolve));
    await t.run('sandbox stop');
    expect((await end).exit).toBe(0);
  });

  it('has a sign-in renewed once after 15 days, and over after 30 more', async () => {
    const callback = `http://127.0.0.1:${await freePort()}/callback`;
    const app = await t.json(`sandbox app create --name Test --redirect-uri ${callback}`);
    const { base_url, url } = await t.json('sandbox status');
    const own = { TTCTL_TOKEN: '', TTCTL_PROFILE: 'practice', TTCTL_CLIENT_SECRET: app.client_secret };
    const env = t.processEnv(own);
    const flags = ['--redirect-uri', callback, '--client-id', app.client_id, '--base-url', base_url];
    const login = 'auth login --no-browser --scope read'.split(' ');
    const begun = await begin([...login, ...flags, '--auth-url', url, '--token-url', url], env);
    const approved = await fetch(begun.url, { redirect: 'manual' });
    await fetch(approved.headers.get('location') ?? '');
    expect((await begun.ended).exit).toBe(0);

    const list = () => t.process('members list --json', { env: own });
    expect((await list()).exit).toBe(0);
    await t.json('sandbox clock advance 15d');
    expect((await Promise.all([list(), list(), list()])).map(({ exit }) => exit)).toEqual([0, 0, 0]);
    // One for the code, and one for all three.
    const asked = (await t.rows('sandbox log')).filter(({ path }) => path === '/oauth/token');
    expect(asked).toHaveLength(2);
    await t.json('sandbox clock advance 30d');
    const over = await list();
    expect(over.exit).toBe(3);
    expect(errorOf(over).hint).toContain('auth login');
  });
});

describe('the profile sandbox, with what is meant for another service', () => {
  const t = useCli({ sandbox: 'demo' });

  it('does not know its workspace', async () => {
    const ended = await t.run('members list', { env: { TTCTL_WORKSPACE: '4711' } });
    const stderr = expect.stringContaining('You have no access to the workspace 4711.');
    expect(ended).toMatchObject({ exit: 4, stdout: '', stderr });
  });

  it.each<[string, Record<string, string>]>([
    ['its id', { TTCTL_WORKSPACE: '101' }],
    ['its name in any case', { TTCTL_WORKSPACE: 'lindenhof STUDIO' }],
    ['no variable that says anything', { TTCTL_WORKSPACE: '' }],
    [
      'a token and an address of another',
      { TTCTL_TOKEN: 'pat_x', TTCTL_BASE_URL: 'https://a.example/api/v2' },
    ],
  ])('answers from its own with %s', async (_what, env) => {
    expect(await t.run('members list -o ids --limit 1', { env })).toMatchObject({ exit: 0, stdout: '102\n' });
  });

  it('says which variable has a token that it does not know', async () => {
    const { exit, stderr } = await t.run('members list', { env: { TTCTL_TOKEN: 'sbx_of_another' } });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('Set TTCTL_TOKEN to a valid token.')]);
  });
});
