import { spawn } from 'node:child_process';
import type * as Fs from 'node:fs';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Failure } from '../../src/errors.ts';
import { realClock } from '../../src/platform/machine.ts';
import { getHolderState, getSelf, type Holder, isLocked, withLock } from '../../src/storage/lock.ts';
import { until } from '../support/clocks.ts';
import { useCli } from '../support/use-cli.ts';

/** A disk that takes no new file once it is full. */
let full = false;
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof Fs>();
  const openSync: typeof fs.openSync = (path, flags, mode) => {
    const makes = typeof flags === 'string' && /^[aw]/.test(flags) && !fs.existsSync(path);
    if (full && makes) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    return fs.openSync(path, flags, mode);
  };
  return { ...fs, openSync };
});

const t = useCli();
let path: string;
beforeEach(() => {
  path = t.file('thing');
  full = false;
});

/** Time passes only by sleeping; the event loop turns once for each sleep. */
const fakeClock = (): Clock & { time: number } => {
  const clock = {
    time: Date.now(),
    now: () => clock.time,
    sleep: async (ms: number, signal?: AbortSignal) => {
      await new Promise(setImmediate);
      signal?.throwIfAborted();
      clock.time += ms;
    },
    random: Math.random,
  };
  return clock;
};

/** Pids end below this. */
const NO_PID = 2 ** 22 + 1;
const dead = { ...getSelf(), pid: NO_PID };
const elsewhere: Holder = { pid: 4242, host: 'there', boot: 'b9' };

const plant = (number: number, holder: Holder | string, agoMs = 0): string => {
  mkdirSync(`${path}.lock`, { recursive: true });
  const file = join(`${path}.lock`, String(number));
  writeFileSync(file, typeof holder === 'string' ? holder : JSON.stringify({ holder }));
  const when = new Date(Date.now() - agoMs);
  utimesSync(file, when, when);
  return file;
};

it('gives back what the work gives, and is free again after it failed', async () => {
  expect(await withLock(path, realClock, async () => 7)).toBe(7);
  const failing = withLock(path, realClock, async () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await withLock(path, realClock, async () => 8)).toBe(8);
});

it('uses each number once, removes old ones, and waits for nothing when nobody else wants it', async () => {
  const clock = { ...fakeClock(), sleep: () => expect.unreachable('slept') };
  mkdirSync(`${path}.lock`);
  // What a killed process left, and somebody else's.
  for (const name of ['7.42.1.tmp', '7.notes']) writeFileSync(join(`${path}.lock`, name), '{}');
  for (let turn = 0; turn < 100; turn += 1) await withLock(path, clock, async () => {});
  const names = readdirSync(`${path}.lock`);
  expect(names).toContain('100.done');
  expect(names.length).toBeLessThan(12);
  expect(names.filter((name) => !name.endsWith('.done'))).toEqual(['7.notes']);
});

it('says who holds it, once the time is over', async () => {
  plant(3, elsewhere);
  const clock = fakeClock();
  const begun = clock.time;
  const message = expect.stringContaining('process 4242 on there');
  await expect(withLock(path, clock, async () => 1, { timeoutMs: 500 })).rejects.toMatchObject({
    ...{ exit: 1, code: 'locked', message },
  });
  expect(clock.time - begun).toBeLessThan(600);
  expect(readdirSync(`${path}.lock`)).toEqual(['3']);
  expect(isLocked(path, realClock)).toBe(true);
});

it('stops waiting when it is told to', async () => {
  plant(1, getSelf());
  const signal = AbortSignal.abort(new Error('interrupted'));
  await expect(withLock(path, fakeClock(), async () => 1, { signal })).rejects.toThrow('interrupted');
});

it('releases it though the disk is full: the next one has it at once', async () => {
  const hold = async () => {
    full = true;
  };
  await withLock(path, realClock, hold);
  expect(readdirSync(`${path}.lock`)).toEqual(['1.done']);
  full = false;
  const impatient = {
    ...realClock,
    sleep: () => expect.unreachable('it waits for a lock that nobody holds'),
  };
  expect(await withLock(path, impatient, async () => 'taken')).toBe('taken');
});

describe('a holder that is not there any more', () => {
  const tryTake = (timeoutMs = 50, clock: Clock = fakeClock()): Promise<string> =>
    withLock(path, clock, async () => 'taken', { timeoutMs }).catch((error: Failure) => error.code);

  it('is followed when it is dead', async () => {
    plant(5, dead);
    expect(isLocked(path, realClock)).toBe(false);
    expect(await tryTake()).toBe('taken');
    expect(readdirSync(`${path}.lock`).sort()).toEqual(['5', '6.done']);
  });

  it.each([
    ['on another host', elsewhere],
    ['whose record was never finished', '{"holder":'],
    ['whose record is something else', '{"holder":{"pid":"x"},"since":1}'],
  ])('%s is dead after 20 s in which it did not renew', async (_name, holder) => {
    plant(5, holder, 15_000);
    expect(await tryTake()).toBe('locked');
    plant(5, holder, 21_000);
    expect(await tryTake()).toBe('taken');
  });

  it('is waited for within the time that commands wait', async () => {
    plant(5, elsewhere);
    expect(await tryTake(30_000)).toBe('taken');
  });

  it('S18: has a clock that is ahead: a time in the future counts as now', async () => {
    plant(5, elsewhere, -365 * 86_400_000);
    expect(await tryTake(15_000)).toBe('locked');
    expect(await tryTake(30_000)).toBe('taken');
  });

  it('lives while it renews', async () => {
    const file = plant(5, elsewhere);
    const clock = fakeClock();
    const sleep = clock.sleep;
    let renewed = clock.time;
    clock.sleep = async (ms, signal) => {
      await sleep(ms, signal);
      if (clock.time - renewed < 5_000) return;
      renewed = clock.time;
      utimesSync(file, renewed / 1_000, renewed / 1_000);
    };
    expect(await tryTake(120_000, clock)).toBe('locked');
  });

  it('is followed by one number only, whatever a slow listing showed', async () => {
    plant(9, dead);
    // While this one makes number 10, others take 10 to 12 and tidy 10 away.
    const clock = fakeClock();
    const now = clock.now;
    let calls = 0;
    clock.now = () => {
      calls += 1;
      if (calls === 3) plant(12, getSelf());
      return now();
    };
    expect(await tryTake(50, clock)).toBe('locked');
    expect(readdirSync(`${path}.lock`).sort()).toEqual(['12', '9']);
  });
});

it('a holder renews the time of its record while it works', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await withLock(path, realClock, async () => {
      const file = join(`${path}.lock`, '1');
      utimesSync(file, 1, 1);
      vi.advanceTimersByTime(5_000);
      expect(Date.now() - statSync(file).mtimeMs).toBeLessThan(5_000);
    });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

describe.runIf(process.platform === 'linux')('who still lives', () => {
  it.each([
    ['the same process', {}, 'alive'],
    ['no such pid', { pid: NO_PID }, 'dead'],
    ['another start time', { start: '1' }, 'dead'],
    ['another boot', { boot: 'b2' }, 'dead'],
    ['another host', { host: 'there', boot: 'b9' }, 'elsewhere'],
    ['this host under another name', { host: 'there', pid: NO_PID }, 'dead'],
    ['another container', { pid: NO_PID, pidNamespace: 'pid:[2]' }, 'elsewhere'],
    ['one without /proc, by its pid', { start: undefined, boot: undefined }, 'alive'],
  ])('%s', (_, holder, expected) => {
    expect(getHolderState({ ...getSelf(), ...holder })).toBe(expected);
  });

  it('one of whose marks cannot be read has the others', async () => {
    vi.resetModules();
    vi.doMock('node:fs', async (load) => {
      const fs = await load<typeof import('node:fs')>();
      const readFileSync = (file: string, encoding: 'latin1'): string => {
        if (file.endsWith('/boot_id')) throw new Error('masked');
        return fs.readFileSync(file, encoding);
      };
      return { ...fs, readFileSync };
    });
    const { getSelf: getMasked } = await import('../../src/storage/lock.ts');
    vi.doUnmock('node:fs');
    expect(getMasked()).toEqual({ ...getSelf(), boot: undefined });
  });

  it('a zombie is dead', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60']);
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    try {
      const state = () => getHolderState({ ...getSelf(), pid, start: undefined });
      await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') Z '));
      expect(state()).toBe('dead');
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

it('many processes, some of them killed: no update is lost, for nobody holds it twice', async () => {
  const [TURNS, VICTIMS, KILLS] = [60, 2, 8];
  const folder = t.file('race');
  const counter = t.file('race/counter', '0');
  const lockModule = t.file('lock.mjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, '../../src/storage/lock.ts')],
    outfile: lockModule,
    ...{ bundle: true, platform: 'node', format: 'esm', mainFields: ['module', 'main'] },
  });
  const worker = join(import.meta.dirname, 'lock-worker.mjs');
  const start = (name: string, turns: number) => {
    const child = spawn(process.execPath, [worker, lockModule, folder, name, String(turns)], {
      stdio: 'inherit',
    });
    return { child, ended: new Promise<number | null>((resolve) => child.on('exit', resolve)) };
  };
  const steady = ['s0', 's1'].map((name) => start(name, TURNS).ended);
  const killing = Array.from({ length: VICTIMS }, async (_, victim) => {
    for (let round = 0; round < KILLS; round += 1) {
      const { child, ended } = start(`v${victim}-${round}`, 100_000);
      await until(() => existsSync(join(folder, `ready-v${victim}-${round}`)));
      await realClock.sleep(Math.random() * 120);
      child.kill('SIGKILL');
      await ended;
    }
  });
  expect(await Promise.all(steady)).toEqual([0, 0]);
  await Promise.all(killing);
  const sizes = readdirSync(folder)
    .filter((name) => name.startsWith('done-'))
    .map((name) => [name, statSync(join(folder, name)).size] as const);
  expect(Object.fromEntries(sizes)).toMatchObject({ 'done-s0': TURNS, 'done-s1': TURNS });
  const done = sizes.reduce((sum, [, size]) => sum + size, 0);
  // A kill between the update and its note leaves one more in the counter than was noted.
  expect(Number(readFileSync(counter, 'utf8'))).toBeGreaterThanOrEqual(done);
  expect(Number(readFileSync(counter, 'utf8'))).toBeLessThanOrEqual(done + VICTIMS * KILLS);
});
