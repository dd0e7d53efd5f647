import { setMaxListeners } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { Budget, type BudgetOptions, type Ledger } from '../../src/http/budget.ts';
import type { Rate, WaitNotice } from '../../src/http/links.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { getSelf } from '../../src/storage/lock.ts';
import { createManualClock, type ManualClock } from '../support/clocks.ts';
import { useCli } from '../support/use-cli.ts';
import { createStrictCounter } from './strict.ts';

/** D1, D2: several processes in one. Each has a budget of its own, and they see each other by the ledger alone. */

const RATE: Rate = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
const SMALL: Rate = { requests: 40, perSeconds: 4, writes: 10, writesPerSeconds: 1 };
const ONE: Rate = { requests: 1, perSeconds: 2, writes: 1, writesPerSeconds: 1 };
const headers = { authorization: 'Bearer secret-token' };
const READ = {
  base: 'https://service.example/api/v2',
  headers,
  method: 'GET',
  path: '/',
  query: [],
} as const;
const WRITE = { ...READ, method: 'PUT' } as const;
const START = 1_000_000;
const interrupt = new AbortController().signal;
setMaxListeners(0, interrupt);

const t = useCli({ env: { TTCTL_RATE_LIMIT: '150/60,20/1' } });
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

/** A request that goes out without a wait. */
const admit = (budget: Budget, request: HttpRequest = READ) =>
  Promise.race([
    budget.admit(request, false),
    clock.untilAsleep().then(() => expect.unreachable('it has to wait')),
  ]);
/** The same, and it has ended. */
const ask = async (budget: Budget, request?: HttpRequest): Promise<void> => (await admit(budget, request))();

const finish = async (...work: readonly Promise<unknown>[]): Promise<void> => {
  const all = Promise.all(work);
  await clock.run();
  await all;
};

/** Reads one after the other, each of which takes some time; a refusal of the strict service is passed on. */
const readAll = async (
  budget: Budget,
  counter: ReturnType<typeof createStrictCounter>,
  isLeft: () => boolean,
) => {
  while (isLeft()) {
    const leave = await budget.admit(READ, false);
    const seconds = counter.arrive(clock.now(), false);
    await clock.sleep(20);
    await leave(seconds && seconds * 1000);
  }
};

const ledgerFile = (): string => join(directory, 'ledger.json');
const readLedger = (): Ledger => JSON.parse(readFileSync(ledgerFile(), 'utf8'));
const readUsages = () => Object.values(readLedger().credentials);

describe('several processes', () => {
  it('together exceed no strict window, and all get through', async () => {
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
    const property = fc.asyncProperty(rates, load, async (rate, sends) => {
      const processes = [0, 1, 2, 3].map(() => startProcess(rate));
      const counter = createStrictCounter(rate);
      let [delay, arrived] = [0, 0];
      const all = sends.map(async ({ process, write, bulk, gap, before, after }) => {
        delay += gap;
        await clock.sleep(delay);
        const leave = await processes[process]?.admit(write ? WRITE : READ, bulk);
        await clock.sleep(before);
        counter.arrive(clock.now(), write);
        arrived += 1;
        await clock.sleep(after);
        await leave?.();
      });
      await finish(...all);
      expect([arrived, counter.refused()]).toEqual([sends.length, 0]);
    });
    await fc.assert(property, { numRuns: 15, endOnFailure: true });
  });

  it('at full load are not refused, and lose no time', async () => {
    const counter = createStrictCounter(SMALL);
    const REQUESTS = 400;
    let left = REQUESTS;
    const isLeft = () => left-- > 0;
    await finish(...[0, 1, 2, 3, 4, 5].map(() => readAll(startProcess(SMALL), counter, isLeft)));
    expect(counter.refused()).toBe(0);
    // One place of 40 is kept for single commands.
    const least = Math.floor((REQUESTS - 1) / 39) * 4000;
    expect((clock.now() - START) / least).toBeLessThan(1.05);
  });

  it('are held back by a refusal to one of them, never shorter than asked', async () => {
    const [one, two] = [startProcess(RATE), startProcess(RATE)];
    await (await admit(one))(7000);
    await finish(two.admit(WRITE, false));
    expect(clock.now()).toBeGreaterThanOrEqual(START + 7000);
    expect(clock.now()).toBeLessThan(START + 7100);
  });
});

describe('a bulk run', () => {
  it.each([
    ['reads', READ, '4 of 150 this minute, 20 of 20 writes this second'],
    ['writes', WRITE, '132 of 150 this minute, 2 of 20 writes this second'],
  ] as const)('of %s leaves places to single commands, which do not wait', async (_name, kind, remaining) => {
    const [bulk, single] = [startProcess(RATE), startProcess(RATE)];
    for (let i = 0; i < 300; i += 1) void bulk.admit(kind, true).then((leave) => leave());
    await clock.untilAsleep(500);
    expect(single.getRemaining(READ).text).toBe(remaining);
    const before = clock.now();
    await ask(single, kind);
    expect(clock.now()).toBe(before);
  });

  it('is the flag, or more requests than the reserve holds', async () => {
    const rate = { requests: 10, perSeconds: 60, writes: 10, writesPerSeconds: 1 };
    const reader = startProcess(rate);
    for (let i = 0; i < 9; i += 1) await ask(reader);
    expect(startProcess(rate).getRemaining(READ).text).toContain('1 of 10 this minute');
    void reader.admit(READ, false);
    await clock.untilAsleep();
    await ask(startProcess(rate));
    expect(clock.now()).toBe(START);
  });
});

describe('a request that never ended', () => {
  /** Written into the ledger as its process left it. */
  const leave = async (holder: object): Promise<void> => {
    await ask(startProcess(ONE));
    const request = { id: 'gone-1', isWrite: false, by: { ...getSelf(), ...holder }, until: START + 35_000 };
    const ledger = readLedger();
    for (const usage of Object.values(ledger.credentials)) usage.requests = [request];
    writeFileSync(ledgerFile(), JSON.stringify(ledger));
  };

  it.each([
    ['of a process that died is free after one window', { pid: 2 ** 22 + 1 }, 2000],
    ['of another host is free after the longest time of a request', { host: 'there', boot: 'x' }, 37_000],
  ])('%s', async (_name, holder, ms) => {
    await leave(holder);
    await finish(startProcess(ONE).admit(READ, false));
    expect(clock.now() - START).toBeGreaterThan(ms);
    expect(clock.now() - START).toBeLessThan(ms + 500);
  });

  it('counts for 5 s longer than it may take: it may reach the service late', async () => {
    await admit(startProcess(ONE, { timeoutMs: 1000 }));
    expect(readUsages()[0]?.requests[0]).toMatchObject({ until: START + 6000 });
  });

  it('of a process that lives is waited for, however long it takes', async () => {
    await leave({});
    let isIn = false;
    void startProcess(ONE)
      .admit(READ, false)
      .then(() => {
        isIn = true;
      });
    clock.set(START + 100_000);
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    expect(isIn).toBe(false);
  });
});

it('times that lie ahead count as now: the clock was set back', async () => {
  await (await admit(startProcess(ONE)))(30_000);
  clock.set(START - 10_000_000);
  const begun = clock.now();
  await finish(startProcess(ONE).admit(READ, false));
  expect(clock.now() - begun).toBeLessThan(2100);
});

describe('a ledger that goes bad is no error', () => {
  it.each<[string, alone: number, hurt: (file: string) => void]>([
    ['garbage', 0, (file) => writeFileSync(file, '\0{"version":1')],
    ['nothing', 0, (file) => writeFileSync(file, '')],
    ['gone with its directory', 0, () => rmSync(directory, { recursive: true })],
    ['of another version', 0, (file) => writeFileSync(file, '{"version":1}')],
    ['without its credentials', 0, (file) => writeFileSync(file, '{"version":3}')],
    ['of another form', 0, (file) => writeFileSync(file, '{"version":3,"credentials":{"1":{}}}')],
    ['one that others may write', 0, (file) => chmodSync(file, 0o666)],
    [
      'a directory in its place',
      1,
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      'a file in place of its directory',
      1,
      () => {
        rmSync(directory, { recursive: true });
        writeFileSync(directory, '');
      },
    ],
  ])('%s: refusals are obeyed', async (_name, alone, hurt) => {
    const counter = createStrictCounter(SMALL);
    const reasons: string[] = [];
    const budget = startProcess(SMALL, { log: (text) => /ledger/.test(text) && reasons.push(text) });
    let sent = 0;
    const isLeft = () => {
      sent += 1;
      if (sent === 30) hurt(ledgerFile());
      return sent <= 100;
    };
    await finish(readAll(budget, counter, isLeft));
    expect(reasons).toHaveLength(alone);
    expect(counter.refused()).toBeLessThanOrEqual(1);
    if (alone === 0) expect(readUsages()[0]?.requests.length).toBeGreaterThan(0);
  });

  it('a link is replaced, and nothing is written through it', async () => {
    const other = t.file('notes', 'mine');
    await ask(startProcess(SMALL));
    rmSync(ledgerFile());
    symlinkSync(other, ledgerFile());
    await ask(startProcess(SMALL));
    expect([t.text('notes'), readUsages()[0]?.requests.length]).toEqual(['mine', 1]);
  });
});

it('each address and token has its own, in one private file that shows no token', async () => {
  const budget = startProcess(RATE);
  for (const [base, token] of [
    ['https://service.example/api/v2', 'secret-token-1'],
    ['https://service.example/api/v3', 'secret-token-1'],
    ['https://service.example/api/v2', 'secret-token-2'],
    ['https://other.example/api/v2', 'secret-token-1'],
  ] as const)
    await ask(budget, { ...READ, base, headers: { authorization: `Bearer ${token}` } });
  expect(readUsages().map(({ requests }) => requests.length)).toEqual([2, 1, 1]);
  expect([directory, ledgerFile()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(readFileSync(ledgerFile(), 'utf8')).not.toMatch(/secret|bearer/i);
  clock.set(START + 25 * 3_600_000);
  await ask(budget);
  expect(readUsages()).toHaveLength(1);
});

it('an interrupt refuses all who wait, and who comes later', async () => {
  const interrupted = new AbortController();
  const budget = startProcess(ONE, { interrupt: interrupted.signal });
  await ask(budget);
  const waiting = [budget.admit(READ, false), budget.admit(WRITE, false)];
  interrupted.abort(new Cancelled('interrupted', EXIT.interrupted));
  for (const each of waiting) await expect(each).rejects.toMatchObject({ exit: 130 });
  await expect(budget.admit(READ, false)).rejects.toMatchObject({ exit: 130 });
});

it('a wait is told', async () => {
  const waits: WaitNotice[] = [];
  await ask(startProcess(ONE));
  await finish(startProcess(ONE, { onWait: (wait) => waits.push(wait) }).admit(READ, false));
  expect(waits).toEqual([{ ms: 2001, why: 'budget', attempt: 1 }]);
});

it('a 429 to one command is one to the next, which sends nothing (--max-wait)', {
  timeout: 30_000,
}, async () => {
  t.answer = () => ({
    status: 429,
    headers: { 'retry-after': '40' },
    body: { success: false, message: 'No.' },
  });
  const hint = expect.stringContaining('Try again in 40 s');
  const refused = { code: 'rate_limited', retry_after: 40, hint, request: 'GET /members' };
  for (const _command of ['first', 'next']) {
    const { exit, stderr } = await t.run('members list --max-wait 5 --json');
    expect(exit).toBe(7);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject(refused);
    expect(t.lines()).toHaveLength(1);
  }
});
