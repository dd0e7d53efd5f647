import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMinimalEnvironment, removeCredentials } from '../src/platform/child.ts';
import { makeFolder } from './support/folder.ts';
import { cleanHome, type Home, runBinary } from './support/process.ts';
import { eventBody, post, startListener } from './support/webhooks.ts';

/** What programs that ttctl starts find in their environment: no credentials that they were not given on purpose. */

const CANARY = 'canary-77b0e2';
const SECRETS = {
  TTCTL_TOKEN: `${CANARY}-token`,
  TTCTL_CLIENT_SECRET: `${CANARY}-client`,
  TTCTL_WEBHOOK_TOKEN: `${CANARY}-webhook`,
  TTCTL_SANDBOX_SECRET: `${CANARY}-sandbox`,
};

let home: Home;
let folder: string;
beforeEach(() => {
  home = cleanHome({ ...SECRETS, DATABASE_URL: `${CANARY}-database`, LC_TIME: 'C', TMPDIR: tmpdir() });
  folder = makeFolder();
});
afterEach(() => {
  home.remove();
});

/** `NAME=value` of what the command saw. */
const seenIn = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
const namesIn = (file: string): readonly string[] => seenIn(file).map((line) => line.split('=', 1)[0] ?? '');
const FACTS = [
  'TTCTL_EVENT',
  'TTCTL_DELIVERY_ID',
  'TTCTL_RECEIVED_AT',
  'TTCTL_SIGNATURE',
  'TTCTL_REPEAT',
  'TTCTL_REPLAY',
];
/** What a shell sets by itself. */
const SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_'];

describe.runIf(process.platform !== 'win32')('the command of webhooks', () => {
  const receive = async (out: string, args: readonly string[]) => {
    const { url, ended } = await startListener(
      ['--exec', `env > '${out}'`, '--limit', '1', ...args],
      home.env,
    );
    await post(url, eventBody('a'), { 'webhook-id': 'm1' });
    return ended;
  };

  it('listen gets a small environment, the facts, and no credentials', async () => {
    const out = join(folder, 'out');
    expect((await receive(out, [])).exit).toBe(0);
    expect(readFileSync(out, 'utf8')).not.toContain(CANARY);
    const names = namesIn(out).filter((name) => !SHELL.includes(name));
    expect([...names].sort()).toEqual(['HOME', 'LANG', 'LC_TIME', 'PATH', 'TMPDIR', 'TZ', ...FACTS].sort());
    expect(seenIn(out)).toContain('TTCTL_DELIVERY_ID=m1');
  });

  it('replay too; --pass-env passes what it names', async () => {
    const out = join(folder, 'out');
    await receive(out, ['--pass-env', 'DATABASE_URL', '--pass-env', 'TTCTL_TOKEN']);
    expect(seenIn(out)).toEqual(
      expect.arrayContaining([`DATABASE_URL=${CANARY}-database`, `TTCTL_TOKEN=${CANARY}-token`]),
    );
    expect(seenIn(out).filter((line) => line.includes(CANARY))).toHaveLength(2);
    const replay = (...args: string[]) =>
      runBinary(['webhooks', 'replay', 'm1', '--exec', `env > '${out}'`, ...args], { env: home.env });
    expect((await replay()).exit).toBe(0);
    expect(readFileSync(out, 'utf8')).not.toContain(CANARY);
    expect((await replay('--pass-env', 'DATABASE_URL')).exit).toBe(0);
    expect(seenIn(out).filter((line) => line.includes(CANARY))).toEqual([`DATABASE_URL=${CANARY}-database`]);
  });

  it.each([
    [['--exec', 'true', '--pass-env', 'NO_SUCH_NAME'], '--pass-env: there is no variable NO_SUCH_NAME'],
    [['--forward', 'http://127.0.0.1:1/', '--pass-env', 'DATABASE_URL'], '--pass-env needs --exec'],
  ])('is not begun with what cannot be passed: %j', async (args, words) => {
    const { exit, stderr } = await runBinary(['webhooks', 'listen', '--port', '0', '--limit', '1', ...args], {
      env: home.env,
    });
    expect(exit).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain(CANARY);
  });
});

describe.runIf(process.platform !== 'win32')('other programs', () => {
  it('sandbox exec hands out what belongs to its sandbox, and nothing of the real service', async () => {
    const { exit, stdout } = await runBinary(['sandbox', 'exec', '--', 'env'], { env: home.env });
    expect(exit).toBe(0);
    expect(stdout).toContain(`DATABASE_URL=${CANARY}-database`);
    for (const value of Object.values(SECRETS)) expect(stdout).not.toContain(value);
    expect(stdout).toMatch(/^TTCTL_TOKEN=sbx_/m);
  });

  it.runIf(existsSync('/proc/self/environ'))('a sandbox in the background holds no credentials', async () => {
    const { stdout } = await runBinary(['sandbox', 'start', '--detach', '--port', '0', '--json'], {
      env: home.env,
    });
    const { pid } = JSON.parse(stdout);
    try {
      const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
      expect(environ).toContain('HOME=');
      for (const value of Object.values(SECRETS)) expect(environ).not.toContain(value);
    } finally {
      await runBinary(['sandbox', 'stop'], { env: home.env });
    }
  });
});

describe('environments', () => {
  it('know the names of Windows in any case', () => {
    const env = { Path: 'p', SystemRoot: 'r', ComSpec: 'c', ttctl_token: 't', Other: 'o', Wanted: 'w' };
    expect(createMinimalEnvironment(env, 'win32', ['WANTED'])).toEqual({
      Path: 'p',
      SystemRoot: 'r',
      ComSpec: 'c',
      Wanted: 'w',
    });
    expect(createMinimalEnvironment(env, 'linux', ['WANTED'])).toEqual({});
    expect(removeCredentials(env)).not.toHaveProperty('ttctl_token');
  });

  it('say nothing of a token that they do not have', () => {
    expect(removeCredentials({ TTCTL_TOKEN: 't', TTCTL_TOKEN_CREATED: '2026-08-01', PATH: 'p' })).toEqual({
      PATH: 'p',
    });
  });
});
