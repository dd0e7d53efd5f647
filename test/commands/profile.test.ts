import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** Profiles: where each value comes from, and what a read-only one holds back. */

const t = useCli({
  service: ({ line }) => ({
    body: line === 'GET /workspaces' ? onePage([{ id: 9, workspace_name: 'Nine' }]) : envelope(null),
  }),
});

/** Without a service in the environment. */
const NONE = { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '', TTCTL_RATE_LIMIT: '' };
const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  t.run(line, { env: { ...NONE, ...env } });
const settings = () => JSON.parse(t.text('config/settings.json'));
const shown = async (line: string, env: Readonly<Record<string, string>> = {}) => {
  const { stdout } = await run(`${line} --json`, env);
  const rows = JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
  return (name: string) => rows.find(({ setting }) => setting === name);
};

it('profile list on the sandbox profile leaves no sandbox behind', async () => {
  expect((await run('--profile sandbox profile list')).exit).toBe(0);
  expect(existsSync(t.state)).toBe(false);
});

describe('profile show', () => {
  it('says of each value where it comes from: flag, then environment, then profile, then default', async () => {
    await run('profile set --profile default --workspace 5 --output csv --timezone Europe/Lisbon');
    const env = { TTCTL_WORKSPACE: '6', TTCTL_TIMEOUT: '12' };
    const of = await shown('profile show --workspace 7', env);
    expect(of('workspace')).toMatchObject({ value: '7', from: 'flag', source: '--workspace' });
    expect(of('timeout_seconds')).toMatchObject({ value: 12, from: 'environment', source: 'TTCTL_TIMEOUT' });
    expect(of('timezone')).toMatchObject({ value: 'Europe/Lisbon', from: 'profile', source: 'timezone' });
    expect(of('max_wait_seconds')).toMatchObject({ value: 120, from: 'default', source: null });
    expect(of('output')).toMatchObject({ value: 'json', from: 'flag', source: '--json' });
    expect(of('rate_limit')).toMatchObject({ value: '150/60,20/1', from: 'default' });
    expect(of('client_id')).toMatchObject({ value: null, from: 'not set' });
    expect((await shown('profile show', env))('workspace')).toMatchObject({
      value: '6',
      from: 'environment',
    });
    expect((await shown('profile show'))('workspace')).toMatchObject({ value: '5', from: 'profile' });
  });

  it('never shows a token', async () => {
    const { stdout } = await run('profile show --json', {
      TTCTL_TOKEN: 'canary-1',
      TTCTL_CLIENT_SECRET: 'canary-2',
    });
    expect(stdout).not.toContain('canary');
  });
});

describe('profile set', () => {
  it('keeps what it does not name, and the first profile becomes the default one', async () => {
    await run('profile set --profile work --workspace 7 --base-url https://api.example.com/api/v2/');
    await run('profile set --profile work --workspace 8');
    await run('profile set --profile other --workspace 9');
    expect(settings()).toMatchObject({
      current_profile: 'work',
      profiles: {
        work: { workspace: '8', base_url: 'https://api.example.com/api/v2' },
        other: { workspace: '9' },
      },
    });
  });

  it.each([
    '--base-url http://api.example.com/api/v2',
    '--base-url https://name:secret@api.example.com/',
    '--base-url nonsense',
    '--rate-limit fast',
    '--output xml',
    '--timezone Europe/Atlantis',
    '',
  ])('refuses %s', async (flags) => {
    const { exit, stderr } = await run(`profile set --profile work ${flags}`);
    expect(exit, stderr).toBe(2);
    expect(stderr).not.toContain('secret');
    expect(() => settings()).toThrow();
  });

  it('of a dry run writes nothing', async () => {
    expect((await run('profile set --profile work --workspace 7 --dry-run')).exit).toBe(0);
    expect(() => settings()).toThrow();
  });
});

describe('profile use, list, remove', () => {
  it('choose, show and take away', async () => {
    await run('profile set --profile work --workspace 7');
    await run('profile set --profile other --workspace 9');
    expect((await run('profile use other')).exit).toBe(0);
    const { stdout } = await run('profile list --json');
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'other', current: true, workspace: '9' },
      { name: 'sandbox', base_url: 'embedded' },
      { name: 'work', current: false, signed_in: false },
    ]);
    expect((await run('profile use nobody')).exit).toBe(2);
    expect((await run('profile remove other')).exit).toBe(2);
    expect((await run('profile remove other --yes')).exit).toBe(0);
    expect(settings()).toEqual({ version: 1, profiles: { work: { workspace: '7' } } });
    expect((await run('profile remove other --yes')).exit).toBe(2);
  });
});

describe('the profile sandbox', () => {
  it('points a refusal of its own sign-in to the faults, not to a sign-in that it has not', async () => {
    await run('--profile sandbox sandbox fault add members list --status 401');
    const { exit, stderr } = await run('--profile sandbox members list');
    expect(exit).toBe(3);
    expect(stderr).toContain('See: ttctl sandbox fault list --profile sandbox\n');
    expect(stderr).not.toContain('auth login');
  });
});

describe('profile remove sandbox', () => {
  it('takes away what is stored for it', async () => {
    const { exit, stderr } = await run('profile remove sandbox --yes');
    expect(exit).toBe(2);
    expect(stderr).toContain('there is no stored profile "sandbox"');
    await run('profile set --profile sandbox --timezone Europe/Lisbon');
    expect((await run('profile remove sandbox --yes')).exit).toBe(0);
    expect(settings().profiles).toEqual({});
  });
});

describe('workspaces use', () => {
  it('stores the id that the service has for a name', async () => {
    expect((await t.run('workspaces use nine')).exit).toBe(0);
    expect(settings().profiles.default.workspace).toBe(9);
  });
});

describe('a profile that is read-only', () => {
  const as = (line: string) => t.run(line, { env: { TTCTL_PROFILE: 'work' } });
  it('lets reads pass and refuses every write, also of `api`', async () => {
    await run('profile set --profile work --read-only');
    expect((await as('workspaces list')).exit).toBe(0);
    for (const line of ['members restore 17', 'members archive 17 --yes', 'api POST /members']) {
      const { exit, stderr } = await as(`${line} --json`);
      expect([exit, JSON.parse(stderr).error.code], line).toEqual([2, 'read_only_profile']);
    }
    expect(t.sent()).toEqual([]);
    const planned = await as('members restore 17 18 --dry-run');
    expect(planned.exit).toBe(0);
    expect(
      planned.stderr.match(/the real run would be refused: profile work is read-only \(exit 2\)/g),
    ).toHaveLength(1);
    await run('profile set --profile work --no-read-only');
    expect((await as('members restore 17')).exit).toBe(0);
  });
});
