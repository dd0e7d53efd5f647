import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from 'vitest';
import { useCli } from '../support/use-cli.ts';

/**
 * Stored settings that are wrong: exit 2 with the place, and the commands that show, change and examine them are the way
 * out, so they work. And the zone of this machine, as `TZ` says it (R19).
 */

const t = useCli({ env: { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '', TTCTL_RATE_LIMIT: '' } });
const { run } = t;
let file: string;
beforeEach(() => {
  file = t.file('config/settings.json', '');
  chmodSync(file, 0o600);
});

const store = (profile: object, more: object = {}) =>
  t.file(
    'config/settings.json',
    JSON.stringify({ version: 1, profiles: { work: profile, spare: {} }, current_profile: 'work', ...more }),
  );

const WRONG = { base_url: 'foo', output: 'xml', rate_limit: 'x', timezone: 'Mars/X', workspace: 7 };
const finding = (stdout: string, check: string) =>
  (JSON.parse(stdout) as Record<string, string>[]).filter((one) => one['check'] === check);

it('a profile that was protected says so, until it is said whether it may write', async () => {
  store({ protected: true });
  const words = 'warning: profile work is no longer protected.';
  expect((await run('profile list')).stderr).toContain(words);
  expect((await run('profile set --profile work --no-read-only')).exit).toBe(0);
  expect((await run('profile list')).stderr).not.toContain(words);
});

describe('values of a profile that are wrong', () => {
  beforeEach(() => store(WRONG));

  it('are told together, with profile, file and the way out of each', async () => {
    const { stderr, exit } = await run('members list');
    expect(exit).toBe(2);
    for (const name of ['base_url', 'output', 'rate_limit']) {
      const line = stderr.split('\n').find((text) => text.includes(`"${name}" of profile work`));
      expect(line).toContain(`It is set in ${file}.`);
      const way = `ttctl profile set --profile work --${name.replace('_', '-')} <value>`;
      expect(line).toContain(`Change it with: ${way}`);
    }
    const json = await run('members list --json');
    expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({ exit: 2 });
  });

  it.each(['profile list', 'profile show', 'profile use sandbox', 'profile remove spare --yes'])(
    'do not keep %s from its work, which says what is wrong',
    async (line) => {
      const { stderr, stdout, exit } = await run(line);
      expect([exit, stdout]).toEqual([0, expect.stringMatching(/./)]);
      for (const name of ['base_url', 'output', 'rate_limit', 'timezone'])
        expect(stderr).toContain(`"${name}" of profile work`);
    },
  );

  it('can be mended one by one', async () => {
    const set = (flags: string) => run(`profile set --profile work ${flags}`);
    for (const flag of ['--output table', '--rate-limit off', '--timezone Europe/Lisbon'])
      expect((await set(flag)).exit).toBe(0);
    expect((await set('--base-url bar')).exit).toBe(2);
    const base_url = 'https://a.example/api/v2';
    expect(await set(`--base-url ${base_url}`)).toMatchObject({ exit: 0, stderr: '' });
    const mended = { base_url, output: 'table', rate_limit: 'off', timezone: 'Europe/Lisbon', workspace: 7 };
    expect(JSON.parse(t.text('config/settings.json')).profiles.work).toMatchObject(mended);
  });

  it('are findings of doctor', async () => {
    const { stdout, exit } = await run('doctor --json');
    const wrong = finding(stdout, 'settings').filter(({ state }) => state === 'problem');
    const names = wrong.map(({ found = '' }) => /"(\w+)" of profile work/.exec(found)?.[1]);
    expect([exit, names]).toEqual([10, ['base_url', 'rate_limit', 'timezone']]);
  });
});

it.each(['--date-from today', '--date-from today --date-to today', '--period last-week'])(
  'a zone of the profile that is none is not laid to the flag that needs a zone: %s',
  async (flags) => {
    store({ timezone: 'Mars/X', base_url: 'http://127.0.0.1:9' });
    const env = { TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7' };
    const { stderr, exit } = await run(`timesheets list ${flags}`, { env });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^error: "timezone" of profile work has an unknown time zone: "Mars\/X"\n/);
    expect(stderr).toContain('ttctl profile set --profile work --timezone <value>');
  },
);

it('a current profile that is gone does not keep anybody from choosing another', async () => {
  store({}, { current_profile: 'gone' });
  expect((await run('members list')).exit).toBe(2);
  const told = expect.stringContaining('there is no profile "gone"');
  expect(await run('profile list')).toMatchObject({ exit: 0, stderr: told });
  expect((await run('profile use spare')).exit).toBe(0);
  expect(await run('profile list')).toMatchObject({ exit: 0, stderr: '' });
});

describe('a settings file that cannot be read', () => {
  const [uid, setUser] = [process.geteuid?.(), process.seteuid];
  it.runIf(isMainThread && setUser !== undefined)('may not be read', async () => {
    store({});
    for (const path of [t.folder, dirname(file)]) chmodSync(path, 0o755);
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

  it.each([['is broken'], ['is a directory']])('is examined by doctor: it %s', async (how) => {
    t.file('config/settings.json', '{"version":1,"profiles":{');
    if (how === 'is a directory') {
      rmSync(file);
      mkdirSync(file);
    }
    const { stdout, stderr, exit } = await run('doctor --json');
    const problem = expect.objectContaining({ state: 'problem', found: expect.stringContaining(file) });
    expect(finding(stdout, 'settings file')).toEqual([problem]);
    expect(finding(stdout, 'address')).toMatchObject([{ state: 'warning' }]);
    expect([exit, stderr]).toEqual([10, '']);
  });
});

it.each<[tz: string, zone: string, warning?: RegExp]>([
  ['Europe/Berlin', 'Europe/Berlin'],
  [':/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
  ['/usr/share/zoneinfo/posix/Asia/Kolkata', 'Asia/Kolkata'],
  ['UTC+3', '-03:00'],
  ['<-03>3', '-03:00'],
  ['EST5', '-05:00'],
  ['IST-14', '+14:00'],
  ['UTC0', 'UTC'],
  ['UTC+5:30', '-05:30'],
  ['<+0545>-05:45', '+05:45'],
  ['Europ/Berlin', 'UTC', /^warning: TZ=Europ\/Berlin is not a time zone/],
  ['UTC+99', 'UTC', /^warning: TZ=UTC\+99 is not a time zone/],
])('R19 TZ=%s is %s', async (TZ, zone, warning = /^$/) => {
  rmSync(file);
  const { stdout, stderr } = await run('profile show --json', { env: { TZ } });
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ setting: 'timezone', value: zone }));
  expect(stderr).toMatch(warning);
});

const START = 'time-requests create --member 17 --contract 3 --start';

it.each([
  ['UTC+3', 'profile show', 'TZ=UTC+3 is read as −03:00, without summer time.'],
  [
    'UTC-5:30',
    `${START} 2026-11-20T09:00 --end 2026-11-20T10:00 --dry-run`,
    'TZ=UTC-5:30 is read as +05:30, without',
  ],
  [
    'Europe/Berlin',
    `${START} 2026-10-25T02:30 --end 2026-10-25T05:00 --dry-run`,
    '2026-10-25T02:30 comes twice in Europe/Berlin: the first is meant, +02:00. For the second, add +01:00.',
  ],
])('R19 what is not plain is told once: TZ=%s %s', async (TZ, line, note) => {
  rmSync(file);
  const place = { TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7', TTCTL_BASE_URL: 'http://127.0.0.1:9' };
  const { stderr } = await run(line, { env: { TZ, ...place } });
  expect(stderr.split(note)).toHaveLength(2);
});
