import { setMaxListeners } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { Budget, type BudgetOptions, type Ledger } from '../../src/http/budget.ts';
import type { Rate, WaitNotice } from '../../src/http/links.ts';
import { getSelf } from '../../src/storage/lock.ts';
import { createManualClock, type ManualClock } from '../support/clocks.ts';
import { onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';
import { type Arrival, createStrictCounter, exceeds } from './strict.ts';

/** D1, D2: several processes in one. Each has a budget of its own, and they see each other by the ledger alone. */

const RATE: Rate = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
const SMALL: Rate = { requests: 40, perSeconds: 4, writes: 10, writesPerSeconds: 1 };
const ONE: Rate = { requests: 1, perSeconds: 2, writes: 1, writesPerSeconds: 1 };
const headers = { authorization: 'Bearer secret-token' };
const CREDENTIAL = { base: 'https://service.example/api/v2', headers };
const READ = { ...CREDENTIAL, method: 'GET', path: '/', query: [] } as const;
const WRITE = { ...READ, method: 'PUT' } as const;
const START = 1_000_000;

const interrupt = new AbortController().signal;
setMaxListeners(0, interrupt);

/** Waits pass at once; what bounds a request (30 s) does not pass while it is under way. */
let now = 1_800_000_000_000;
const t = useCli({
  env: { TTCTL_RATE_LIMIT: '150/60,20/1' },
  clock: {
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        if (ms === 30_000) return;
        now += ms;
        resolve();
      }),
  },
  service: () => ({
    status: 429,
    headers: { 'retry-after': '40' },
    body: { success: false, message: 'No.' },
  }),
});

let directory: string;
let clock: ManualClock;
beforeEach(() => {
  directory = t.file('limits');
  let chance = 0;
  clock = createManualClock(START, () => {
    chance = (chance + 0.381966) % 1;
    return chance;
  });
});

const startProcess = (rate: Rate, more: Partial<BudgetOptions> = {}): Budget =>
  new Budget({
    ...{ rate, directory, clock, timeoutMs: 30_000, maxWaitMs: Number.POSITIVE_INFINITY },
    ...{ onWait: () => {}, interrupt, log: () => {} },
    ...more,
  });

/** Each request is counted as it goes out, and its answer has ended after some time. */
const send = async (
  budget: Budget,
  request: typeof READ | typeof WRITE,
  counter: ReturnType<typeof createStrictCounter>,
  { bulk = false, ms = 0 } = {},
): Promise<void> => {
  const admission = await budget.admit(request, bulk);
  const wait = counter.arrive(clock.now(), request === WRITE);
  if (ms > 0) await clock.sleep(ms);
  await admission(wait === undefined ? undefined : wait * 1000);
};

const finish = async <T>(...work: readonly Promise<T>[]): Promise<readonly T[]> => {
  const all = Promise.all(work);
  await clock.run();
  return all;
};

const ledgerFile = (): string => join(directory, 'ledger.json');
const readUsages = (): readonly Ledger['credentials'][string][] =>
  Object.values((JSON.parse(readFileSync(ledgerFile(), 'utf8')) as Ledger).credentials);

describe('several processes', () => {
  test('together exceed no strict window, and all get through', async () => {
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 12 }),
      perSeconds: fc.integer({ min: 1, max: 5 }),
      writes: fc.integer({ min: 1, max: 4 }),
      writesPerSeconds: fc.integer({ min: 1, max: 2 }),
    });
    const load = fc.array(
      fc.record({
        process: fc.nat(3),
        write: fc.boolean(),
        bulk: fc.boolean(),
        gap: fc.nat(300),
        /** Until the service counts it, and from then until its answer has ended. */
        before: fc.nat(700),
        after: fc.nat(700),
      }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(rates, load, async (rate, sends) => {
        const processes = [0, 1, 2, 3].map(() => startProcess(rate));
        const arrivals: Arrival[] = [];
        let delay = 0;
        const all = sends.map(async ({ process, write, bulk, gap, before, after }) => {
          delay += gap;
          await clock.sleep(delay);
          const admission = await processes[process]?.admit(write ? WRITE : READ, bulk);
          await clock.sleep(before);
          arrivals.push({ at: clock.now(), write });
          await clock.sleep(after);
          await admission?.();
        });
        await finish(...all);
        expect(arrivals).toHaveLength(sends.length);
        expect(exceeds(arrivals, rate)).toBe(false);
      }),
      { numRuns: 15 },
    );
  });

  test.each([
    ['with the ledger', {}, false],
    ['known bad: each for itself', { directory: undefined }, true],
  ])('at full load, %s, are refused: %s', async (_name, more, isRefused) => {
    const counter = createStrictCounter(SMALL);
    const REQUESTS = 400;
    let left = REQUESTS;
    const all = [0, 1, 2, 3, 4, 5].map(async () => {
      const budget = startProcess(SMALL, more);
      while (left-- > 0) await send(budget, READ, counter, { ms: 30 });
    });
    await finish(...all);
    expect(counter.refused() > 0).toBe(isRefused);
    if (isRefused) return;
    // One place of 40 is kept for single commands.
    const least = Math.floor((REQUESTS - 1) / 39) * 4000;
    expect((clock.now() - START) / least).toBeLessThan(1.05);
  });

  test('are held back by a refusal to one of them, never shorter than asked', async () => {
    const [one, two] = [startProcess(RATE), startProcess(RATE)];
    await (await one.admit(READ, false))(7000);
    await finish(two.admit(WRITE, false));
    expect(clock.now()).toBeGreaterThanOrEqual(START + 7000);
    expect(clock.now()).toBeLessThan(START + 7100);
  });
});

describe('a bulk run', () => {
  const drain = (budget: Budget, request: typeof READ | typeof WRITE, count: number): void => {
    for (let i = 0; i < count; i += 1) void budget.admit(request, true).then((done) => done());
  };

  test.each([
    ['reads', READ, '4 of 150 this minute, 20 of 20 writes this second'],
    ['writes', WRITE, '132 of 150 this minute, 2 of 20 writes this second'],
  ] as const)('of %s leaves places to single commands, which do not wait', async (_name, kind, remaining) => {
    const [bulk, single] = [startProcess(RATE), startProcess(RATE)];
    drain(bulk, kind, 300);
    while (clock.sleeps.every((ms) => ms < 500)) await new Promise(setImmediate);
    expect(single.getRemaining(CREDENTIAL).text).toBe(remaining);
    const before = clock.now();
    await (await single.admit(kind, false))();
    expect(clock.now()).toBe(before);
  });

  test('is the flag, or more requests than the reserve holds', async () => {
    const rate = { requests: 10, perSeconds: 60, writes: 10, writesPerSeconds: 1 };
    const reader = startProcess(rate);
    for (let i = 0; i < 9; i += 1) await (await reader.admit(READ, false))();
    expect(startProcess(rate).getRemaining(CREDENTIAL).text).toContain('1 of 10 this minute');
    void reader.admit(READ, false);
    while (clock.sleeps.length === 0) await new Promise(setImmediate);
    await (await startProcess(rate).admit(READ, false))();
    expect(clock.now()).toBe(START);
  });
});

describe('a request that never ended', () => {
  /** Written into the ledger as its process left it. */
  const leave = async (holder: object): Promise<void> => {
    await (await startProcess(ONE).admit(READ, false))();
    const by = { ...getSelf(), ...holder };
    const request = { id: 'gone-1', isWrite: false, by, until: START + 35_000 };
    const ledger: Ledger = JSON.parse(readFileSync(ledgerFile(), 'utf8'));
    for (const usage of Object.values(ledger.credentials)) usage.requests = [request];
    writeFileSync(ledgerFile(), JSON.stringify(ledger));
  };

  test.each([
    ['of a process that died is free after one window', { pid: 2 ** 22 + 1 }, 2000],
    ['of another host is free after the longest time of a request', { host: 'there', boot: 'x' }, 37_000],
  ])('%s', async (_name, holder, ms) => {
    await leave(holder);
    await finish(startProcess(ONE).admit(READ, false));
    expect(clock.now() - START).toBeGreaterThan(ms);
    expect(clock.now() - START).toBeLessThan(ms + 500);
  });

  test('counts for 5 s longer than it may take: it may reach the service late', async () => {
    await startProcess(ONE, { timeoutMs: 1000 }).admit(READ, false);
    expect(readUsages()[0]?.requests[0]).toMatchObject({ until: START + 6000 });
  });

  test('of a process that lives is waited for, however long it takes', async () => {
    await leave({});
    let isIn = false;
    void startProcess(ONE)
      .admit(READ, false)
      .then(
        () => {
          isIn = true;
        },
        () => {},
      );
    clock.set(START + 100_000);
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    expect(isIn).toBe(false);
  });
});

test('times that lie ahead count as now: the clock was set back', async () => {
  await (await startProcess(ONE).admit(READ, false))(30_000);
  clock.set(START - 10_000_000);
  const begun = clock.now();
  await finish(startProcess(ONE).admit(READ, false));
  expect(clock.now() - begun).toBeLessThan(2100);
});

describe('a ledger that goes bad is no error', () => {
  test.each([
    ['garbage', (file: string) => writeFileSync(file, '\0{"version":1')],
    ['nothing', (file: string) => writeFileSync(file, '')],
    ['gone with its directory', () => rmSync(directory, { recursive: true })],
    ['of another version', (file: string) => writeFileSync(file, '{"version":1}')],
    ['without its credentials', (file: string) => writeFileSync(file, '{"version":3}')],
    ['of another form', (file: string) => writeFileSync(file, '{"version":3,"credentials":{"1":{}}}')],
    ['one that others may write', (file: string) => chmodSync(file, 0o666)],
  ])('%s: refusals are obeyed, and it is written anew', async (_name, hurt) => {
    const counter = createStrictCounter(SMALL);
    const reasons: string[] = [];
    const budget = startProcess(SMALL, { log: (text) => /ledger/.test(text) && reasons.push(text) });
    const work = async () => {
      for (let i = 0; i < 100; i += 1) {
        if (i === 30) hurt(ledgerFile());
        await send(budget, READ, counter, { ms: 1 });
      }
    };
    await finish(work());
    expect(reasons).toEqual([]);
    expect(counter.refused()).toBeLessThanOrEqual(1);
    expect(readUsages()[0]?.requests.length).toBeGreaterThan(0);
  });

  test('a link is replaced, and nothing is written through it', async () => {
    const other = t.file('notes', 'mine');
    await (await startProcess(SMALL).admit(READ, false))();
    rmSync(ledgerFile());
    symlinkSync(other, ledgerFile());
    await (await startProcess(SMALL).admit(READ, false))();
    expect([readFileSync(other, 'utf8'), readUsages()[0]?.requests.length]).toEqual(['mine', 1]);
  });

  test.each([
    ['a directory in place of the file', (file: string) => mkdirSync(file)],
    ['a file in place of the directory', () => writeFileSync(directory, '')],
  ])('%s: the process keeps to what it knows', async (_name, spoil) => {
    await (await startProcess(SMALL).admit(READ, false))();
    const file = ledgerFile();
    rmSync(spoil.length === 0 ? directory : file, { recursive: true });
    spoil(file);
    const reasons: string[] = [];
    const counter = createStrictCounter(SMALL);
    const budget = startProcess(SMALL, { log: (text) => /ledger/.test(text) && reasons.push(text) });
    const work = async () => {
      for (let i = 0; i < 100; i += 1) await send(budget, READ, counter, { ms: 1 });
    };
    await finish(work());
    expect([reasons.length, counter.refused()]).toEqual([1, 0]);
  });
});

test('each address and token has its own, in one private file that shows no token', async () => {
  const credentials = [
    ['https://service.example/api/v2', 'secret-token-1'],
    ['https://service.example/api/v3', 'secret-token-1'],
    ['https://service.example/api/v2', 'secret-token-2'],
    ['https://other.example/api/v2', 'secret-token-1'],
  ] as const;
  const budget = startProcess(RATE);
  for (const [base, token] of credentials)
    await (await budget.admit({ ...READ, base, headers: { authorization: `Bearer ${token}` } }, false))();
  expect(readUsages().map(({ requests }) => requests.length)).toEqual([2, 1, 1]);
  expect([directory, ledgerFile()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(readFileSync(ledgerFile(), 'utf8')).not.toMatch(/secret|bearer/i);
  clock.set(START + 25 * 3_600_000);
  await (await budget.admit(READ, false))();
  expect(readUsages()).toHaveLength(1);
});

test('an interrupt refuses all who wait, and who comes later', async () => {
  const interrupted = new AbortController();
  const budget = startProcess(ONE, { interrupt: interrupted.signal });
  await (await budget.admit(READ, false))();
  const waiting = [budget.admit(READ, false), budget.admit(WRITE, false)];
  interrupted.abort(new Cancelled('interrupted', EXIT.interrupted));
  for (const each of waiting) await expect(each).rejects.toMatchObject({ exit: 130 });
  await expect(budget.admit(READ, false)).rejects.toMatchObject({ exit: 130 });
});

test('a wait is told', async () => {
  const waits: WaitNotice[] = [];
  await (await startProcess(ONE).admit(READ, false))();
  await finish(startProcess(ONE, { onWait: (wait) => waits.push(wait) }).admit(READ, false));
  expect(waits).toEqual([{ ms: 2001, why: 'budget', attempt: 1 }]);
});

describe('a 429 to one command', () => {
  const list = 'members list --max-wait 5 --json';
  const told = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
  const refused = {
    code: 'rate_limited',
    retry_after: 40,
    hint: expect.stringContaining('Try again in 40 s'),
  };

  it('is one to the next, which sends nothing (--max-wait)', async () => {
    const first = await t.run(list);
    expect([first.exit, told(first.stderr)]).toEqual([7, expect.objectContaining(refused)]);
    t.answer = () => ({ body: onePage([]) });
    const next = await t.run(list);
    expect(told(next.stderr)).toMatchObject({ ...refused, request: 'GET /members' });
    expect([next.exit, t.lines().length]).toEqual([7, 1]);
  });

  it('is waited for by the next, where it may', async () => {
    await t.run(list);
    t.answer = () => ({ body: onePage([]) });
    const from = now;
    expect(await t.run('members list --json')).toMatchObject({ exit: 0 });
    expect(now - from).toBeGreaterThanOrEqual(40_000);
  });
});
