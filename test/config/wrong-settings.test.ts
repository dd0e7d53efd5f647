import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';

/**
 * Stored settings that are wrong: exit 2 with the place, and the commands that show, change
 * and examine them are the way out, so they work.
 */

let folder: string;
let file: string;
beforeEach(() => {
  folder = makeFolder();
  file = join(folder, 'settings.json');
});
afterEach(() => chmodSync(folder, 0o700));

const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
  runInProcess(words(line), {
    env: { TTCTL_CONFIG_DIR: folder, TTCTL_STATE_DIR: join(folder, 'state'), ...more },
  });

const store = (profile: object, more: object = {}) =>
  writeFileSync(
    file,
    JSON.stringify({ version: 1, profiles: { work: profile, spare: {} }, current_profile: 'work', ...more }),
    { mode: 0o600 },
  );

const WRONG = { base_url: 'foo', output: 'xml', rate_limit: 'x', timezone: 'Mars/X', workspace: 7 };

describe('values of a profile that are wrong', () => {
  beforeEach(() => store(WRONG));

  it('are told together, with profile, file and the way out of each', async () => {
    const { stderr, exit } = await run('members list');
    expect(exit).toBe(2);
    for (const [name, flag] of [
      ['base_url', 'base-url'],
      ['output', 'output'],
      ['rate_limit', 'rate-limit'],
    ]) {
      const line = stderr.split('\n').find((text) => text.includes(`"${name}" of profile work`));
      expect(line).toContain(`It is set in ${file}.`);
      expect(line).toContain(`Change it with: ttctl profile set --profile work --${flag} <value>`);
    }
    const json = JSON.parse((await run('members list --json')).stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(json.error).toMatchObject({ exit: 2 });
  });

  it.each(['profile list', 'profile show', 'profile use sandbox', 'profile remove spare --yes'])(
    'do not keep %s from its work, which says what is wrong',
    async (line) => {
      const { stderr, stdout, exit } = await run(line);
      expect(exit).toBe(0);
      expect(stdout).not.toBe('');
      for (const name of ['base_url', 'output', 'rate_limit', 'timezone']) {
        expect(stderr).toContain(`"${name}" of profile work`);
      }
    },
  );

  it('can be mended one by one', async () => {
    for (const flag of ['--output table', '--rate-limit off', '--timezone Europe/Lisbon']) {
      expect((await run(`profile set --profile work ${flag}`)).exit).toBe(0);
    }
    expect((await run('profile set --profile work --base-url bar')).exit).toBe(2);
    const { exit, stderr } = await run('profile set --profile work --base-url https://a.example/api/v2');
    expect([exit, stderr]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles.work).toMatchObject({
      base_url: 'https://a.example/api/v2',
      output: 'table',
      rate_limit: 'off',
      timezone: 'Europe/Lisbon',
      workspace: 7,
    });
  });

  it('are findings of doctor', async () => {
    const { stdout, exit } = await run('doctor --json');
    const found: { check: string; state: string; found: string }[] = JSON.parse(stdout);
    const wrong = found.filter(({ check, state }) => check === 'settings' && state === 'problem');
    expect(wrong.map((one) => /"(\w+)" of profile work/.exec(one.found)?.[1])).toEqual([
      'base_url',
      'rate_limit',
      'timezone',
    ]);
    expect(exit).toBe(10);
  });
});

describe('a zone of the profile that is none', () => {
  it('is not laid to the flag that needs a zone', async () => {
    store({ timezone: 'Mars/X', base_url: 'http://127.0.0.1:9' });
    for (const line of ['--date-from today', '--date-from today --date-to today', '--period last-week']) {
      const { stderr, exit } = await run(`timesheets list ${line}`, {
        TTCTL_TOKEN: 'x',
        TTCTL_WORKSPACE: '7',
      });
      expect(exit).toBe(2);
      expect(stderr).toMatch(/^error: "timezone" of profile work has an unknown time zone: "Mars\/X"\n/);
      expect(stderr).toContain('ttctl profile set --profile work --timezone <value>');
    }
  });
});

it('a current profile that is gone does not keep anybody from choosing another', async () => {
  store({}, { current_profile: 'gone' });
  expect((await run('members list')).exit).toBe(2);
  const listed = await run('profile list');
  expect([listed.exit, listed.stderr]).toEqual([0, expect.stringContaining('there is no profile "gone"')]);
  expect((await run('profile use spare')).exit).toBe(0);
  expect(await run('profile list')).toMatchObject({ exit: 0, stderr: '' });
});

describe('a settings file that cannot be read', () => {
  it('is a directory', async () => {
    mkdirSync(file);
    const { exit, stdout, stderr } = await run('members list');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(`error: refusing to read ${file}: it is not a regular file\n`);
    expect(stderr).toContain(`hint: Move it away: mv ${file} ${file}.old\n`);
  });

  const [uid, setUser] = [process.geteuid?.(), process.seteuid];
  it.runIf(isMainThread && setUser !== undefined)('may not be read', async () => {
    store({});
    chmodSync(folder, 0o755);
    chmodSync(file, 0o000);
    if (uid === 0) setUser?.(65534);
    try {
      const { exit, stderr } = await run('members list');
      expect(exit).toBe(2);
      expect(stderr).toContain('permission denied');
      expect(stderr).toContain('hint: Make it and its parent directories readable');
    } finally {
      if (uid === 0) setUser?.(0);
    }
  });

  it.each([
    ['is broken', () => writeFileSync(file, '{"version":1,"profiles":{', { mode: 0o600 })],
    ['is a directory', () => mkdirSync(file)],
  ])('is examined by doctor: it %s', async (_name, spoil) => {
    spoil();
    const { stdout, stderr, exit } = await run('doctor --json');
    const found: { check: string; state: string; found: string; advice: string }[] = JSON.parse(stdout);
    expect(found.filter(({ check }) => check === 'settings file')).toEqual([
      expect.objectContaining({ state: 'problem', found: expect.stringContaining(file) }),
    ]);
    expect(found.find(({ check }) => check === 'address')).toMatchObject({ state: 'warning' });
    expect([exit, stderr]).toEqual([10, '']);
  });
});
