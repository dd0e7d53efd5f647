import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rate, WaitNotice } from '../../src/http/pacing.ts';
import { formatRemaining } from '../../src/rate-limit/remaining.ts';
import type { SharedBudget } from '../../src/rate-limit/shared-budget.ts';
import { createManualClock } from '../http/manual-clock.ts';
import { createShelf, startProcess } from './many.ts';
import { type Arrival, createStrictCounter, exceeds } from './strict.ts';

const RATE: Rate = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

const rates = fc.record({
  requests: fc.integer({ min: 1, max: 12 }),
  perSeconds: fc.integer({ min: 1, max: 5 }),
  writes: fc.integer({ min: 1, max: 4 }),
  writesPerSeconds: fc.integer({ min: 1, max: 2 }),
});

const sends = fc.array(
  fc.record({
    process: fc.nat(3),
    write: fc.boolean(),
    bulk: fc.boolean(),
    gap: fc.nat(300),
    /** Until the service counts it, and from then until its answer has ended. */
    before: fc.nat(700),
    after: fc.nat(700),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('several processes', () => {
  test('together exceed no strict window, whatever comes between a look and a claim, and all get through', async () => {
    await fc.assert(
      fc.asyncProperty(rates, sends, fc.infiniteStream(fc.nat(3)), async (rate, load, chance) => {
        const clock = createManualClock(1_000_000, () => 0.5);
        const arrivals: Arrival[] = [];
        const running: Promise<void>[] = [];
        const queue = [...load];
        const send = async ({ process, write, bulk, before, after }: (typeof load)[number]) => {
          const admission = await processes[process]?.admit(write ? 'write' : 'read', bulk);
          await clock.sleep(before);
          arrivals.push({ at: clock.now(), write });
          await clock.sleep(after);
          admission?.done();
        };
        // In the middle of what one process does to the tape, another one begins a request of its own.
        const busy: number[] = [];
        const between = (owner: number) => {
          const next = queue[0];
          busy.push(owner);
          if (next !== undefined && !busy.includes(next.process) && chance.next().value === 0) {
            queue.shift();
            running.push(send(next));
          }
          busy.pop();
        };
        const shelf = createShelf(between);
        const processes: SharedBudget[] = [0, 1, 2, 3].map((index) =>
          startProcess({ name: `p${index}`, rate, clock, tape: shelf.tape(index) }),
        );
        const feed = async () => {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
            running.push(send(next));
            await clock.sleep(next.gap);
          }
        };
        const feeding = feed();
        await clock.run();
        await feeding;
        await Promise.all(running);
        expect(arrivals).toHaveLength(load.length);
        expect(exceeds(arrivals, rate)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test('without the tape the same checker finds them out', async () => {
    const clock = createManualClock(0);
    const counter = createStrictCounter(RATE);
    const processes = [1, 2].map((n) => startProcess({ name: `p${n}`, rate: RATE, clock, tape: undefined }));
    const all = processes.map(async (process) => {
      for (let i = 0; i < 100; i += 1) {
        const admission = await process.admit('read');
        counter.arrive(clock.now(), false);
        admission.done();
      }
    });
    await clock.run();
    await Promise.all(all);
    expect(counter.refused()).toBe(50);
  });

  test('share the allowance fairly, and lose next to nothing of it', async () => {
    const rate = { requests: 40, perSeconds: 4, writes: 10, writesPerSeconds: 1 };
    const clock = createManualClock(0);
    const shelf = createShelf();
    const counter = createStrictCounter(rate);
    const counts = [0, 0, 0, 0, 0, 0];
    const all = counts.map(async (_, index) => {
      const process = startProcess({ name: `p${index}`, rate, clock, tape: shelf.tape() });
      while (clock.now() < 40_000) {
        const admission = await process.admit('read');
        counts[index] = (counts[index] ?? 0) + 1;
        await clock.sleep(30);
        counter.arrive(clock.now(), false);
        admission.done();
      }
    });
    await clock.run();
    await Promise.all(all);
    expect(counter.refused()).toBe(0);
    // Ten windows of 39, one place being kept for single commands; 90 % of 40 a window is to be reached.
    expect(counter.taken.length).toBeGreaterThanOrEqual(360);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(12);
  });
});

describe('a bulk run', () => {
  const drain = async (process: SharedBudget, count: number, kind: 'read' | 'write') => {
    for (let i = 0; i < count; i += 1) (await process.admit(kind, true)).done();
  };

  test('leaves 4 of 150 requests and 2 of 20 writes to single commands', async () => {
    const clock = createManualClock(0);
    const shelf = createShelf();
    const bulk = startProcess({ name: 'bulk', rate: RATE, clock, tape: shelf.tape() });
    const single = startProcess({ name: 'one', rate: RATE, clock, tape: shelf.tape() });
    void drain(bulk, 500, 'read').catch(() => {});
    await settled();
    expect(single.getRemaining().requests).toBe(4);
    const before = clock.now();
    for (let i = 0; i < 4; i += 1) (await single.admit('read')).done();
    expect(clock.now()).toBe(before);

    const other = createShelf();
    const writer = startProcess({ name: 'bulk', rate: RATE, clock, tape: other.tape() });
    const looker = startProcess({ name: 'one', rate: RATE, clock, tape: other.tape() });
    void drain(writer, 100, 'write').catch(() => {});
    await settled();
    expect(looker.getRemaining()).toMatchObject({ requests: 132, writes: 2 });
  });

  test('is the flag or more requests than the reserve holds', async () => {
    const clock = createManualClock(0);
    const shelf = createShelf();
    const reader = startProcess({ name: 'pages', rate: RATE, clock, tape: shelf.tape() });
    for (let i = 0; i < 6; i += 1) (await reader.admit('read')).done();
    const words = shelf.lines.filter((line) => line.startsWith('claim')).map((line) => line.split(' ')[4]);
    expect(words).toEqual(['one', 'one', 'one', 'one', 'bulk', 'bulk']);
  });

  test('lets a single command that waits go first', async () => {
    const rate = { requests: 1, perSeconds: 10, writes: 1, writesPerSeconds: 1 };
    const clock = createManualClock(0);
    const shelf = createShelf();
    const order: string[] = [];
    const enter = async (name: string, bulk: boolean) => {
      const process = startProcess({ name, rate, clock, tape: shelf.tape() });
      const admission = await process.admit('read', bulk);
      order.push(name);
      admission.done();
    };
    await enter('first', false);
    const all = [enter('bulk', true), enter('second', false)];
    await clock.run();
    await Promise.all(all);
    expect(order).toEqual(['first', 'second', 'bulk']);
  });
});

describe('what others leave', () => {
  test('a refusal holds the other processes back, never shorter than asked', async () => {
    const clock = createManualClock(0);
    const shelf = createShelf();
    const [one, two] = ['one', 'two'].map((name) =>
      startProcess({ name, rate: RATE, clock, tape: shelf.tape() }),
    );
    (await one?.admit('read'))?.done({ retryAfterMs: 7000 });
    const other = two?.admit('write');
    await clock.run();
    await other;
    expect(clock.now()).toBeGreaterThanOrEqual(7000);
    expect(clock.now()).toBeLessThan(7100);
  });

  test('a place of a process that died is free after one window, of one elsewhere after its lease', async () => {
    const rate = { requests: 1, perSeconds: 2, writes: 1, writesPerSeconds: 1 };
    const free = async (dead: ReadonlySet<string>) => {
      const clock = createManualClock(0);
      const shelf = createShelf();
      const gone = startProcess({ name: 'gone', rate, clock, tape: shelf.tape() });
      await gone.admit('read', true);
      const next = startProcess({ name: 'next', rate, clock, tape: shelf.tape(), dead }).admit('read');
      await clock.run();
      await next;
      return clock.now();
    };
    expect(await free(new Set(['gone']))).toBeLessThan(2300);
    const elsewhere = await free(new Set());
    expect(elsewhere).toBeGreaterThan(32_000);
    expect(elsewhere).toBeLessThan(32_100);
  });

  test('a place in line of a process that died is nobody else’s wait for long', async () => {
    const rate = { requests: 1, perSeconds: 10, writes: 1, writesPerSeconds: 1 };
    const clock = createManualClock(0);
    const shelf = createShelf();
    (await startProcess({ name: 'first', rate, clock, tape: shelf.tape() }).admit('read')).done();
    shelf.tape().append('line dead 11500 one\n');
    const next = startProcess({ name: 'next', rate, clock, tape: shelf.tape() }).admit('read');
    await clock.run();
    await next;
    expect(clock.now()).toBeLessThan(13_600);
  });
});

describe('between a look and a claim', () => {
  test('another was refused: the claim does not stand, and the refusal is waited for', async () => {
    const clock = createManualClock(0);
    let refused = false;
    const shelf = createShelf(() => {
      if (refused) return;
      refused = true;
      shelf.lines.push('hold 0 7000');
    });
    const next = startProcess({ name: 'next', rate: RATE, clock, tape: shelf.tape() }).admit('read');
    await clock.run();
    (await next).done();
    expect(clock.now()).toBeGreaterThanOrEqual(7000);
  });

  test('so long passed that the claim may stand before earlier ones: it is taken back and made anew', async () => {
    const clock = createManualClock(0);
    const shelf = createShelf();
    const ledger = shelf.tape();
    const answers = [false];
    const late = { ...ledger, append: (line: string) => ledger.append(line) && (answers.shift() ?? true) };
    const next = startProcess({ name: 'next', rate: RATE, clock, tape: late }).admit('read');
    await clock.run();
    (await next).done();
    const words = shelf.lines.map((line) => line.split(' ').slice(0, 2).join(' '));
    expect(words).toEqual(['claim next.1', 'drop next.1', 'claim next.2', 'end next.2']);
  });
});

test('who wakes a second late still has the place in line', async () => {
  const rate = { requests: 1, perSeconds: 2, writes: 1, writesPerSeconds: 1 };
  const clock = createManualClock(0);
  const shelf = createShelf();
  (await startProcess({ name: 'first', rate, clock, tape: shelf.tape() }).admit('read')).done();
  const sleepy = { ...clock, sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + 1000, signal) };
  const order: string[] = [];
  const enter = async (name: string, own: typeof clock) => {
    const admission = await startProcess({ name, rate, clock: own, tape: shelf.tape() }).admit('read');
    order.push(name);
    admission.done();
  };
  const all = [enter('sleepy', sleepy), enter('awake', clock)];
  await clock.run();
  await Promise.all(all);
  expect(order).toEqual(['sleepy', 'awake']);
});

test('a wait is told once, though it is slept in parts', async () => {
  const rate = { requests: 1, perSeconds: 12, writes: 1, writesPerSeconds: 1 };
  const clock = createManualClock(0);
  const shelf = createShelf();
  const waits: WaitNotice[] = [];
  (await startProcess({ name: 'first', rate, clock, tape: shelf.tape() }).admit('read')).done();
  const onWait = (wait: WaitNotice) => void waits.push(wait);
  const next = startProcess({ name: 'next', rate, clock, tape: shelf.tape(), onWait }).admit('read');
  await clock.run();
  await next;
  expect(waits).toEqual([{ ms: 12_001, why: 'budget', attempt: 1 }]);
});

test('what is left, in words', () => {
  expect(formatRemaining(RATE, { requests: 132, writes: 18, waitMs: 0 })).toBe(
    '132 of 150 this minute, 18 of 20 writes this second',
  );
  const rate = { requests: 40, perSeconds: 4, writes: 10, writesPerSeconds: 1 };
  expect(formatRemaining(rate, { requests: 1, writes: 0, waitMs: 0 })).toBe(
    '1 of 40 in 4 s, 0 of 10 writes this second',
  );
});
