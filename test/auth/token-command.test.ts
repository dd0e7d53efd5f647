import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** O16: a token that a command prints each time it is needed, and that is stored nowhere. */

const TOKEN = 'pat_canary_c0ffee';
const t = useCli({
  service: ({ line }): Answer => ({
    body: line.startsWith('GET /members/')
      ? envelope({ id: 17, email: 'ana@example.com' })
      : onePage([{ id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner' }]),
  }),
  env: { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '', TTCTL_MAX_WAIT: '0' },
});
let command: string;
beforeEach(() => {
  const secret = t.file('secret', `${TOKEN}\n`);
  command = `echo run >> ${t.file('runs')}; cat ${secret}`;
});
const login = (text = command, more: readonly string[] = [], options = {}) =>
  t.run(['auth', 'login', '--base-url', t.baseUrl, '--token-command', text, ...more], options);
const countRuns = () => (existsSync(t.file('runs')) ? t.text('runs').split('\n').length - 1 : 0);
const settings = () => JSON.parse(t.text('config/settings.json')).profiles.default;
const isStored = () => existsSync(t.file('config/credentials.json'));

describe('auth login --token-command', () => {
  it('tries the token, stores the command alone, and runs it once a process, where a token is needed', async () => {
    const { exit, stdout, stderr } = await login(command, ['--json']);
    expect([exit, JSON.parse(stdout)], stderr).toMatchObject([
      0,
      { account: 'ana@example.com', workspace: 7 },
    ]);
    expect([settings(), isStored()]).toEqual([
      { base_url: t.baseUrl, token_command: command, workspace: 7 },
      false,
    ]);
    const authorized = t.requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`);
    expect([t.requests.length, authorized, countRuns()]).toEqual([2, true, 1]);
    for (const line of [
      'profile list',
      'profile show',
      'auth check --strict',
      'api -X POST /projects --dry-run',
    ])
      await t.read(line);
    expect(countRuns()).toBe(1);
    for (const line of ['members archive 17 18 19 --yes', 'auth status', 'doctor', 'auth token'])
      expect((await t.run(line)).exit, line).toBe(0);
    expect(countRuns()).toBe(5);
    expect(await t.json('auth status')).toMatchObject({ kind: 'command', source: 'token_command' });
    expect(await t.json('profile list')).toMatchObject([{ name: 'default', signed_in: true }, {}]);
  });

  it('takes the place of a stored credential, and the other way round', async () => {
    const stdin = { stdin: 'pat_other\n' };
    const line = `auth login --base-url ${t.baseUrl} --token-stdin`;
    await t.run(line, stdin);
    await login();
    for (const name of ['credentials.json', 'credentials.json.bak'])
      expect(t.text(`config/${name}`)).not.toContain('pat_other');
    await t.run(line, stdin);
    expect(settings()).not.toHaveProperty('token_command');
    await login();
    expect((await t.run('auth logout --yes')).stdout).toContain('removed');
    expect(settings()).toEqual({ base_url: t.baseUrl, workspace: 7 });
    expect((await t.run('members list')).exit).toBe(3);
  });

  it.each([
    ['exit 3', 'Its exit code was 3.'],
    ['no-such-program-of-mine', 'Its exit code was 127.'],
    ['true', 'It printed nothing.'],
    ['printf "\\n \\n"', 'It printed nothing.'],
    ['CAT; echo second', 'It printed 2 lines.'],
    ['printf "two words"', 'What it printed is not a token.'],
    ['yes', 'It printed more than 64 KiB.'],
    ['CAT; exit 1', 'Its exit code was 1.'],
    ['CAT >&2; echo "{\\"token\\": \\"$(CAT)\\"}"', 'What it printed is not a token.'],
    ['CAT; kill -9 $$', 'It was ended by SIGKILL.'],
    ['CAT >&2; exit 1', 'Its exit code was 1.'],
    ['echo "token=hvs.$(CAT), $(CAT)." >&2', 'It printed nothing.'],
    ['echo "a1b2!c3d4!hunter2"; echo "took a1b2!c3d4!hunter2" >&2; exit 1', 'Its exit code was 1.'],
    ['echo "word: hunter2-hunter"; echo "hunter2-hunter is it" >&2', 'What it printed is not a token.'],
  ])('%s: exit 3, nothing stored, and nothing of it shown', async (text, reason) => {
    const { exit, stdout, stderr } = await login(text.replaceAll('CAT', `cat ${t.file('secret')}`), [
      '--json',
    ]);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'token_command', exit: 3, reason });
    expect([exit, t.requests, existsSync(t.file('config'))]).toEqual([3, [], false]);
    expect(stdout + stderr).not.toMatch(new RegExp(`${TOKEN}|hunter2`));
  });

  it('waits 30 seconds for it', async () => {
    const { exit, stderr } = await login('exec sleep 60', [], { clock: quickClock });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('It took longer than 30 s.')]);
  });

  it('passes on what it says on stderr, with its token masked', async () => {
    const { exit, stderr } = await login(`echo https://vault-1.example/v1 is open, ${TOKEN} >&2; ${command}`);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('https://vault-1.example/v1 is open, ***\n')]);
  });

  it('is run with the environment of ttctl, but for its credentials', async () => {
    const env = { TTCTL_CLIENT_SECRET: 'not-for-it', VAULT_ADDR: 'https://vault.example' };
    expect((await login(`env > ${t.file('env')}; ${command}`, [], { env })).exit).toBe(0);
    expect(t.text('env')).toContain('VAULT_ADDR=https://vault.example\n');
    expect(t.text('env')).not.toContain('not-for-it');
  });

  it.each([
    ['--token-stdin', 'cannot be used together'],
    ['--client-credentials', '--token-command needs no client id or secret'],
  ])('is not given with %s', async (flag, told) => {
    expect((await login(command, [flag])).stderr).toContain(told);
    expect(countRuns()).toBe(0);
  });
});

describe('the token of a command', () => {
  it('goes to the address of its profile alone', async () => {
    await login();
    const env = { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2' };
    const { exit, stderr } = await t.run('members list --json', { env });
    expect([exit, JSON.parse(stderr).error.code, countRuns()]).toEqual([2, 'wrong_origin', 1]);
    await t.read(['profile', 'set', '--profile', 'bare', '--token-command', command]);
    const useBare = () =>
      t.run('workspaces list --profile bare --json', { env: { TTCTL_BASE_URL: t.baseUrl } });
    const reason = 'The profile has no valid base_url.';
    expect(JSON.parse((await useBare()).stderr).error.reason).toBe(reason);
    const edited = JSON.parse(t.text('config/settings.json'));
    edited.profiles.bare.base_url = 'api.example.com';
    t.file('config/settings.json', JSON.stringify(edited));
    expect(JSON.parse((await useBare()).stderr).error.reason).toBe(reason);
    expect(countRuns()).toBe(1);
  });

  it('that is refused is not asked for again, and never renewed', async () => {
    await login();
    t.answer = () => ({ status: 401, body: { success: false, message: 'no' } });
    const { exit, stderr } = await t.run('members list');
    expect([exit, countRuns()]).toEqual([3, 2]);
    expect(stderr).toContain('The token came from token_command (profile default). Look at what the command');
    const refresh = await t.run('auth refresh');
    expect([refresh.exit, refresh.stderr]).toEqual([3, expect.stringContaining('there is nothing to renew')]);
    expect(countRuns()).toBe(2);
  });

  it('is not that of ttctl itself, for which it would begin again', async () => {
    await login();
    const { exit, stderr } = await t.run('members list', { env: { TTCTL_IN_TOKEN_COMMAND: '1' } });
    expect([exit, stderr]).toEqual([
      3,
      expect.stringContaining('It runs ttctl, which needs this token itself.'),
    ]);
  });

  it('is found in the environment first', async () => {
    await login();
    await t.read('workspaces list', { env: { TTCTL_TOKEN: 'pat_given' } });
    expect([t.requests.at(-1)?.headers.authorization, countRuns()]).toEqual(['Bearer pat_given', 1]);
  });
});
