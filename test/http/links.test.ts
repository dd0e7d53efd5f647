import { describe, expect, test } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { Budget, type BudgetOptions, withPacing } from '../../src/http/budget.ts';
import { type Rate, withAuthorization } from '../../src/http/links.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Method,
  readRetryAfter,
  type Transport,
} from '../../src/http/transport.ts';
import { createManualClock, type ManualClock } from '../support/clocks.ts';

/** The budget of one process that knows of no other. */
const createBudget = (rate: Rate, clock: ManualClock, more: Partial<BudgetOptions> = {}): Budget =>
  new Budget({
    ...{ rate, clock, directory: undefined, timeoutMs: 1000, maxWaitMs: Number.POSITIVE_INFINITY },
    ...{ onWait: () => {}, interrupt: new AbortController().signal, log: () => {} },
    ...more,
  });

const request = (method: Method): HttpRequest => ({
  ...{ method, base: 'https://service.example', path: '/', query: [], headers: {} },
});
const [READ, WRITE] = [request('GET'), request('PUT')];
const ok: HttpResponse = { status: 200, headers: {}, body: '' };

describe('the budget', () => {
  test('a request takes its place until its answer has ended', async () => {
    const clock = createManualClock(0);
    const budget = createBudget({ requests: 1, perSeconds: 1, writes: 1, writesPerSeconds: 1 }, clock);
    const first = await budget.admit(READ, false);
    let admitted = false;
    const second = budget.admit(READ, false).then(() => {
      admitted = true;
    });
    clock.set(50_000);
    while (clock.sleeps.length === 0) await new Promise(setImmediate);
    expect(admitted).toBe(false);
    await first();
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
    await (await budget.admit(READ, false))(7000);
    const sent: string[] = [];
    const transport: Transport = async ({ method }) => {
      sent.push(method);
      return ok;
    };
    const ended = withPacing(transport, budget, () => false)(request('PUT')).catch((error: unknown) => error);
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
    (await budget.admit(READ, false))();
    const waiting = [budget.admit(READ, false), budget.admit(WRITE, false)];
    interrupt.abort(new Cancelled('interrupted', EXIT.interrupted));
    for (const each of waiting) await expect(each).rejects.toMatchObject({ exit: 130 });
    await expect(budget.admit(READ, false)).rejects.toMatchObject({ exit: 130 });
  });
});

describe('a 401', () => {
  const send = async (renewed: string | undefined) => {
    const sent: HttpRequest[] = [];
    const next: Transport = async (each) => {
      sent.push(each);
      return { ...ok, status: sent.length === 1 ? 401 : 200 };
    };
    const credential = { token: async () => 'first', renew: async () => renewed };
    const write = { ...request('PUT'), headers: { 'x-trace': '1' }, body: { id: 7 } };
    const { status } = await withAuthorization(next, credential, () => {})(write);
    return [status, sent.map(({ headers, body }) => [headers['authorization'], headers['x-trace'], body])];
  };

  test('sends the same once more with another token, a write too', async () => {
    const body = { id: 7 };
    expect(await send('second')).toEqual([
      200,
      [
        ['Bearer first', '1', body],
        ['Bearer second', '1', body],
      ],
    ]);
  });

  test.each([undefined, 'first'])('stays one where no other token is to be had (%s)', async (renewed) => {
    expect(await send(renewed)).toEqual([401, [['Bearer first', '1', { id: 7 }]]]);
  });
});

describe('Retry-After', () => {
  test.each([
    ['60', 60_000],
    ['0', 0],
    ['1.5', 2000],
    [' 5 ', 5000],
    ['0.2, 60, 1', 60_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s', (value, ms) => {
    expect(readRetryAfter({ 'retry-after': value })).toBe(ms);
  });

  test.each(['', '-1', '1.', '1,', 'soon', '1e3', '0x10', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
    '%s says nothing',
    (value) => expect(readRetryAfter({ 'retry-after': value })).toBeUndefined(),
  );
});
