import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getCacheFile } from '../../src/completion/cache.ts';
import { inspectLocation } from '../../src/doctor/places.ts';
import { RECORD_KINDS } from '../../src/resources/kinds.ts';
import { openDrafts, openReasons } from '../../src/runtime/review-files.ts';
import { holdsOnlyOurs } from '../../src/storage/folders.ts';
import { toDelivery } from '../../src/webhooks/delivery.ts';
import { createProgressStore, NEW } from '../../src/webhooks/progress.ts';
import { createDeliveryStore } from '../../src/webhooks/store.ts';
import { cleanHome, finished, type Home, runBinary, startBinary } from '../support/binary.ts';
import { envelope, onePage, type Recorder, startRecorder } from '../support/recorder.ts';

/** Folders of our state that others may write in. */

let home: Home;
let recorder: Recorder;
let state: string;
beforeEach(async () => {
  recorder = await startRecorder(({ line }) => ({
    ...(line.includes('/refused1/') ? { status: 422 } : {}),
    body: line.startsWith('GET')
      ? onePage(line.startsWith('GET /workspaces') ? [{ id: 7 }] : [])
      : envelope(null),
  }));
  home = cleanHome({
    TTCTL_TOKEN: 'token-of-a-test',
    TTCTL_WORKSPACE: '7',
    TTCTL_BASE_URL: recorder.baseUrl,
  });
  state = join(home.folder, '.local', 'state', 'ttctl');
});
afterEach(async () => {
  await recorder.close();
  home.remove();
});

const run = (line: string) => {
  const child = startBinary(line.split(' '), { env: home.env });
  child.stderr?.on('data', (text) => String(text).includes('Ctrl-C') && child.kill('SIGINT'));
  return finished(child);
};
const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const folderOf = (name: string, bits: number): string => {
  const folder = join(state, name);
  mkdirSync(folder, { recursive: true });
  for (const path of [state, folder]) chmodSync(path, bits);
  return folder;
};
const warned = (path: string, to: string): string =>
  `warning: others could write to ${path}; its mode is now 0${to}`;

it.skipIf(process.platform === 'win32').each([
  ['limits', 'members list --json', 0o777],
  ['limits', 'members list --json', 0o775],
  ['jobs', 'timesheets approve a1 a2 --yes --json', 0o777],
  ['webhooks', 'webhooks listen --port 0', 0o777],
])('%s is closed and told of: %s, mode %o', async (name, line, bits) => {
  const folder = folderOf(name, bits);
  const { stderr } = await run(line);
  expect(stderr).toContain(warned(folder, '700'));
  expect(stderr).toContain(warned(state, '755'));
  expect([mode(folder), mode(state)]).toEqual(['700', '755']);
  expect((await run('members list --json')).stderr).toBe('');
});

it.runIf(process.getuid?.() === 0)('limits of somebody else are not used, and the list goes on', async () => {
  const folder = folderOf('limits', 0o755);
  chownSync(folder, 4242, 4242);
  const { exit, stderr } = await run('members list --json');
  expect({ exit, stderr }).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('belongs to another user'),
  });
});

it.skipIf(process.platform === 'win32')('the state is closed by whatever uses it, once', async () => {
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o777);
  const { exit, stderr } = await run('history list --json');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: `${warned(state, '755')}\n` });
  expect(mode(state)).toBe('755');
  expect((await run('history list --json')).stderr).toBe('');
});

it.skipIf(process.platform === 'win32')('so is the folder of settings that are stored', async () => {
  const config = join(home.folder, '.config', 'ttctl');
  mkdirSync(config, { recursive: true });
  chmodSync(config, 0o777);
  expect((await run('--profile other profile set --timezone UTC')).stderr).toContain(warned(config, '700'));
  expect(mode(config)).toBe('700');
});

it.runIf(process.getuid?.() === 0)('the state of somebody else is told of, and stays as it is', async () => {
  mkdirSync(state, { recursive: true, mode: 0o777 });
  chmodSync(state, 0o777);
  chownSync(state, 4242, 4242);
  for (const line of ['members list --json', 'history list --json', 'members archive 1 --yes --json']) {
    const { exit, stderr } = await run(line);
    expect({ exit, stderr }, line).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(
        `warning: ${state} belongs to another user. Set TTCTL_STATE_DIR to another directory, or run ttctl as that user.`,
      ),
    });
  }
  expect(mode(state)).toBe('777');
  // Root in a container works for whoever owns the home.
  chownSync(home.folder, 4242, 4242);
  chmodSync(state, 0o700);
  expect((await run('history list --json')).stderr).toBe('');
});

describe.skipIf(process.platform === 'win32')('doctor tells of the state and leaves it as it is', () => {
  const findState = async () => {
    const rows: readonly Record<string, string>[] = JSON.parse((await run('doctor --json')).stdout);
    const { state: verdict, found, advice } = rows.find(({ check }) => check === 'state directory') ?? {};
    return { verdict, found, advice };
  };

  it('that others may write in', async () => {
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o777);
    expect(await findState()).toEqual({
      verdict: 'warning',
      found: `${state} (directory, 777): others can write to it`,
      advice: `Check its contents, then run: chmod go-w ${state}`,
    });
    expect(mode(state)).toBe('777');
  });

  it('that all users share', async () => {
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o1777);
    expect(await findState()).toEqual({
      verdict: 'warning',
      found: `${state} (directory, 777): all users share it`,
      advice: 'Set TTCTL_STATE_DIR to a private directory.',
    });
    expect(mode(state)).toBe('1777');
  });

  it('that a link leads to', async () => {
    const target = join(home.folder, 'elsewhere');
    mkdirSync(target, { mode: 0o700 });
    mkdirSync(dirname(state), { recursive: true });
    symlinkSync(target, state);
    expect(await findState()).toMatchObject({ verdict: 'ok', found: `${state} (link to a directory, 700)` });
    chmodSync(target, 0o755);
    expect(await findState()).toMatchObject({
      verdict: 'warning',
      found: `${state} (link to a directory, 755)`,
      advice: `If only ttctl uses it, make it private: chmod 700 ${state}`,
    });
    rmSync(target, { recursive: true });
    expect(await findState()).toMatchObject({
      verdict: 'problem',
      found: `${state} (link to nothing)`,
    });
  });

  it.runIf(process.getuid?.() === 0)('that belongs to somebody else', async () => {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    chownSync(state, 4242, 4242);
    expect(await findState()).toEqual({
      verdict: 'problem',
      found: `${state} (directory, 700) belongs to another user`,
      advice: 'Set TTCTL_STATE_DIR to another directory, or run ttctl as that user.',
    });
  });

  it.runIf(process.getuid?.() === 0)('that root left open to all, which its user cannot close', () => {
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o777);
    const { geteuid } = process;
    process.geteuid = () => 4242;
    try {
      expect(inspectLocation('state directory', state)).toMatchObject({
        state: 'warning',
        advice: 'Set TTCTL_STATE_DIR to a private directory.',
      });
    } finally {
      Object.assign(process, { geteuid });
    }
  });
});

it('a folder that all users share stays as it is', async () => {
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o1777);
  expect(await run('members list --json')).toMatchObject({ exit: 0, stderr: '' });
  expect(mode(state)).toBe('1777');
});

describe.skipIf(process.platform === 'win32')('what holds files of others keeps its mode', () => {
  it('the state, with a warning', async () => {
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'budget.ods'), '');
    chmodSync(state, 0o2775);
    const { exit, stderr } = await run('members get 103 --json');
    expect(stderr).toContain(
      `warning: ${state} can be written to by others. Set TTCTL_STATE_DIR to a private directory.`,
    );
    expect([exit === 2, mode(state)]).toEqual([false, '2775']);
    expect(inspectLocation('state directory', state)).toMatchObject({
      advice: 'Set TTCTL_STATE_DIR to a private directory.',
    });
  });

  it.each([
    [0o755, 0],
    [0o2775, 2],
  ])('its jobs, with mode %o', async (bits, exit) => {
    mkdirSync(join(state, 'jobs'), { recursive: true });
    writeFileSync(join(state, 'jobs', 'nightly.sh'), '');
    chmodSync(join(state, 'jobs'), bits);
    const ended = await run('members archive 1 --yes --json');
    expect(ended.stderr.includes('others can write to')).toBe(exit !== 0);
    expect(mode(join(state, 'jobs'))).toBe(bits.toString(8));
  });

  it('but one of ours is closed, and stays in its group', async () => {
    mkdirSync(join(state, 'jobs'), { recursive: true, mode: 0o700 });
    chmodSync(state, 0o2775);
    expect((await run('history list --json')).stderr).toBe(`${warned(state, '2755')}\n`);
    expect(mode(state)).toBe('2755');
  });
});

/** Whether a folder with this name alone in it is one of ours. */
const isOurs = (name: string): boolean => {
  const folder = join(home.folder, 'only');
  mkdirSync(folder);
  writeFileSync(join(folder, name), '');
  try {
    return holdsOnlyOurs(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Ids, digests and times in a name, each as its kind. */
const kindOf = (name: string): string =>
  name
    .replace(/[0-9a-f]{32,}/, 'DIGEST')
    .replace(/^\d{4}-\d\d-\d\dT\d+Z-\d+/, 'TIME')
    .replace(/^[0-9a-f]{16}\.\d+-\d+$/, 'WINDOW')
    .replace(/^\d{8}(-\d{4}-[a-z]{3,})?/, (_all, run) => (run === undefined ? 'DAY' : 'RUN'))
    .replace(/^[0-9a-f]{8,}-v.*$/, 'BUILD');

/** What is in each directory of ours once everything has been made that there is. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  config: [
    'cache.key',
    'credentials.json',
    'credentials.json.lock',
    'settings.json',
    'settings.json.bak',
    'settings.json.lock',
  ],
  state: ['faults', 'inbox', 'jobs', 'limits', 'sandbox', 'sandbox.json', 'webhooks'],
  'state/faults': ['TIME.txt'],
  'state/inbox': ['drafts.json', 'reasons.json'],
  'state/jobs': ['DAY.jsonl', 'RUN.failed.csv', 'RUN.jsonl', 'RUN.lock', 'plan-DIGEST.lock'],
  'state/limits': ['WINDOW'],
  'state/sandbox': [
    'sandbox-snapshots',
    'world.json',
    'world.json.limits',
    'world.json.lock',
    'world.json.log',
  ],
  'state/webhooks': ['delivery.DIGEST.json', 'delivery.DIGEST.state', 'forwarding.lock'],
  cache: ['code', 'completion'],
};

it.skipIf(process.platform === 'win32')(
  'everything that is made in our directories is known as ours',
  async () => {
    const plan = join(home.folder, 'plan');
    const rows = join(home.folder, 'rows.csv');
    writeFileSync(rows, 'id\nrefused1\na2\n');
    const lines = [
      '--profile other profile set --timezone UTC',
      '--profile other profile set --timezone Asia/Tokyo',
      'workspaces list --json',
      'members list --json',
      'members archive 1 --yes --json',
      `timesheets approve --from-file ${rows} --yes --json`,
      `timesheets approve a1 a2 --plan ${plan}`,
      `plan apply ${plan} --yes`,
      'webhooks listen --port 0 --exec true',
      '--profile sandbox --workspace 101 members list --json',
      '--profile sandbox sandbox snapshot save one',
      '--profile sandbox sandbox start --port 0 --detach',
    ];
    // Nothing is kept for completion where nobody has worked at a terminal.
    mkdirSync(join(home.folder, '.cache', 'ttctl', 'completion'), { recursive: true, mode: 0o700 });
    for (const line of lines) await run(line);
    await runBinary(
      ['auth', 'login', '--profile', 'signed', '--base-url', recorder.baseUrl, '--token-stdin'],
      {
        env: home.env,
        input: 'another-token-of-a-test',
      },
    );
    const [config, cache] = [join(home.folder, '.config', 'ttctl'), join(home.folder, '.cache', 'ttctl')];
    const directories: Readonly<Record<string, string>> = { config, state, cache };
    const pathOf = (name: string): string => {
      const [first = '', ...rest] = name.split('/');
      return join(directories[first] ?? '', ...rest);
    };
    try {
      openReasons(state).replace('place', { place: 'place', reasons: ['late'] });
      openDrafts(state).replace('place', { place: 'place', saved_at: 0, decisions: [] });
      const request = { method: 'POST', target: '/', headers: [], body: Buffer.from('{}') };
      const delivery = toDelivery(request, 0, () => ({ state: 'unchecked' }));
      createDeliveryStore(join(state, 'webhooks'), { warn: () => {} }).keep(delivery);
      createProgressStore(join(state, 'webhooks'), { warn: () => {} }).write(delivery.key, NEW);
      mkdirSync(join(state, 'faults'), { mode: 0o700 });
      writeFileSync(join(state, 'faults', '2026-11-21T125700000Z-12.txt'), '');
      for (const [name, kinds] of Object.entries(KINDS)) {
        const folder = pathOf(name);
        const names = readdirSync(folder);
        expect([name, [...new Set(names.map(kindOf))].sort()]).toEqual([name, kinds]);
        expect(names.filter((one) => !isOurs(one))).toEqual([]);
        // What a killed process leaves of a write.
        const files = names.filter(
          (one) => statSync(join(folder, one)).isFile() && !/^\d+\.jsonl$|\.\d+-\d+$/.test(one),
        );
        for (const ending of ['.12.0.tmp', '.12.0.bak.tmp'])
          expect(files.map((one) => one + ending).filter((one) => !isOurs(one))).toEqual([]);
      }
      const completion = join(cache, 'completion');
      const known = readdirSync(completion, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('.json'),
      );
      expect(new Set(known.map((path) => basename(path)))).toEqual(new Set(['workspace.json']));
      const kept = RECORD_KINDS.map((kind) =>
        basename(getCacheFile(completion, kind, kind === 'workspace' ? undefined : '7')),
      );
      expect(kept.flatMap((one) => [one, `${one}.12.0.tmp`]).filter((one) => !isOurs(one))).toEqual([]);
      expect(isOurs('delivery.trial.12.0.tmp')).toBe(true);
    } finally {
      await run('--profile sandbox sandbox stop');
    }
  },
);

it.skipIf(process.platform === 'win32')('doctor moves no device away', () => {
  expect(inspectLocation('state directory', '/dev/null').advice).toBe(
    'Set TTCTL_STATE_DIR to another directory.',
  );
  expect(inspectLocation('settings file', '/dev/null').advice).toBe('Use a regular file instead.');
});

it('settings that are far too large are not read', async () => {
  const file = join(home.folder, '.config', 'ttctl', 'settings.json');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, Buffer.alloc(17 * 1024 * 1024, ' '), { mode: 0o600 });
  const { exit, stderr } = await run('members list');
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('it is too large') });
});
