import { existsSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { openCli, useCli } from '../support/use-cli.ts';

/** Signing in with a Personal Access Token, status and sign-out. */

const TOKEN = 'pat_canary_5f2e77';
const WORKSPACE = { id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner' };
const t = useCli({
  service: ({ line }) => ({
    body: line.startsWith('GET /members/')
      ? envelope({ id: 17, email: 'ana@example.com' })
      : onePage([WORKSPACE]),
  }),
  env: { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '', TTCTL_MAX_WAIT: '0' },
});
const login = (more = '', stdin = `${TOKEN}\n`) =>
  t.run(`auth login --base-url ${t.baseUrl} --token-stdin --json ${more}`, { stdin });
const settings = () => JSON.parse(t.text('config/settings.json'));
const credentials = () => JSON.parse(t.text('config/credentials.json')).profiles;
const isStored = () => existsSync(t.file('config/credentials.json'));

describe('auth login --token-stdin', () => {
  it.each(['warning: profile', '--profile work'])('says what it replaced: %s', async (way) => {
    await t.run('profile set --profile work --base-url https://old.example --workspace 9');
    await t.run('profile use work');
    const isNamed = way.startsWith('--');
    const { exit, stderr } = await t.run(
      `auth login --base-url ${t.baseUrl} --token-stdin ${isNamed ? way : ''}`,
      { stdin: `${TOKEN}\n` },
    );
    const told = `profile work now signs in at ${t.baseUrl}, was https://old.example\n`;
    expect([exit, stderr]).toEqual([0, expect.stringContaining(isNamed ? told : `warning: ${told}`)]);
    expect(settings().profiles.work).toEqual({ base_url: t.baseUrl, workspace: 7 });
    expect((await login()).stderr).not.toContain('was ');
  });

  it('tries the token, then stores it 0600 in a 0700 directory, apart from the settings', async () => {
    const { exit, stdout, stderr } = await login();
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { profile: 'default', workspace: 7 }]);
    expect(t.lines()).toEqual(['GET /workspaces', 'GET /members/17?workspace_id=7']);
    expect(t.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    const modes = ['config/credentials.json', 'config'].map((name) => statSync(t.file(name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
    const stored = { kind: 'personal', base_url: t.baseUrl, access_token: TOKEN };
    expect(credentials()).toMatchObject({ default: stored });
    expect(settings()).toMatchObject({
      current_profile: 'default',
      profiles: { default: { base_url: t.baseUrl, workspace: 7 } },
    });
    expect(t.text('config/settings.json') + stdout + stderr).not.toContain(TOKEN);
  });

  it.each<[string, Answer, number]>([
    ['401', { status: 401, body: { success: false, message: 'no' } }, 3],
    ['403', { status: 403, body: { success: false, message: 'no' } }, 4],
    ['404', { status: 404, body: { success: false, message: 'no' } }, 5],
    ['HTML', { body: '<h1>hello</h1>' }, 7],
    ['a cut', { cut: true }, 7],
  ])(
    'stores nothing of a token that gets %s, and leads to no profile (O17)',
    async (_name, refusal, exit) => {
      t.answer = () => refusal;
      const ended = await login('--profile work');
      expect([ended.exit, existsSync(t.file('config'))]).toEqual([exit, false]);
      expect(ended.stderr).not.toMatch(/pat_canary|ttctl (?:doctor|profile|workspaces)/);
      expect(ended.stderr).toContain('hint');
    },
  );

  it('keeps other profiles, and the other settings of its own', async () => {
    await login();
    await t.read('profile set --profile default --timezone Europe/Lisbon --client-id c1');
    await login('--profile work', 'pat_work');
    await login('', 'pat_second');
    const tokens = { default: { access_token: 'pat_second' }, work: { access_token: 'pat_work' } };
    expect(credentials()).toMatchObject(tokens);
    expect(settings()).toMatchObject({
      current_profile: 'default',
      profiles: { default: { timezone: 'Europe/Lisbon', client_id: 'c1' }, work: { workspace: 7 } },
    });
  });

  it.each(['', ' \n', 'two words'])('of %j asks nobody', async (stdin) => {
    const ended = await login('', stdin);
    expect(ended).toMatchObject({ exit: 2, stderr: expect.stringContaining('stdin holds no token') });
    expect(t.lines()).toEqual([]);
  });

  it('takes the workspace by name, and refuses one that is not there', async () => {
    expect((await login('--workspace northwind')).exit).toBe(0);
    expect(settings().profiles.default.workspace).toBe(7);
    expect((await login('--profile other --workspace Southwind')).exit).toBe(2);
    expect(credentials().other).toBeUndefined();
  });

  it('chooses no workspace where there are several to run', async () => {
    t.answer = () => ({ body: onePage([WORKSPACE, { id: 8, role: 'Executive manager' }]) });
    expect((await login()).exit).toBe(0);
    expect(settings().profiles.default.workspace).toBeUndefined();
  });

  it('of a dry run stores nothing', async () => {
    expect([(await login('--dry-run')).exit, isStored()]).toEqual([0, false]);
  });
});

it.each(['auth check', 'auth status', 'auth token', 'auth refresh'])(
  '%s where nothing is set up: not signed in, exit 3',
  async (line) => {
    const { exit, stderr } = await t.run(line);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('not signed in (profile default)')]);
  },
);

describe('auth status', () => {
  it('says who, where, with what, until when, and whether the service was asked', async () => {
    await login('--created 2026-08-31');
    expect(await t.json('auth status')).toEqual({
      profile: 'default',
      account: 'ana@example.com',
      workspace: 7,
      base_url: t.baseUrl,
      kind: 'personal',
      source: t.file('config/credentials.json'),
      scopes: null,
      access_expires_at: '2027-02-28',
      refresh_expires_at: null,
      checked: true,
    });
  });

  it('of a service that is not there says so, and what is known', async () => {
    await login();
    t.answer = () => ({ cut: true });
    const { exit, stdout, stderr } = await t.run('auth status --json');
    expect([exit, stderr]).toEqual([0, expect.stringContaining('could not be reached')]);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'default', workspace: 7, checked: false });
  });

  it('of a token that is refused is exit 3', async () => {
    await login();
    t.answer = () => ({ status: 401, body: { success: false, message: 'Give a valid Bearer token.' } });
    expect((await t.run('auth status')).exit).toBe(3);
  });

  it('of the environment names the variable', async () => {
    const env = { TTCTL_TOKEN: TOKEN, TTCTL_BASE_URL: t.baseUrl };
    const known = { kind: 'environment', source: 'TTCTL_TOKEN', access_expires_at: null };
    expect(await t.json('auth status', { env })).toMatchObject(known);
  });
});

describe('auth logout', () => {
  it('removes the secret everywhere, and keeps the other profiles and the settings', async () => {
    await login();
    await login('--profile work', 'pat_work');
    expect(await t.json('auth logout --yes')).toEqual({ profile: 'default', removed: true });
    await login('--profile third');
    const { stderr } = await t.run('auth logout --profile third --yes');
    expect(stderr).toContain('remains valid until it expires');
    for (const name of ['credentials.json', 'credentials.json.bak'])
      expect(t.text(`config/${name}`)).not.toContain(TOKEN);
    expect(credentials().work.access_token).toBe('pat_work');
    expect(settings().profiles.default.base_url).toBe(t.baseUrl);
  });

  it('asks: without a terminal it needs --yes; of a dry run, and of nobody, it removes nothing', async () => {
    await login();
    expect((await t.run('auth logout')).exit).toBe(2);
    expect(await t.json('auth logout --dry-run')).toMatchObject({ removed: false });
    expect(credentials().default.access_token).toBe(TOKEN);
    await t.read('auth logout --yes');
    expect(await t.json('auth logout --yes')).toMatchObject({ removed: false });
  });
});

it('a stored token is used, and goes to no other origin', async () => {
  await login();
  expect((await t.run('members list')).exit).toBe(0);
  const other = await openCli();
  const { exit, stderr } = await t.run('members list --json', { env: { TTCTL_BASE_URL: other.baseUrl } });
  expect([exit, JSON.parse(stderr).error.code, other.requests]).toEqual([2, 'wrong_origin', []]);
});
