import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** `ttctl doctor`: what it finds, what it says to do, and that it ends with 10 when something does not work. */

const t = useCli({ env: { TTCTL_MAX_WAIT: '0' } });
let folder: string;
beforeEach(() => {
  folder = t.file('config');
  mkdirSync(folder);
});

const examine = async (answer: Answer, env: Readonly<Record<string, string>> = {}, flags = '') => {
  t.answer = () => answer;
  const { stdout, stderr, exit } = await t.run(`doctor --json ${flags}`, { env });
  const found = JSON.parse(stdout) as Readonly<Record<'check' | 'state' | 'found' | 'advice', string>>[];
  const state = (check: string) => found.find((finding) => finding.check === check);
  return { state, found, stdout, stderr, exit };
};

const healthy = { body: onePage([]) };

describe('doctor', () => {
  it('sees a link that leads nowhere', async () => {
    symlinkSync('/nowhere', join(folder, 'credentials.json'));
    const { found } = await examine(healthy);
    const told = found.filter(({ found: text }) => text.includes('credentials.json'));
    expect(told.map(({ state }) => state)).not.toContain('ok');
    expect(told).not.toEqual([]);
  });

  it('names the runs of an earlier version, which are not read', async () => {
    mkdirSync(join(folder, 'jobs'));
    const { state, exit } = await examine(healthy, { TTCTL_STATE_DIR: folder });
    expect(state('history')).toMatchObject({
      state: 'warning',
      found: `${join(folder, 'jobs')} has runs of an earlier version, which are not read`,
      advice: expect.stringContaining(`rm -r ${join(folder, 'jobs')}`),
    });
    expect(exit).toBe(0);
  });

  it('finds nothing wrong with a service that answers', async () => {
    const { found, exit } = await examine(healthy);
    expect(found.map(({ check }) => check)).toEqual([
      ...['version', 'settings directory', 'settings file', 'credentials file', 'state directory'],
      ...['address', 'proxy', 'credential', 'service', 'clock', 'limits'],
    ]);
    expect(found.filter(({ state }) => state === 'problem')).toEqual([]);
    expect(exit).toBe(0);
    expect(t.lines()).toEqual(['GET /workspaces']);
  });

  it('tells how far the clock is off', async () => {
    const date = new Date(Date.now() - 10 * 60_000).toUTCString();
    const { state, exit } = await examine({ ...healthy, headers: { date } });
    expect(state('clock')).toMatchObject({ state: 'warning' });
    expect(state('clock')?.found).toMatch(/^(599|6\d\d) s ahead of the service$/);
    expect(exit).toBe(0);
  });

  it.each([
    [{ status: 401, body: { success: false, message: 'no', meta: {} } }, 'service', /sign in again/i],
    [{ status: 403, body: { success: false, message: 'no', meta: {} } }, 'service', /Owners/],
    [{ status: 200, body: '<html>hello</html>' }, 'service', /address may be wrong/],
    [{ cut: true }, 'service', /./],
  ] as const)('ends with 10 for %j, and says what to do', async (answer, check, advice) => {
    const { state, exit } = await examine(answer);
    expect(state(check)).toMatchObject({ state: 'problem' });
    expect(state(check)?.advice).toMatch(advice);
    expect(exit).toBe(10);
  });

  it('says that nothing is set up, and asks nobody', async () => {
    const { state, exit } = await examine(healthy, { TTCTL_BASE_URL: '', TTCTL_TOKEN: '' });
    expect(state('address')?.advice).toContain('auth login');
    expect(exit).toBe(10);
    expect(t.lines()).toEqual([]);
  });

  it('names the proxy also where there is no credential', async () => {
    const env = {
      TTCTL_TOKEN: '',
      TTCTL_BASE_URL: 'https://api.example.com',
      HTTPS_PROXY: 'http://10.0.0.1:8080',
    };
    const { state } = await examine(healthy, env);
    expect(state('credential')?.state).toBe('problem');
    expect(state('proxy')?.found).toContain('10.0.0.1:8080');
  });

  it('sees files that others could read, and how many days a credential has', async () => {
    const created_at = new Date(Date.now() - 175 * 86_400_000).toISOString().slice(0, 10);
    const credential = {
      ...{ kind: 'personal', base_url: t.baseUrl, access_token: 'canary-0123456789', created_at },
    };
    const file = join(folder, 'credentials.json');
    writeFileSync(file, JSON.stringify({ version: 1, profiles: { default: credential } }));
    chmodSync(file, 0o644);
    const { state, stdout, stderr } = await examine(healthy, { TTCTL_TOKEN: '' });
    expect(state('credentials file')).toMatchObject({ state: 'warning' });
    expect(state('credentials file')?.advice).toContain('chmod 600');
    expect(state('credential')).toMatchObject({ state: 'warning' });
    expect(state('credential')?.found).toMatch(/\d days left/);
    expect(stdout + stderr).not.toContain('canary');
  });
});
