import { describe, expect, test } from 'vitest';
import { type BudgetsOptions, openBudgets } from '../../src/http/budget.ts';
import { type Rate, type RateBudget, UNLIMITED, withPacing } from '../../src/http/links.ts';
import type { HttpRequest, HttpResponse, Method, Transport } from '../../src/http/transport.ts';
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

describe('the budget', () => {
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
