import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** `ttctl doctor`: what it finds, what it says to do, and that it ends with 10 when something does not work. */

const t = useCli({ service: () => ({ body: onePage([]) }), env: { TTCTL_MAX_WAIT: '0' } });
beforeEach(() => mkdirSync(t.file('config')));

const examine = async (env: Readonly<Record<string, string>> = {}) => {
  const { stdout, stderr, exit } = await t.run('doctor --json', { env });
  const found: readonly Record<'check' | 'state' | 'found' | 'advice', string>[] = JSON.parse(stdout);
  return { of: (name: string) => found.find(({ check }) => check === name), found, stdout, stderr, exit };
};

it('finds nothing wrong with a service that answers', async () => {
  const { found, exit } = await examine();
  expect(found.map(({ check }) => check)).toEqual([
    ...['version', 'settings directory', 'settings file', 'credentials file', 'state directory'],
    ...['address', 'proxy', 'credential', 'service', 'clock', 'limits'],
  ]);
  expect(found.filter(({ state }) => state === 'problem')).toEqual([]);
  expect([exit, t.lines()]).toEqual([0, ['GET /workspaces']]);
});

it.each([
  [{ status: 401, body: { success: false, message: 'no', meta: {} } }, /sign in again/i],
  [{ status: 403, body: { success: false, message: 'no', meta: {} } }, /Owners/],
  [{ status: 200, body: '<html>hello</html>' }, /address may be wrong/],
  [{ cut: true }, /./],
] as const)('ends with 10 for a service of %j, and says what to do', async (answer, advice) => {
  t.answer = () => answer;
  const { of, exit } = await examine();
  expect([exit, of('service')]).toMatchObject([
    10,
    { state: 'problem', advice: expect.stringMatching(advice) },
  ]);
});

it('says that nothing is set up, and asks nobody', async () => {
  const { of, exit } = await examine({ TTCTL_BASE_URL: '', TTCTL_TOKEN: '' });
  expect(of('address')?.advice).toContain('auth login');
  expect([exit, t.lines()]).toEqual([10, []]);
});

it('names the proxy also where there is no credential', async () => {
  const address = { TTCTL_BASE_URL: 'https://api.example.com', HTTPS_PROXY: 'http://10.0.0.1:8080' };
  const { of } = await examine({ ...address, TTCTL_TOKEN: '' });
  expect(of('credential')?.state).toBe('problem');
  expect(of('proxy')?.found).toContain('10.0.0.1:8080');
});

it('tells how far the clock is off', async () => {
  const date = new Date(Date.now() - 10 * 60_000).toUTCString();
  t.answer = () => ({ body: onePage([]), headers: { date } });
  const { of, exit } = await examine();
  expect([exit, of('clock')?.state]).toEqual([0, 'warning']);
  expect(of('clock')?.found).toMatch(/^(9 min 59|10 min \d+) s ahead of the service$/);
});

it('sees a link that leads nowhere', async () => {
  symlinkSync('/nowhere', t.file('config/credentials.json'));
  const { found } = await examine();
  const told = found.filter((one) => one.found.includes('credentials.json'));
  expect(told).not.toEqual([]);
  expect(told.map(({ state }) => state)).not.toContain('ok');
});

it('sees files that others could read, and how many days a credential has', async () => {
  const created_at = new Date(Date.now() - 175 * 86_400_000).toISOString().slice(0, 10);
  const stored = { kind: 'personal', base_url: t.baseUrl, access_token: 'canary-0123456789', created_at };
  const text = JSON.stringify({ version: 1, profiles: { default: stored } });
  chmodSync(t.file('config/credentials.json', text), 0o644);
  const { of, stdout, stderr } = await examine({ TTCTL_TOKEN: '' });
  expect(of('credentials file')).toMatchObject({
    state: 'warning',
    advice: expect.stringContaining('chmod 600'),
  });
  expect(of('credential')).toMatchObject({ state: 'warning', found: expect.stringMatching(/\d days left/) });
  expect(stdout + stderr).not.toContain('canary');
});

it('names the runs of an earlier version, which are not read', async () => {
  mkdirSync(t.file('state/jobs'), { recursive: true });
  const { of, exit } = await examine();
  expect(of('history')).toMatchObject({
    state: 'warning',
    found: `${t.file('state/jobs')} has runs of an earlier version, which are not read`,
    advice: expect.stringContaining(`rm -r ${t.file('state/jobs')}`),
  });
  expect(exit).toBe(0);
});
