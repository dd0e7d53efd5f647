import { describe, expect, it } from 'vitest';
import { Cancelled, EXIT, OutputClosed } from '../src/errors.ts';
import { wantsJson } from '../src/main.ts';
import { runInProcess } from './support/in-process.ts';
import { ask } from './support/use-cli.ts';

/** A command line to its exit code, by values alone. */

describe('errors are JSON', () => {
  it.each([
    ['members list --json', {}, true],
    ['members list -o json', {}, true],
    ['members list -ojson', {}, true],
    ['-qo json members list', {}, true],
    ['members list -nqojson', {}, true],
    ['members list -qo csv', { TTCTL_OUTPUT: 'json' }, false],
    ['api -io json /x', {}, true],
    ['api -iqojson /x', {}, true],
    ['api -Hfoo:bar /x', { TTCTL_OUTPUT: 'json' }, true],
    ['members list --output=ndjson', {}, true],
    ['members list --query [].id', {}, true],
    ['members list --query=[].id', {}, true],
    ['members list --query [].id -o csv', {}, false],
    ['members list', { TTCTL_OUTPUT: 'json' }, true],
    ['members list -o table', { TTCTL_OUTPUT: 'json' }, false],
    ['members list', { TTCTL_OUTPUT: 'csv' }, false],
    ['members get -- --json', {}, false],
    ['members list -o', {}, false],
    ['members list', {}, false],
  ])('for %j with %j: %s', (line, env, expected) => {
    expect(wantsJson(line.split(' '), env)).toBe(expected);
  });
});

describe('a run', () => {
  it('in which something unforeseen breaks is exit 1: one line, how to report it, no stack', async () => {
    const now = () => {
      throw new TypeError('the clock is gone');
    };
    const machine = { clock: { now, random: () => 0, sleep: async () => {} } };
    const ended = await runInProcess(['profile', 'list'], { machine });
    expect(ended.exit).toBe(1);
    expect(ended.stderr).toMatch(/^error: TypeError: the clock is gone\nhint: .*report/);
    expect(ended.stderr).not.toContain('    at ');
    const json = await runInProcess(['profile', 'list', '--json'], { machine });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'unexpected', exit: 1 } });
    const debug = await runInProcess(['profile', 'list', '--debug'], { machine });
    expect(debug.stderr).toContain('    at ');
  });

  it('whose reader has gone is exit 0 and says nothing', async () => {
    const stdout = { isTTY: false, write: () => Promise.reject(new OutputClosed(undefined)) };
    for (const args of [
      ['profile', 'list'],
      ['profile', 'list', '--json'],
      ['members', '--help'],
    ]) {
      expect(await runInProcess(args, { machine: { stdout } })).toMatchObject({ exit: 0, stderr: '' });
    }
  });

  it('whose stderr cannot be written still has its exit code', async () => {
    const stderr = { isTTY: false, write: () => Promise.reject(new Error('full')) };
    expect((await runInProcess(['members', 'get', '..'], { machine: { stderr } })).exit).toBe(2);
  });

  it('that was interrupted before it began sends nothing', async () => {
    const controller = new AbortController();
    controller.abort(new Cancelled('terminated', EXIT.terminated));
    for (const line of ['members list', 'members restore 17']) {
      const { exit, lines } = await ask(line, {}, { interrupted: controller.signal });
      expect([exit, lines]).toEqual([143, []]);
    }
  });

  it.each([
    'canary-7f3a99d2',
    'help canary-7f3a99d2',
    'members list --canary-7f3a99d2',
    'members get 1 canary-7f3a99d2 --json',
    'members list --status canary-7f3a99d2',
    'members list -o canary-7f3a99d2',
    'members list --where canary-7f3a99d2(',
  ])('whose words are a secret of the environment does not repeat it: %s', async (line) => {
    const env = {
      TTCTL_TOKEN: 'canary-7f3a99d2',
      TTCTL_BASE_URL: 'http://127.0.0.1:1/api',
      TTCTL_WORKSPACE: '1',
    };
    const { stdout, stderr, exit } = await runInProcess(line.split(' '), { env });
    expect(exit).toBe(2);
    expect(stdout + stderr).toContain('***');
    expect(stdout + stderr).not.toContain('canary');
  });
});
