import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Rate, type RateBudget, UNLIMITED, withPacing } from '../../src/http/pacing.ts';
import type { HttpRequest, HttpResponse, Method, Transport } from '../../src/http/transport.ts';
import { type BudgetsOptions, openBudgets } from '../../src/rate-limit/budgets.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

/** The budget of one process that knows of no other. */
const createBudget = (rate: Rate, clock: ManualClock, more: Partial<BudgetsOptions> = {}): RateBudget =>
  openBudgets({ rate, clock, directory: undefined, timeoutMs: 1000, ...more })({
    base: 'https://service.example',
    secret: undefined,
  });

const always = (budget: RateBudget) => () => budget;

const request = (method: Method): HttpRequest => ({ method, base: '', path: '/', query: [], headers: {} });
const ok: HttpResponse = { status: 200, headers: {}, body: '' };

interface Arrival {
  readonly at: number;
  readonly method: Method;
}

/** A service that counts a request at some time between its start and the end of its answer. */
const service = (clock: ManualClock, delays: () => readonly [before: number, after: number]) => {
  const arrivals: Arrival[] = [];
  const transport: Transport = async ({ method }) => {
    const [before, after] = delays();
    if (before > 0) await clock.sleep(before);
    arrivals.push({ at: clock.now(), method });
    if (after > 0) await clock.sleep(after);
    return ok;
  };
  return { arrivals, transport };
};

/** The strictest reading of a limit: no closed window of the length, wherever it begins, holds more. */
const mostInWindow = (arrivals: readonly Arrival[], seconds: number): number => {
  const times = arrivals.map((arrival) => arrival.at);
  return Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at <= from + seconds * 1000).length),
  );
};

const withinLimits = (arrivals: readonly Arrival[], rate: Rate): boolean => {
  const writing = arrivals.filter((arrival) => arrival.method !== 'GET');
  return (
    mostInWindow(arrivals, rate.perSeconds) <= rate.requests &&
    mostInWindow(writing, rate.writesPerSeconds) <= rate.writes
  );
};

describe('the budget', () => {
  test('no strict sliding window is ever exceeded, and everything gets through', async () => {
    const delay = fc.tuple(fc.nat(900), fc.nat(900));
    const load = fc.array(
      fc.record({ method: fc.constantFrom<Method>('GET', 'PUT'), delay, gap: fc.nat(400) }),
      { minLength: 1, maxLength: 40 },
    );
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 8 }),
      perSeconds: fc.integer({ min: 1, max: 5 }),
      writes: fc.integer({ min: 1, max: 4 }),
      writesPerSeconds: fc.integer({ min: 1, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(rates, load, async (rate, requests) => {
        const clock = createManualClock();
        const delays = requests.map((each) => each.delay);
        const { arrivals, transport } = service(clock, () => delays.shift() ?? [0, 0]);
        const paced = withPacing(transport, always(createBudget(rate, clock)));
        const all = requests.map(async ({ method, gap }, index) => {
          await clock.sleep(index * gap);
          await paced(request(method));
        });
        await clock.run();
        await Promise.all(all);
        expect(arrivals).toHaveLength(requests.length);
        expect(withinLimits(arrivals, rate)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('at full load next to nothing of the allowance is lost', async () => {
    const rate = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
    const clock = createManualClock(0);
    const { arrivals, transport } = service(clock, () => [0, 0]);
    const paced = withPacing(transport, always(createBudget(rate, clock)));
    const all = Promise.all(Array.from({ length: 600 }, () => paced(request('PUT'))));
    await clock.run();
    await all;
    expect(withinLimits(arrivals, rate)).toBe(true);
    // 600 at 150 a minute: three minutes until the last may go.
    expect(clock.now()).toBeLessThan(3 * 60_000 + 8000);
  });

  test('first come, first served', async () => {
    const clock = createManualClock();
    const order: number[] = [];
    const rate = { requests: 3, perSeconds: 1, writes: 1, writesPerSeconds: 1 };
    const budget = createBudget(rate, clock);
    const all = (['read', 'write', 'write', 'read', 'read', 'write'] as const).map(async (kind, index) => {
      const admission = await budget.admit(kind);
      order.push(index);
      admission.done();
    });
    await clock.run();
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('a request takes its place until its answer has ended', async () => {
    const clock = createManualClock(0);
    const budget = createBudget({ requests: 1, perSeconds: 1, writes: 1, writesPerSeconds: 1 }, clock);
    const first = await budget.admit('read');
    let admitted = false;
    const second = budget.admit('read').then(() => {
      admitted = true;
    });
    clock.set(50_000);
    while (clock.sleeps.length === 0) await new Promise(setImmediate);
    expect(admitted).toBe(false);
    await first.done();
    await clock.run();
    await second;
    expect(clock.now()).toBe(51_001);
  });

  test('a 429 holds back the other requests of the process too', async () => {
    const clock = createManualClock(0);
    const budget = createBudget({ requests: 9, perSeconds: 60, writes: 9, writesPerSeconds: 1 }, clock);
    const answers = [{ ...ok, status: 429, headers: { 'retry-after': '7' } }, ok];
    const paced = withPacing(
      () => Promise.resolve(answers.shift() ?? ok),
      () => budget,
    );
    await paced(request('GET'));
    const other = paced(request('GET'));
    await clock.run();
    await other;
    expect(clock.now()).toBe(7000);
  });

  test.each([
    ['sends nothing, and says what is left, where that is too long', 6999, 7],
    ['waits where that may be', 7000, undefined],
  ])('%s', async (_what, patienceMs, left) => {
    const clock = createManualClock(0);
    const rate = { requests: 9, perSeconds: 60, writes: 9, writesPerSeconds: 1 };
    const budget = createBudget(rate, clock, { maxWaitMs: patienceMs });
    await (await budget.admit('read')).done({ retryAfterMs: 7000 });
    const sent: string[] = [];
    const transport: Transport = async ({ method }) => {
      sent.push(method);
      return ok;
    };
    const ended = withPacing(transport, always(budget))(request('PUT')).catch((error: unknown) => error);
    await clock.run();
    if (left === undefined) return expect(await ended).toEqual(ok);
    expect(await ended).toMatchObject({
      exit: 7,
      code: 'rate_limited',
      details: { request: 'PUT /', retry_after: left },
    });
    expect(sent).toEqual([]);
    expect(clock.sleeps).toEqual([]);
  });

  test('an interrupt refuses all who wait', async () => {
    const clock = createManualClock();
    const interrupt = new AbortController();
    const rate = { requests: 1, perSeconds: 60, writes: 1, writesPerSeconds: 1 };
    const budget = createBudget(rate, clock, { interrupt: interrupt.signal });
    (await budget.admit('read')).done();
    const waiting = [budget.admit('read'), budget.admit('write')];
    interrupt.abort();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ exit: 130 });
    await expect(budget.admit('read')).rejects.toMatchObject({ exit: 130 });
  });

  test('off counts nothing', async () => {
    const clock = createManualClock();
    const paced = withPacing(
      () => Promise.resolve(ok),
      () => UNLIMITED,
    );
    await Promise.all(Array.from({ length: 1000 }, () => paced(request('PUT'))));
    expect(clock.sleeps).toEqual([]);
  });
});
