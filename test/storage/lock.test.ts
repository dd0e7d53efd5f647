import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { Failure } from '../../src/outcome.ts';
import { createHolderTable, type Holder, type HolderTable } from '../../src/storage/holder.ts';
import { withLock } from '../../src/storage/lock.ts';

let root: string;
let lockModule: string;
let path: string;
let count = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ttctl-lock-'));
  lockModule = join(root, 'lock.mjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, '../../src/storage/lock.ts')],
    outfile: lockModule,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  count += 1;
  const folder = join(root, String(count));
  mkdirSync(folder);
  path = join(folder, 'thing');
});

const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

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

const me: Holder = { pid: 100, host: 'here', boot: 'b1', start: '5', space: 'pid:[1]' };
const table = (stateOf: HolderTable['getState']): HolderTable => ({ self: () => me, getState: stateOf });

const plant = (number: number, record: unknown, agoMs = 0): void => {
  mkdirSync(`${path}.lock`, { recursive: true });
  const file = join(`${path}.lock`, String(number));
  writeFileSync(file, typeof record === 'string' ? record : JSON.stringify(record));
  const when = new Date(Date.now() - agoMs);
  utimesSync(file, when, when);
};

describe('one process', () => {
  it('gives back what the work gives, and is free again after it failed', async () => {
    expect(await withLock(path, realClock, async () => 7)).toBe(7);
    await expect(withLock(path, realClock, async () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    );
    expect(await withLock(path, realClock, async () => 8)).toBe(8);
  });

  it('keeps calls of one process apart', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(path, realClock, work)));
    expect(most).toBe(1);
  });

  it('uses each number once and removes old ones', async () => {
    for (let turn = 0; turn < 100; turn += 1) await withLock(path, fakeClock(), async () => {});
    const names = readdirSync(`${path}.lock`);
    expect(names).toContain('100.done');
    expect(names.length).toBeLessThan(64);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('waits for nothing when nobody else wants it', async () => {
    await withLock(path, realClock, async () => {});
    const clock = { ...fakeClock(), sleep: () => expect.unreachable('slept') };
    for (let turn = 0; turn < 200; turn += 1) await withLock(path, clock, async () => {});
  });

  it('says who holds it and since when, once the time is over', async () => {
    const holder = { ...me, pid: 4242, host: 'there' };
    plant(3, { holder, since: Date.UTC(2026, 0, 2, 3, 4, 5) });
    const alive = { holder: table(() => 'alive'), timeoutMs: 500 };
    const clock = fakeClock();
    const begun = clock.time;
    const error = await withLock(path, clock, async () => 1, alive).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ exit: 1, code: 'locked' });
    expect(String(error)).toContain('process 4242 on there since 2026-01-02T03:04:05.000Z');
    expect(clock.time - begun).toBeLessThan(600);
    expect(readdirSync(`${path}.lock`)).toEqual(['3']);
  });

  it('dates its hold from when it got the lock, not from when it began to wait', async () => {
    plant(1, { holder: { ...me, pid: 7 }, since: Date.now() });
    const clock = fakeClock();
    const freeAt = clock.time + 20_000;
    const holder = table((it) => (it.pid === 7 && clock.time >= freeAt ? 'dead' : 'alive'));
    const record = await withLock(path, clock, async () => readFileSync(join(`${path}.lock`, '2'), 'utf8'), {
      holder,
    });
    expect(JSON.parse(record).since).toBeGreaterThan(freeAt - 1_500);
  });

  it('lets a waiting process go first after its own turn', async () => {
    const clock = fakeClock();
    const options = { holder: table(() => 'alive' as const) };
    const cost = async (): Promise<number> => {
      const begun = clock.time;
      await withLock(path, clock, async () => {}, options);
      return clock.time - begun;
    };
    await cost();
    expect(await cost()).toBe(0);
    writeFileSync(join(`${path}.lock`, '7.abc.tmp'), '');
    expect(await cost()).toBeGreaterThan(5);
  });

  it('stops waiting when it is told to', async () => {
    plant(1, { holder: me, since: 1 });
    const signal = AbortSignal.abort(new Error('interrupted'));
    const options = { holder: table(() => 'alive' as const), signal };
    await expect(withLock(path, fakeClock(), async () => 1, options)).rejects.toThrow('interrupted');
  });

  it('reports a folder that cannot be made', async () => {
    writeFileSync(path, 'a file');
    const error = await withLock(join(path, 'below'), realClock, async () => 1).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ exit: 1 });
    expect((error as Failure).hint).toContain('TTCTL_STATE_DIR');
  });
});

describe('a holder that is not there any more', () => {
  const expectTaken = async (holder: HolderTable, timeoutMs = 50): Promise<unknown> =>
    withLock(path, fakeClock(), async () => 'taken', { holder, timeoutMs }).catch(
      (error: Failure) => error.code,
    );

  it('is followed when it is dead', async () => {
    plant(5, { holder: me, since: Date.now() });
    expect(await expectTaken(table(() => 'dead'))).toBe('taken');
    expect(readdirSync(`${path}.lock`).sort()).toEqual(['5', '6', '6.done']);
  });

  it.each([
    [60_000, 'locked'],
    [119_000, 'locked'],
    [121_000, 'taken'],
  ])('on another host and %i ms old: %s', async (age, outcome) => {
    plant(5, { holder: me, since: Date.now() - age }, age);
    expect(await expectTaken(table(() => 'elsewhere'))).toBe(outcome);
  });

  it('on another host is judged by the later of both clocks', async () => {
    plant(5, { holder: me, since: Date.now() - 500_000 }, 1_000);
    expect(await expectTaken(table(() => 'elsewhere'))).toBe('locked');
    plant(5, { holder: me, since: Date.now() - 1_000 }, 500_000);
    expect(await expectTaken(table(() => 'elsewhere'))).toBe('locked');
    plant(5, { holder: me, since: Date.now() - 500_000 }, 500_000);
    expect(await expectTaken(table(() => 'elsewhere'))).toBe('taken');
  });

  it.each(['', '{"holder":', 'null', '{"holder":{"pid":"x"},"since":1}'])(
    'a record that cannot be read (%s) holds for 120 s',
    async (text) => {
      plant(5, text, 1_000);
      expect(await expectTaken(table(() => 'alive'))).toBe('locked');
      plant(5, text, 121_000);
      expect(await expectTaken(table(() => 'alive'))).toBe('taken');
    },
  );

  it('yields to a higher number that a slow listing did not show', async () => {
    plant(9, { holder: me, since: Date.now() });
    writeFileSync(join(`${path}.lock`, '9.done'), '');
    const holder = table(() => 'alive');
    // While this one makes number 10, others take 10 to 12 and tidy 10 away.
    let meddled = false;
    const slow: HolderTable = {
      ...holder,
      self: () => {
        if (!meddled) plant(12, { holder: { ...me, pid: 7 }, since: Date.now() });
        meddled = true;
        return me;
      },
    };
    expect(await expectTaken(slow)).toBe('locked');
    expect(readdirSync(`${path}.lock`).sort()).toEqual(['12', '9', '9.done']);
  });
});

describe('who still lives', () => {
  const stat = (start: string, state = 'S') =>
    `100 (a name) with (brackets) ${state} ${Array.from({ length: 18 }, () => '0').join(' ')} ${start} 0 0`;
  const view = (facts: {
    start?: string;
    state?: string;
    boot?: string;
    space?: string;
    exists?: boolean;
  }) => ({
    pid: 1,
    host: () => 'here',
    read: (file: string) => {
      if (file.endsWith('boot_id')) return `${facts.boot ?? 'b1'}\n`;
      return file.endsWith('self/stat') ? stat('1') : stat(facts.start ?? '5', facts.state);
    },
    readLink: () => facts.space ?? 'pid:[1]',
    exists: () => facts.exists ?? true,
  });
  const state = (facts: Parameters<typeof view>[0], holder: Partial<Holder> = {}) =>
    createHolderTable(view(facts)).getState({ ...me, ...holder });

  it.each([
    ['the same process', {}, {}, 'alive'],
    ['no such pid', { exists: false }, {}, 'dead'],
    ['another start time', { start: '6' }, {}, 'dead'],
    ['a zombie', { state: 'Z' }, {}, 'dead'],
    ['another boot', { boot: 'b2' }, {}, 'dead'],
    ['another host', {}, { host: 'there', boot: 'b9' }, 'elsewhere'],
    ['this host under another name', { exists: false }, { host: 'there' }, 'dead'],
    ['another container', { exists: false }, { space: 'pid:[2]' }, 'elsewhere'],
  ] as const)('%s', (_, facts, holder, expected) => {
    expect(state(facts, holder)).toBe(expected);
  });

  it('knows by pid only where there is no /proc', () => {
    const bare = { pid: 1, host: () => 'here', read: () => undefined, readLink: () => undefined };
    const holder = { pid: 9, host: 'here' };
    expect(createHolderTable({ ...bare, exists: () => true }).getState(holder)).toBe('alive');
    expect(createHolderTable({ ...bare, exists: () => false }).getState(holder)).toBe('dead');
  });

  it('knows this very process', () => {
    const real = createHolderTable();
    expect(real.getState(real.self())).toBe('alive');
    expect(real.getState({ ...real.self(), pid: 2 ** 22 + 1 })).toBe('dead');
  });
});

interface Tally {
  counter: number;
  done: number;
  doubles: number;
  kills: number;
  /** Turns of each worker that was left alone. */
  turns: readonly number[];
  exits: readonly (number | null)[];
}

const size = (file: string): number => {
  try {
    return readFileSync(file).length;
  } catch {
    return 0;
  }
};

/** Workers 0 and 1 run to their end; the others are killed at random and started again. */
const race = async (mode: 'lock' | 'none', turns: number, victims: number, kills: number): Promise<Tally> => {
  const folder = join(root, `race-${mode}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'counter'), '0');
  const worker = join(import.meta.dirname, 'lock-worker.mjs');
  const start = (name: string, count: number): ChildProcess =>
    spawn(process.execPath, [worker, lockModule, folder, name, String(count), mode], { stdio: 'inherit' });
  const end = (child: ChildProcess) =>
    new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  const steady = ['s0', 's1'].map((name) => end(start(name, turns)));
  const killing = Array.from({ length: victims }, async (_, victim) => {
    for (let round = 0; round < kills; round += 1) {
      const name = `v${victim}-${round}`;
      const child = start(name, 100_000);
      const ended = end(child);
      while (!existsSync(join(folder, `ready-${name}`))) await realClock.sleep(5);
      await realClock.sleep(Math.random() * 120);
      child.kill('SIGKILL');
      await ended;
    }
  });
  const exits = await Promise.all(steady);
  await Promise.all(killing);
  const logs = readdirSync(folder).filter((name) => name.startsWith('done-'));
  return {
    counter: Number(readFileSync(join(folder, 'counter'), 'utf8')),
    done: logs.reduce((sum, name) => sum + size(join(folder, name)), 0),
    doubles: size(join(folder, 'double')),
    kills: victims * kills,
    turns: ['s0', 's1'].map((name) => size(join(folder, `done-${name}`))),
    exits,
  };
};

describe('many processes, some of them killed', () => {
  it('loses no update, never holds twice, starves nobody', async () => {
    const summary = await race('lock', 60, 2, 8);
    expect(summary.exits).toEqual([0, 0]);
    expect(summary.turns).toEqual([60, 60]);
    expect(summary.doubles).toBe(0);
    // A kill between the update and its note leaves one more in the counter than was noted.
    expect(summary.counter).toBeGreaterThanOrEqual(summary.done);
    expect(summary.counter).toBeLessThanOrEqual(summary.done + summary.kills);
  });

  it('the same check fails with no lock', async () => {
    const summary = await race('none', 60, 2, 3);
    expect(summary.doubles).toBeGreaterThan(0);
    expect(summary.counter).toBeLessThan(summary.done);
  });
});
