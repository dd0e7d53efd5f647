import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createMinimalEnvironment, removeCredentials } from '../src/platform/child.ts';
import { useCli } from './support/use-cli.ts';
import { eventBody, post, startListener } from './support/webhooks.ts';

/** What programs that ttctl starts find in their environment: no credentials that they were not given on purpose. */

const CANARY = 'canary-77b0e2';
const SECRETS = {
  ...{ TTCTL_TOKEN: `${CANARY}-token`, TTCTL_CLIENT_SECRET: `${CANARY}-client` },
  ...{ TTCTL_WEBHOOK_TOKEN: `${CANARY}-webhook`, TTCTL_SANDBOX_SECRET: `${CANARY}-sandbox` },
};
const others = { DATABASE_URL: `${CANARY}-database`, LC_TIME: 'C', TMPDIR: tmpdir(), TTCTL_BASE_URL: '' };
const t = useCli({ env: { ...SECRETS, ...others } });

/** `NAME=value` of what the command saw; and what of it is secret. */
const seen = () => t.text('out').split('\n').filter(Boolean);
const secrets = () => seen().filter((line) => line.includes(CANARY));

describe.runIf(process.platform !== 'win32')('the command of webhooks', () => {
  const receive = async (...args: string[]) => {
    const write = `env > '${t.file('out')}'`;
    const { url, ended } = await startListener(['--exec', write, '--limit', '1', ...args], t.processEnv());
    await post(url, eventBody('a'), { 'webhook-id': 'm1' });
    return ended;
  };

  it('listen gets a small environment, the facts, and no credentials', async () => {
    expect((await receive()).exit).toBe(0);
    const names = seen().map((line) => line.split('=', 1)[0] ?? '');
    const facts = ['DELIVERY_ID', 'EVENT', 'RECEIVED_AT', 'REPEAT', 'REPLAY', 'SIGNATURE'];
    const expected = [
      'HOME',
      'LANG',
      'LC_TIME',
      'PATH',
      'TMPDIR',
      'TZ',
      ...facts.map((name) => `TTCTL_${name}`),
    ];
    // What a shell sets by itself.
    const shell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
    expect(names.filter((name) => !shell.includes(name)).sort()).toEqual(expected.sort());
    expect([secrets(), seen()]).toEqual([[], expect.arrayContaining(['TTCTL_DELIVERY_ID=m1'])]);
  });

  it('replay too; --pass-env passes what it names', async () => {
    const [database, token] = [`DATABASE_URL=${CANARY}-database`, `TTCTL_TOKEN=${CANARY}-token`];
    await receive('--pass-env', 'DATABASE_URL', '--pass-env', 'TTCTL_TOKEN');
    expect(secrets().sort()).toEqual([database, token]);
    for (const [flags, passed] of [
      ['', []],
      ['--pass-env DATABASE_URL', [database]],
    ] as const) {
      expect((await t.process(`webhooks replay m1 --exec "env > out" ${flags}`)).exit).toBe(0);
      expect(secrets()).toEqual(passed);
    }
  });

  it.each([
    ['--exec true --pass-env NO_SUCH_NAME', '--pass-env: there is no variable NO_SUCH_NAME'],
    ['--forward http://127.0.0.1:1/ --pass-env DATABASE_URL', '--pass-env needs --exec'],
  ])('is not begun with what cannot be passed: %s', async (flags, told) => {
    const { exit, stderr } = await t.run(`webhooks listen --port 0 --limit 1 ${flags}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(told)]);
    expect(stderr).not.toContain(CANARY);
  });
});

describe.runIf(process.platform !== 'win32')('other programs', () => {
  it('sandbox exec hands out what belongs to its sandbox, and nothing of the real service', async () => {
    const { exit, stdout } = await t.process('sandbox exec -- env');
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^TTCTL_TOKEN=sbx_/m)]);
    expect(stdout).toContain(`DATABASE_URL=${CANARY}-database`);
    for (const value of Object.values(SECRETS)) expect(stdout).not.toContain(value);
  });

  it.runIf(existsSync('/proc/self/environ'))('a sandbox in the background holds no credentials', async () => {
    const { pid } = JSON.parse((await t.process('sandbox start --detach --port 0 --json')).stdout);
    try {
      const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
      expect(environ).toContain('HOME=');
      for (const value of Object.values(SECRETS)) expect(environ).not.toContain(value);
    } finally {
      await t.process('sandbox stop');
    }
  });
});

it('names of Windows are known in any case, and a token that is not there has no day', () => {
  const known = { Path: 'p', SystemRoot: 'r', ComSpec: 'c', Wanted: 'w' };
  const env = { ...known, ttctl_token: 't', Other: 'o' };
  expect(createMinimalEnvironment(env, 'win32', ['WANTED'])).toEqual(known);
  expect(createMinimalEnvironment(env, 'linux', ['WANTED'])).toEqual({});
  expect(removeCredentials({ ...env, TTCTL_TOKEN_CREATED: '2026-08-01' })).toEqual({ ...known, Other: 'o' });
});
