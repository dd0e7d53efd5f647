import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseFaultRoute } from '../src/sandbox/faults.ts';
import { createSandbox } from '../src/sandbox/library.ts';
import { createMemoryLog, openLogFile, type StoredLogRow } from '../src/sandbox/log.ts';
import { quickClock } from './support/clocks.ts';
import { atThisFileEnd } from './support/folder.ts';
import { begin, freePort } from './support/oauth.ts';
import { finished } from './support/process.ts';
import { openCli, type SandboxCli, useCli } from './support/use-cli.ts';

/** `sandbox clock`, `log`, `snapshot`, `fault`, in both kinds of sandbox, and what ends and renews by its clock. */

const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

/** An embedded sandbox, or a server in this process. */
const openKind = async (kind: 'embedded' | 'server'): Promise<SandboxCli> => {
  if (kind === 'embedded') return openCli({ sandbox: 'demo' });
  const sandbox = await createSandbox();
  atThisFileEnd(() => sandbox.close());
  const env = { ...(await sandbox.listen()).env(), TTCTL_RATE_LIMIT: 'off' };
  return openCli({ sandbox: 'demo', env });
};

describe.each(['embedded', 'server'] as const)('the %s sandbox', (kind) => {
  let t: SandboxCli;
  beforeAll(async () => {
    t = await openKind(kind);
  });
  beforeEach(async () => {
    await t.json('sandbox clock reset');
    await t.json('sandbox fault clear');
    await t.json('sandbox log --clear');
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
    await t.run('viewers list');
    for (let row = 0; row < 10; row += 1) await t.run('members list');
    const follow = t.start(`sandbox log -f -o ${kind === 'server' ? 'table' : 'ndjson'}`);
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
    expect((await t.run('sandbox log -f --sort at')).exit).toBe(2);
  });

  it.each([
    ['--status 302', 7, 'not_the_api'],
    ['--status 401', 3, 'unauthenticated'],
    ['--status 429 --retry-after 7', 7, 'rate_limited'],
    ['--status 503 --retry-after 5', 7, 'service_error'],
    ['--status 502 --body html', 7, 'not_the_api'],
    ['--drop before', 7, 'connection_reset'],
    ['--drop after', 7, 'connection_reset'],
    ['--body truncated', 7, 'truncated'],
    ['--body html', 7, 'not_the_api'],
    ['--body failure', 6, 'refused'],
  ])('fails a read on purpose: %s ends with exit %i, %s', async (flags, exit, code) => {
    await t.json(`sandbox fault add members list ${flags}`);
    const met = await t.run('members list --json --max-wait 0');
    expect({ exit: met.exit, ...errorOf(met), stdout: met.stdout }).toMatchObject({ exit, code, stdout: '' });
  });

  it.each([
    ['--status 500', 7, 'unknown', false],
    ['--status 500 --after-commit', 0, 'done', true],
    ['--status 404 --after-commit', 5, 'not_found', true],
    ['--status 409', 6, 'conflict', false],
    ['--status 429 --retry-after 1', 0, 'done', true],
    ['--drop before', 7, 'unknown', false],
    ['--drop after', 0, 'done', true],
    ['--body truncated', 0, 'done', true],
    ['--body html', 0, 'done', true],
    ['--body failure', 6, 'refused', false],
    ['--body failure --after-commit', 0, 'unchanged', true],
  ])('fails a write on purpose: %s ends with exit %i, %s', async (flags, exit, told, isDone) => {
    const limit = async () => (await t.json('members get 108')).weekly_hours_limit;
    const before = await limit();
    await t.json(`sandbox fault add members update ${flags}`);
    const update = `members update 108 --weekly-hours-limit ${before + 1} --json`;
    const met = await t.run(update, { clock: quickClock });
    const said = met.stdout === '' ? errorOf(met).code : JSON.parse(met.stdout).status;
    expect([met.exit, said, await limit()]).toEqual([exit, told, isDone ? before + 1 : before]);
    // Sent again only where the service had said that it did not happen.
    expect(await t.writes()).toHaveLength(flags.includes('429') ? 2 : 1);
  });

  it('is late on purpose', async () => {
    await t.json('sandbox fault add members list --latency 60s');
    const late = await t.run('members list --json --timeout 2 --max-wait 0');
    expect({ exit: late.exit, code: errorOf(late).code }).toEqual({ exit: 7, code: 'timeout' });
    await t.json('sandbox fault add members list --latency 200ms');
    expect((await t.run('members list -o ids')).exit).toBe(0);
    const [, row] = await t.json('sandbox log');
    expect(row).toMatchObject({ status: 200, fault: 'delayed 0.2 s' });
    // A timer may count from the beginning of its turn.
    expect(row.duration_ms).toBeGreaterThanOrEqual(190);
  });
});

describe('a fault', () => {
  const t = useCli({ sandbox: 'demo', clock: quickClock });
  const add = (text: string) => t.json(`sandbox fault add ${text}`);
  const faults = () => t.rows('sandbox fault list');

  it('passes when a read is tried again', async () => {
    await add('members list --times 3 --status 500');
    expect((await t.run('members list -o ids')).exit).toBe(0);
    expect(await t.rows('sandbox log')).toHaveLength(4);
  });

  it('answers in the shape of the API, and says which fault it is', async () => {
    const { id } = await add('members list --status 429 --retry-after 9');
    const met = await t.run('members list --json --max-wait 0 --debug');
    expect(errorOf(met)).toMatchObject({
      message: 'Too Many Attempts.',
      reason: `fault ${id} of the sandbox`,
    });
    expect(met.stderr).toContain('retry-after: 9');
  });

  it.each([
    ['timesheets aprove --status 500', 'unknown operation: timesheets aprove'],
    ['PUT /timesheet/{id}/approve --status 500', 'unknown operation: PUT /timesheet/{id}/approve'],
    ['constructor --status 500', 'unknown operation'],
    ['members list', 'needs --status, --drop, --body or --latency'],
    ['members list --status 200', 'from 300 to 599'],
    ['members list --status abc', 'not a whole number'],
    ['members list --times 0 --status 500', '--times'],
    ['members list --drop never', 'before, after'],
    ['members list --body trucated', 'is not one of truncated, html, failure'],
    ['members list --latency 3', '--latency: "3" is not a duration'],
    ['members list --latency 2h', '--latency must be from 0 to 1h'],
    ['members list --drop after --status 500', '--drop cannot be used with --status'],
    ['members list --after-commit --latency 1s', '--after-commit needs'],
    ['members list --status 429 --after-commit', '--after-commit needs --status (not 429)'],
    ['members list --status 500 --retry-after 3', '--retry-after needs'],
  ])('is refused as "%s" before anything is changed', async (text, why) => {
    const refused = await t.run(`sandbox fault add ${text}`);
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(why) });
    expect(await faults()).toEqual([]);
  });

  it.each([
    ['timesheets.approve', 'PUT /timesheets/{timesheetId}/approve'],
    ['put /timesheets/{id}/approve', 'PUT /timesheets/{timesheetId}/approve'],
    ['PUT /api/v2/timesheets/8c1f/approve?workspace_id=101', 'PUT /timesheets/{timesheetId}/approve'],
    ['GET /leaves/policies', 'GET /leaves/policies'],
  ])('named %s is of %s', (text, route) => {
    expect(parseFaultRoute(text)).toBe(route);
  });

  it('of the token address is answered as OAuth2 does', async () => {
    const { control, fetch } = await createSandbox();
    const operation = 'POST /oauth/token';
    const ask = () => fetch('/oauth/token', { method: 'POST', body: 'grant_type=x' });
    for (const [status, error, more] of [
      [400, 'invalid_grant', {}],
      [401, 'invalid_client', {}],
      [429, 'server_error', { retry_after: 3 }],
      [503, 'temporarily_unavailable', {}],
    ] as const) {
      await control.addFault({ operation, status, ...more });
      const answer = await ask();
      expect([answer.status, await answer.json()]).toMatchObject([status, { error }]);
    }
    await control.addFault({ operation, drop: 'before' });
    await expect(ask()).rejects.toThrow();
    expect((await ask()).status).toBe(400);
    expect((await control.log()).at(-2)).toMatchObject({ status: null, fault: 'dropped before the work' });
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
    const flags = ['--redirect-uri', callback, '--client-id', app.client_id, '--base-url', base_url];
    const login = ['auth', 'login', '--no-browser', ...flags, '--auth-url', url, '--token-url', url];
    const begun = await begin(login, t.processEnv(own));
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

  it.each([
    ['its id', { TTCTL_WORKSPACE: '101' }],
    ['its name in any case', { TTCTL_WORKSPACE: 'lindenhof STUDIO' }],
    ['no variable that says anything', { TTCTL_WORKSPACE: '' }],
    ['what is of another', { TTCTL_TOKEN: 'pat_x', TTCTL_BASE_URL: 'https://a.example/api/v2' }],
  ])('answers from its own with %s', async (_what, env) => {
    expect(await t.run('members list -o ids --limit 1', { env })).toMatchObject({ exit: 0, stdout: '102\n' });
  });

  it('does not know its workspace, and says which variable has a token that it does not know', async () => {
    const ended = await t.run('members list', { env: { TTCTL_WORKSPACE: '4711' } });
    const stderr = expect.stringContaining('You have no access to the workspace 4711.');
    expect(ended).toMatchObject({ exit: 4, stdout: '', stderr });
    const strange = await t.run('members list', { env: { TTCTL_TOKEN: 'sbx_of_another' } });
    const hint = expect.stringContaining('Set TTCTL_TOKEN to a valid token.');
    expect(strange).toMatchObject({ exit: 3, stderr: hint });
  });
});
