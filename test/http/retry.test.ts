import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cancelled, EXIT, NetworkError } from '../../src/errors.ts';
import { type WaitNotice, withRetries } from '../../src/http/links.ts';
import type { HttpRequest, HttpResponse, Method, Transport } from '../../src/http/transport.ts';
import { createManualClock } from '../support/clocks.ts';

type Step = { status: number; headers?: Record<string, string> } | { code: string; sent: boolean };

const setUp = (steps: readonly Step[], maxWaitMs = 120_000, interrupt?: AbortSignal) => {
  const clock = createManualClock();
  const waits: WaitNotice[] = [];
  let calls = 0;
  const next: Transport = () => {
    const step = steps[Math.min(calls, steps.length - 1)];
    calls += 1;
    if (step === undefined) throw new Error('no step');
    if ('code' in step)
      return Promise.reject(
        new NetworkError(step.code, step.sent, { code: step.code as NetworkError['code'] }),
      );
    return Promise.resolve<HttpResponse>({ headers: {}, body: '', ...step });
  };
  const onWait = (wait: WaitNotice) => waits.push(wait);
  const transport = withRetries(next, {
    ...{ maxWaitMs, clock, onWait, decide: () => {} },
    ...(interrupt && { interrupt }),
  });
  const send = async (method: Method) => {
    const request: HttpRequest = { method, base: 'https://api.test', path: '/x', query: [], headers: {} };
    const ending = transport(request).then(
      (answer) => answer.status,
      (error: unknown) => error,
    );
    await clock.run();
    return ending;
  };
  return { send, clock, waits, transport, calls: () => calls };
};

const ok: Step = { status: 200 };
const ALL: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WRITES = ALL.filter((method) => method !== 'GET');

describe('what is sent again', () => {
  const notSent = ['dns', 'connection_refused', 'timeout', 'connection_reset'];
  const unknown = ['timeout', 'connection_reset', 'truncated', 'answer_unreadable', 'network'];
  const passing: [string, Step, readonly Method[]][] = [
    ['429', { status: 429, headers: { 'retry-after': '1' } }, ALL],
    ...notSent.map((code): [string, Step, readonly Method[]] => [
      `${code}, not sent`,
      { code, sent: false },
      ALL,
    ]),
    ...unknown.map((code): [string, Step, readonly Method[]] => [
      `${code}, sent`,
      { code, sent: true },
      ['GET'],
    ]),
    ...[500, 502, 503, 504].map((status): [string, Step, readonly Method[]] => [
      `${status}`,
      { status },
      ['GET'],
    ]),
    ['answer_too_large', { code: 'answer_too_large', sent: true }, []],
    ['tls, not sent', { code: 'tls', sent: false }, []],
    ['proxy, not sent', { code: 'proxy', sent: false }, []],
    ['too_many_files, not sent', { code: 'too_many_files', sent: false }, []],
    ...[200, 201, 204, 302, 400, 401, 403, 404, 409, 422].map((status): [string, Step, readonly Method[]] => [
      `${status}`,
      { status },
      [],
    ]),
  ];
  const cases = passing.flatMap(([name, step, again]) =>
    ALL.map((method) => ({ name, step, method, times: again.includes(method) ? 2 : 1 })),
  );

  test.each(cases)('$method after $name: sent $times time(s)', async ({ step, method, times }) => {
    const { send, calls } = setUp([step, ok]);
    const ending = await send(method);
    expect(calls()).toBe(times);
    if (times === 2) expect(ending).toBe(200);
    else if ('status' in step) expect(ending).toBe(step.status);
    else expect(ending).toMatchObject({ code: step.code });
  });

  test('other errors are passed on at once', async () => {
    const options = { maxWaitMs: 1000, clock: createManualClock(), onWait: () => {}, decide: () => {} };
    const transport = withRetries(() => Promise.reject(new Cancelled('no')), options);
    await expect(
      transport({ method: 'GET', base: '', path: '', query: [], headers: {} }),
    ).rejects.toBeInstanceOf(Cancelled);
  });
});

describe('waiting', () => {
  test('Retry-After is kept to exactly', async () => {
    const { send, clock, waits } = setUp([{ status: 429, headers: { 'retry-after': '60' } }, ok]);
    expect(await send('PUT')).toBe(200);
    expect(clock.sleeps).toEqual([60_000]);
    expect(waits).toEqual([{ ms: 60_000, why: 'rate_limit', attempt: 1 }]);
    for (const seconds of [1, 59, 61, 120, 300]) {
      const step = { status: 429, headers: { 'retry-after': String(seconds) } };
      const long = setUp([step, ok], 3_600_000);
      expect(await long.send('PUT')).toBe(200);
      expect(long.clock.sleeps).toEqual([seconds * 1000]);
    }
  });

  test.each([undefined, '0', 'nonsense'])('without a usable Retry-After (%s) it backs off', async (value) => {
    const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value };
    const { send, clock } = setUp([{ status: 429, headers }]);
    expect(await send('PUT')).toBe(429);
    expect(clock.sleeps).toEqual([750, 1500, 3000, 6000, 12_000, 24_000, 45_000]);
  });

  test('faults are tried 3 times more, with growing waits', async () => {
    const { send, clock, waits, calls } = setUp([{ status: 502 }]);
    expect(await send('GET')).toBe(502);
    expect(calls()).toBe(4);
    expect(clock.sleeps).toEqual([250, 500, 1000]);
    expect(waits.map((wait) => [wait.why, wait.attempt])).toEqual([
      ['fault', 1],
      ['fault', 2],
      ['fault', 3],
    ]);
  });

  test('the Retry-After of a 503 is not undercut, and a write is not sent again for it', async () => {
    const step = { status: 503, headers: { 'retry-after': '20' } };
    const { send, clock } = setUp([step, ok]);
    expect(await send('GET')).toBe(200);
    expect(clock.sleeps).toEqual([20_000]);
    expect(await setUp([step, ok]).send('POST')).toBe(503);
  });

  test('a wait that does not fit is not begun', async () => {
    const { send, clock, calls } = setUp([{ status: 429, headers: { 'retry-after': '60' } }], 59_999);
    expect(await send('GET')).toBe(429);
    expect(clock.sleeps).toEqual([]);
    expect(calls()).toBe(1);
    const just = setUp([{ status: 429, headers: { 'retry-after': '60' } }, ok], 60_000);
    expect(await just.send('GET')).toBe(200);
    expect(just.clock.sleeps).toEqual([60_000]);
  });

  test('the waits of one request are bounded together', async () => {
    const { send, clock } = setUp([{ status: 429, headers: { 'retry-after': '50' } }]);
    expect(await send('GET')).toBe(429);
    expect(clock.sleeps).toEqual([50_000, 50_000]);
  });

  test.each([...WRITES, 'GET'] as const)('0 fails at once (%s)', async (method) => {
    for (const step of [{ status: 429 }, { code: 'dns', sent: false }]) {
      const { send, calls } = setUp([step, ok], 0);
      await send(method);
      expect(calls()).toBe(1);
    }
  });

  test('an interrupt ends the wait', async () => {
    const interrupt = new AbortController();
    const { transport } = setUp([{ status: 429 }], 120_000, interrupt.signal);
    const ending = transport({ method: 'GET', base: '', path: '', query: [], headers: {} });
    setImmediate(() => interrupt.abort(new Cancelled('interrupted', EXIT.interrupted)));
    await expect(ending).rejects.toMatchObject({ exit: 130 });
  });
});

test('a dead service is not stormed', async () => {
  const { send, calls } = setUp([
    ...Array.from({ length: 22 }, () => ({ status: 500 })),
    ok,
    { status: 500 },
    ok,
  ]);
  for (let count = 0; count < 13; count += 1) await send('GET');
  expect(calls()).toBe(3 * 4 + 10);
  expect(await send('GET')).toBe(200);
  expect(await send('GET')).toBe(200);
  expect(calls()).toBe(3 * 4 + 10 + 3);
});

test('a service that refuses for its limits is not dead', async () => {
  const { send, calls } = setUp(
    [...Array.from({ length: 12 }, () => ({ status: 500 })), { status: 429 }, { status: 500 }, ok],
    4000,
  );
  for (let count = 0; count < 3; count += 1) expect(await send('GET')).toBe(500);
  expect(calls()).toBe(12);
  // Its 429 is waited for, and the fault behind it is tried again.
  expect(await send('GET')).toBe(200);
  expect(calls()).toBe(15);
});

test('over random faults no write reaches the service twice but after proof, and no wait is over the bound, or shorter than asked', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ code: fc.constantFrom('dns', 'tls', 'timeout'), sent: fc.constant(false) }),
    fc.record({ code: fc.constantFrom('timeout', 'connection_reset', 'truncated'), sent: fc.constant(true) }),
    fc.record({ status: fc.constantFrom(200, 400, 401, 422, 429, 500, 503) }),
    fc.nat(400).map((after) => ({ status: 429, headers: { 'retry-after': String(after) } })),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.nat(900_000),
      fc.constantFrom(...WRITES),
      async (steps, maxWait, method) => {
        const { send, clock, calls } = setUp([...steps, ok], maxWait);
        await send(method);
        const before = [...steps, ok].slice(0, calls() - 1);
        expect(before.every((past) => ('sent' in past ? !past.sent : past.status === 429))).toBe(true);
        expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(maxWait);
        const asked = before.map((past) => ('headers' in past ? Number(past.headers?.['retry-after']) : 0));
        expect(clock.sleeps.filter((ms, n) => ms < (asked[n] ?? 0) * 1000)).toEqual([]);
        expect(clock.sleeps).toHaveLength(before.length);
      },
    ),
    { numRuns: 200 },
  );
});
