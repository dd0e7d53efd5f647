import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { openCli, useCli } from '../support/use-cli.ts';

/** Signing in with a Personal Access Token, status and sign-out. */

const TOKEN = 'pat_canary_5f2e77';
const rows = [{ id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner' }];

const t = useCli({
  service: ({ line }) => ({
    body: line.startsWith('GET /members/') ? envelope({ id: 17, email: 'ana@example.com' }) : onePage(rows),
  }),
});
const run = (line: string, stdin?: string, env: Record<string, string> = {}) => {
  const none = { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '' };
  return t.run(line, { env: { ...none, ...env }, ...(stdin !== undefined && { stdin }) });
};
const login = (more = '', stdin = `${TOKEN}\n`) =>
  run(`auth login --base-url ${t.baseUrl} --token-stdin --json ${more}`, stdin);
const place = (name: string) => join(t.folder, 'config', name);
const read = (name: string) => JSON.parse(readFileSync(place(name), 'utf8'));
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('auth login --token-stdin', () => {
  it('tries the token, then stores it 0600 in a 0700 directory, apart from the settings', async () => {
    const { exit, stdout, stderr } = await login();
    expect(exit, stderr).toBe(0);
    expect(t.lines()).toEqual(['GET /workspaces', 'GET /members/17?workspace_id=7']);
    expect(t.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect([mode(place('credentials.json')), mode(place(''))]).toEqual(['600', '700']);
    expect(read('credentials.json').profiles.default).toMatchObject({
      kind: 'personal',
      base_url: t.baseUrl,
      access_token: TOKEN,
    });
    expect(read('settings.json')).toMatchObject({
      current_profile: 'default',
      profiles: { default: { base_url: t.baseUrl, workspace: 7 } },
    });
    expect(readFileSync(place('settings.json'), 'utf8')).not.toContain(TOKEN);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'default', workspace: 7 });
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  it.each<[string, Answer, number]>([
    ['401', { status: 401, body: { success: false, message: 'no' } }, 3],
    ['403', { status: 403, body: { success: false, message: 'no' } }, 4],
    ['HTML', { body: '<h1>hello</h1>' }, 7],
    ['a cut', { cut: true }, 7],
  ])('stores nothing of a token that gets %s', async (_name, refusal, exit) => {
    t.answer = () => refusal;
    const ended = await run(`auth login --base-url ${t.baseUrl} --token-stdin --max-wait 0`, `${TOKEN}\n`);
    expect(ended.exit).toBe(exit);
    expect(existsSync(place(''))).toBe(false);
    expect(ended.stderr).not.toContain(TOKEN);
  });

  it('keeps other profiles, and the other settings of its own', async () => {
    await login();
    await run('profile set --profile default --timezone Europe/Lisbon --client-id c1');
    await login('--profile work', 'pat_work');
    await login('', 'pat_second');
    expect(read('credentials.json').profiles).toMatchObject({
      default: { access_token: 'pat_second' },
      work: { access_token: 'pat_work' },
    });
    expect(read('settings.json')).toMatchObject({
      current_profile: 'default',
      profiles: { default: { timezone: 'Europe/Lisbon', client_id: 'c1' }, work: { workspace: 7 } },
    });
  });

  it.each([
    ['', 'stdin holds no token'],
    [' \n', 'stdin holds no token'],
    ['two words', 'stdin holds no token'],
  ])('of %j asks nobody', async (stdin, says) => {
    const ended = await login('', stdin);
    expect(ended).toMatchObject({ exit: 2, stderr: expect.stringContaining(says) });
    expect(t.lines()).toEqual([]);
  });

  it('takes the workspace by name, and refuses one that is not there', async () => {
    expect((await login('--workspace northwind')).exit).toBe(0);
    expect(read('settings.json').profiles.default.workspace).toBe(7);
    expect((await login('--profile other --workspace Southwind')).exit).toBe(2);
    expect(read('credentials.json').profiles.other).toBeUndefined();
  });

  it('chooses no workspace where there are several to run', async () => {
    t.answer = () => ({ body: onePage([...rows, { id: 8, role: 'Executive manager' }]) });
    expect((await login()).exit).toBe(0);
    expect(read('settings.json').profiles.default.workspace).toBeUndefined();
  });

  it('of a dry run stores nothing', async () => {
    expect((await login('--dry-run')).exit).toBe(0);
    expect(existsSync(place('credentials.json'))).toBe(false);
  });
});

it.each(['auth check', 'auth status', 'auth token', 'auth refresh'])(
  '%s where nothing is set up: not signed in, exit 3',
  async (line) => {
    const { exit, stderr } = await run(line);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('not signed in (profile default)')]);
  },
);

describe('auth status', () => {
  it('says who, where, with what, until when, and whether the service was asked', async () => {
    await login('--created 2026-08-31');
    expect(JSON.parse((await run('auth status --json')).stdout)).toEqual({
      profile: 'default',
      account: 'ana@example.com',
      workspace: 7,
      base_url: t.baseUrl,
      kind: 'personal',
      source: place('credentials.json'),
      scopes: null,
      access_expires_at: '2027-02-28',
      refresh_expires_at: null,
      checked: true,
    });
  });

  it('of a service that is not there says so, and what is known', async () => {
    await login();
    t.answer = () => ({ cut: true });
    const { exit, stdout, stderr } = await run('auth status --json --max-wait 0');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'default', workspace: 7, checked: false });
    expect(stderr).toContain('could not be reached');
  });

  it('of a token that is refused is exit 3', async () => {
    await login();
    t.answer = () => ({ status: 401, body: { success: false, message: 'Give a valid Bearer token.' } });
    expect((await run('auth status')).exit).toBe(3);
  });

  it('of the environment names the variable', async () => {
    const env = { TTCTL_TOKEN: TOKEN, TTCTL_BASE_URL: t.baseUrl };
    expect(JSON.parse((await run('auth status --json', undefined, env)).stdout)).toMatchObject({
      kind: 'environment',
      source: 'TTCTL_TOKEN',
      access_expires_at: null,
    });
  });
});

describe('auth logout', () => {
  it('removes the secret everywhere, and keeps the other profiles and the settings', async () => {
    await login();
    await login('--profile work', 'pat_work');
    const { exit, stdout } = await run('auth logout --yes --json');
    expect([exit, JSON.parse(stdout)]).toEqual([0, { profile: 'default', removed: true }]);
    await login('--profile third');
    const { stderr } = await run('auth logout --profile third --yes');
    expect(stderr).toContain('remains valid until it expires');
    for (const name of ['credentials.json', 'credentials.json.bak']) {
      expect(readFileSync(place(name), 'utf8')).not.toContain(TOKEN);
    }
    expect(read('credentials.json').profiles.work.access_token).toBe('pat_work');
    expect(read('settings.json').profiles.default.base_url).toBe(t.baseUrl);
  });

  it('asks: without a terminal it needs --yes', async () => {
    await login();
    expect((await run('auth logout')).exit).toBe(2);
    expect(read('credentials.json').profiles.default.access_token).toBe(TOKEN);
  });

  it('of a dry run, and of nobody, removes nothing', async () => {
    await login();
    expect(JSON.parse((await run('auth logout --dry-run --json')).stdout)).toMatchObject({ removed: false });
    expect(read('credentials.json').profiles.default.access_token).toBe(TOKEN);
    await run('auth logout --yes');
    expect(JSON.parse((await run('auth logout --yes --json')).stdout)).toMatchObject({ removed: false });
  });
});

describe('a stored token', () => {
  it('is used, and goes to no other origin', async () => {
    await login();
    expect((await run('members list')).exit).toBe(0);
    const other = await openCli();
    const env = { TTCTL_BASE_URL: other.baseUrl };
    const { exit, stderr } = await run('members list --json', undefined, env);
    expect(exit).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'wrong_origin' } });
    expect(other.requests).toEqual([]);
  });
});
