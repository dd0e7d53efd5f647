import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanHome, finished, type Home, runBinary, startBinary } from '../support/binary.ts';

/** The built program and what V8 made of it in the cache, which may be lost at any time. */

let home: Home;
let code: string;
// The help of a command is made ready by the build: its parts are not needed for it.
const ARGS = ['profile', 'list', '--json'];
const run = async (): Promise<string> => {
  const { stdout, stderr, exit } = await runBinary(ARGS, { env: home.env });
  expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  return stdout;
};
const kept = (): string => {
  const [name = ''] = readdirSync(code);
  return join(code, name);
};

beforeAll(() => {
  home = cleanHome();
  code = join(home.folder, '.cache', 'ttctl', 'code');
});
afterAll(() => home.remove());

it('is kept by the first run, and not written again by the second', async () => {
  await run();
  const before = readFileSync(kept());
  await run();
  expect(readFileSync(kept()).equals(before)).toBe(true);
  expect(readdirSync(code)).toHaveLength(1);
});

it('is tidied away for other builds, and nothing else is', async () => {
  const foreign = ['notes.txt', 'project', 'site-v1.0.0-x64', 'thesis-final'];
  const builds = Array.from({ length: 6 }, (_, at) => `${String(at).repeat(12)}-v20.18.1-x64`);
  for (const name of [...foreign, ...builds]) writeFileSync(join(code, name), '');
  for (const name of [...foreign, ...builds]) utimesSync(join(code, name), 1, 1);
  const [own = ''] = readdirSync(code).filter((name) => ![...foreign, ...builds].includes(name));
  rmSync(join(code, own));
  await run();
  const left = readdirSync(code);
  expect(left).toEqual(expect.arrayContaining([own, ...foreign]));
  expect(left).toHaveLength(4 + foreign.length);
  for (const name of left) if (name !== own) rmSync(join(code, name));
});

it('does no harm when it is damaged anywhere', async () => {
  const whole = await run();
  const bytes = readFileSync(kept());
  for (let place = 3; place < bytes.length; place += Math.floor(bytes.length / 24)) {
    const damaged = Buffer.from(bytes);
    damaged[place] = (damaged[place] ?? 0) ^ 0x55;
    writeFileSync(kept(), damaged);
    expect(await run(), `byte ${place}`).toBe(whole);
  }
  for (const length of [0, 5, 16, 100, bytes.length - 1]) {
    writeFileSync(kept(), bytes);
    truncateSync(kept(), length);
    expect(await run(), `length ${length}`).toBe(whole);
  }
});

it('does no harm when the same bytes are changed everywhere', async () => {
  const whole = await run();
  const bytes = readFileSync(kept());
  for (let variant = 0; variant < 25; variant += 1) {
    const changed = Buffer.from(bytes);
    // A check that compares copies with each other sees nothing of it.
    for (let at = 4096; at < changed.length; at += 1)
      if (changed[at] === variant * 10) changed[at] = (variant * 10) ^ 0x55;
    writeFileSync(kept(), changed);
    expect(await run(), `byte ${variant * 10}`).toBe(whole);
  }
});

it.runIf(process.platform !== 'win32')(
  'is looked through again when it was changed after it had been found whole',
  async () => {
    const whole = await run();
    const key = join(home.folder, '.config', 'ttctl', 'cache.key');
    while (statSync(key).size === 32) await run();
    const bytes = readFileSync(kept());
    writeFileSync(
      kept(),
      bytes.map((byte, at) => (at < 4096 ? byte : byte ^ 0x55)),
    );
    expect(await run()).toBe(whole);
  },
);

it('is not taken from somebody else: what another key wrote is written anew', async () => {
  const other = cleanHome();
  await runBinary(ARGS, { env: other.env });
  const [name = ''] = readdirSync(join(other.folder, '.cache', 'ttctl', 'code'));
  const foreign = readFileSync(join(other.folder, '.cache', 'ttctl', 'code', name));
  other.remove();
  await run();
  writeFileSync(kept(), foreign);
  await run();
  expect(readFileSync(kept()).equals(foreign)).toBe(false);
});

it.runIf(process.platform !== 'win32')(
  'does not wait for a pipe in its place, nor in that of its key',
  async () => {
    const whole = await run();
    for (const path of [kept(), join(home.folder, '.config', 'ttctl', 'cache.key')]) {
      rmSync(path);
      execFileSync('mkfifo', [path]);
      expect(await run(), path).toBe(whole);
    }
  },
);

it('is neither taken nor kept under CI', async () => {
  const other = cleanHome({ CI: 'true' });
  await runBinary(ARGS, { env: other.env });
  expect(readdirSync(other.folder)).toEqual([]);
  other.remove();
  await run();
  writeFileSync(kept(), 'not what was written');
  await runBinary(ARGS, { env: { ...home.env, CI: '1' } });
  expect(readFileSync(kept(), 'utf8')).toBe('not what was written');
});

it.each(['a file in the place of the config folder', 'a folder in the place of the key'])(
  'is not kept without a key: %s',
  async (obstacle) => {
    const other = cleanHome();
    mkdirSync(join(other.folder, '.config'));
    const folder = join(other.folder, '.config', 'ttctl');
    if (obstacle.startsWith('a file')) writeFileSync(folder, '');
    else mkdirSync(join(folder, 'cache.key'), { recursive: true, mode: 0o700 });
    const { exit, stderr } = await runBinary(ARGS, { env: other.env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(existsSync(join(other.folder, '.cache'))).toBe(false);
    other.remove();
  },
);

it('is not needed', async () => {
  const whole = await run();
  rmSync(code, { recursive: true });
  expect(await run()).toBe(whole);
  rmSync(code, { recursive: true });
  mkdirSync(join(code, '..'), { recursive: true });
  writeFileSync(code, 'a file in its place');
  expect(await run()).toBe(whole);
});

it('is not kept where NODE_DISABLE_COMPILE_CACHE is set, or where there is no home', async () => {
  const other = cleanHome({ NODE_DISABLE_COMPILE_CACHE: '1' });
  await runBinary(ARGS, { env: other.env });
  expect(readdirSync(other.folder)).toEqual([]);
  other.remove();
  const { HOME: _none, ...env } = home.env;
  expect((await runBinary(ARGS, { env })).exit).toBe(0);
});

it.runIf(process.platform === 'linux')('is not kept under /proc, and the run ends all the same', async () => {
  const child = startBinary(ARGS, { env: { ...home.env, HOME: '/proc/1' } });
  // Deaf to the gentler signals where it goes round and round in one call.
  const patience = setTimeout(() => child.kill('SIGKILL'), 100_000);
  const { stderr, exit } = await finished(child);
  clearTimeout(patience);
  expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
});
