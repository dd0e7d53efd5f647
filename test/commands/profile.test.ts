import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** Profiles: where each value comes from, and what a read-only one holds back. */

const t = useCli({
  service: ({ line }) => ({
    body: line === 'GET /workspaces' ? onePage([{ id: 9, workspace_name: 'Nine' }]) : envelope(null),
  }),
  // No service in the environment.
  env: { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '', TTCTL_RATE_LIMIT: '' },
});
const settings = () => JSON.parse(t.text('config/settings.json'));
/** What points at the service. */
const service = () => ({ TTCTL_BASE_URL: t.baseUrl, TTCTL_TOKEN: 'x', TTCTL_RATE_LIMIT: 'off' });

it('profile list on the sandbox profile leaves no sandbox behind', async () => {
  await t.read('--profile sandbox profile list');
  expect(existsSync(t.state)).toBe(false);
});

it('profile show says of each value where it comes from: flag, then environment, then profile, then default', async () => {
  await t.read('profile set --profile default --workspace 5 --output csv --timezone Europe/Lisbon');
  const env = { TTCTL_WORKSPACE: '6', TTCTL_TIMEOUT: '12' };
  const shown = async (flags: string, more = {}) => {
    const rows: readonly Record<string, unknown>[] = await t.json(`profile show ${flags}`, more);
    return Object.fromEntries(rows.map(({ setting, ...row }) => [setting, row]));
  };
  expect(await shown('--workspace 7', { env })).toMatchObject({
    workspace: { value: '7', from: 'flag', source: '--workspace' },
    output: { value: 'json', from: 'flag', source: '--json' },
    timeout_seconds: { value: 12, from: 'environment', source: 'TTCTL_TIMEOUT' },
    timezone: { value: 'Europe/Lisbon', from: 'profile', source: 'timezone' },
    max_wait_seconds: { value: 120, from: 'default', source: null },
    rate_limit: { value: '150/60,20/1', from: 'default' },
    client_id: { value: null, from: 'not set' },
  });
  expect((await shown('', { env }))['workspace']).toMatchObject({ value: '6', from: 'environment' });
  expect((await shown(''))['workspace']).toMatchObject({ value: '5', from: 'profile' });
});

it('profile show never shows a token', async () => {
  const env = { TTCTL_TOKEN: 'canary-1', TTCTL_CLIENT_SECRET: 'canary-2' };
  expect(await t.read('profile show --json', { env })).not.toContain('canary');
});

it('profile set keeps what it does not name, and the first profile becomes the default one', async () => {
  await t.read('profile set --profile work --workspace 7 --base-url https://api.example.com/api/v2/');
  await t.read('profile set --profile work --workspace 8');
  await t.read('profile set --profile other --workspace 9');
  expect(settings()).toMatchObject({
    current_profile: 'work',
    profiles: {
      work: { workspace: '8', base_url: 'https://api.example.com/api/v2' },
      other: { workspace: '9' },
    },
  });
});

it.each([
  ['--base-url http://api.example.com/api/v2', 2],
  ['--base-url https://name:secret@api.example.com/', 2],
  ['--base-url nonsense', 2],
  ['--rate-limit fast', 2],
  ['--output xml', 2],
  ['--timezone Europe/Atlantis', 2],
  ['', 2],
  ['--workspace 7 --dry-run', 0],
])('profile set %s stores nothing: exit %i', async (flags, exit) => {
  const ended = await t.run(`profile set --profile work ${flags}`);
  expect([ended.exit, existsSync(t.file('config/settings.json'))], ended.stderr).toEqual([exit, false]);
  expect(ended.stderr).not.toContain('secret');
});

it('profile use, list and remove choose, show and take away', async () => {
  await t.read('profile set --profile work --workspace 7');
  await t.read('profile set --profile other --workspace 9');
  await t.read('profile use other');
  expect(await t.json('profile list')).toMatchObject([
    { name: 'other', current: true, workspace: '9' },
    { name: 'sandbox', base_url: 'embedded' },
    { name: 'work', current: false, signed_in: false },
  ]);
  for (const line of ['profile use nobody', 'profile remove other'])
    expect((await t.run(line)).exit, line).toBe(2);
  await t.read('profile remove other --yes');
  expect(settings()).toEqual({ version: 1, profiles: { work: { workspace: '7' } } });
  expect((await t.run('profile remove other --yes')).exit).toBe(2);
});

it('profile remove sandbox takes away what is stored for it', async () => {
  const { exit, stderr } = await t.run('profile remove sandbox --yes');
  expect([exit, stderr]).toEqual([2, expect.stringContaining('there is no stored profile "sandbox"')]);
  await t.read('profile set --profile sandbox --timezone Europe/Lisbon');
  await t.read('profile remove sandbox --yes');
  expect(settings().profiles).toEqual({});
});

it('the sandbox points a refusal of its own sign-in to the faults, not to a sign-in that it has not', async () => {
  await t.read('--profile sandbox sandbox fault add members list --status 401');
  const { exit, stderr } = await t.run('--profile sandbox members list');
  expect(exit).toBe(3);
  expect(stderr).toContain('See: ttctl sandbox fault list --profile sandbox\n');
  expect(stderr).not.toContain('auth login');
});

it('workspaces use stores the id that the service has for a name', async () => {
  await t.read('workspaces use nine', { env: service() });
  expect(settings().profiles.default.workspace).toBe(9);
});

it('a read-only profile lets reads pass and refuses every write, also of `api`', async () => {
  const as = (line: string) =>
    t.run(line, { env: { ...service(), TTCTL_PROFILE: 'work', TTCTL_WORKSPACE: '7' } });
  await t.read('profile set --profile work --read-only');
  expect((await as('workspaces list')).exit).toBe(0);
  for (const line of ['members restore 17', 'members archive 17 --yes', 'api POST /members']) {
    const { exit, stderr } = await as(`${line} --json`);
    expect([exit, JSON.parse(stderr).error.code], line).toEqual([2, 'read_only_profile']);
  }
  expect(t.sent()).toEqual([]);
  const { exit, stderr } = await as('members restore 17 18 --dry-run');
  const told = 'the real run would be refused: profile work is read-only (exit 2)';
  expect([exit, stderr.split(told).length - 1]).toEqual([0, 1]);
  await t.read('profile set --profile work --no-read-only');
  expect((await as('members restore 17')).exit).toBe(0);
});

it('O24: a profile may be held to commands, which then write, and no other', async () => {
  await t.read("profile set payroll --allow 'timesheets  approve, inbox decide'");
  const env = { ...service(), TTCTL_PROFILE: 'payroll', TTCTL_WORKSPACE: '7' };
  await t.read('timesheets approve t1 --yes', { env });
  expect(t.lines()).toMatchObject([expect.stringMatching(/^PUT \/timesheets\/t1\/approve/)]);
  const { exit, stderr } = await t.run('timesheets reject t1 --reason x --yes', { env });
  expect(exit).toBe(2);
  expect(stderr).toContain(
    'profile payroll allows no writes but those of: timesheets approve, inbox decide\n',
  );
  const listen = 'webhooks listen --create --event x --port 0 --url https://x.example';
  expect([(await t.run(listen, { env })).exit, t.lines()]).toEqual([2, [expect.stringMatching(/approve/)]]);
  await t.read('members list', { env });
  expect((await t.run('profile set --profile payroll --allow "timesheets aprove"')).stderr).toContain(
    'error: --allow: there is no command "timesheets aprove"\nhint: Did you mean timesheets approve?',
  );
  // A profile is named by its place, too.
  expect((await t.run('profile set payroll --profile work --allow all')).exit).toBe(2);
  expect(await t.json('profile show payroll')).toContainEqual(
    expect.objectContaining({ setting: 'allow', value: 'timesheets approve,inbox decide' }),
  );
  await t.read('profile set --profile payroll --allow all,inbox');
  await t.read('timesheets reject t1 --reason x --yes', { env });
});
