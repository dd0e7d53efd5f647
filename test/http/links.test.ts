import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cancelled, EXIT, NetworkError } from '../../src/errors.ts';
import { type WaitNotice, withAuthorization, withRetries } from '../../src/http/links.ts';
import { type HttpRequest, type Method, readRetryAfter, type Transport } from '../../src/http/transport.ts';
import { createManualClock } from '../support/clocks.ts';

const request = (method: Method): HttpRequest => ({
  ...{ method, base: 'https://service.example', path: '/', query: [], headers: {} },
});

it.each([
  ['second', 200, ['Bearer first', 'Bearer second']],
  ['first', 401, ['Bearer first']],
  [undefined, 401, ['Bearer first']],
])('a 401 is tried once more with another token (%s), a write too', async (renewed, status, tokens) => {
  const sent: HttpRequest[] = [];
  const next: Transport = async (each) => {
    sent.push(each);
    return { status: sent.length === 1 ? 401 : 200, headers: {}, body: '' };
  };
  const credential = { token: async () => 'first', renew: async () => renewed };
  const write = { ...request('PUT'), headers: { 'x-trace': '1' }, body: { id: 7 } };
  expect(await withAuthorization(next, credential, () => {})(write)).toMatchObject({ status });
  const headers = tokens.map((authorization) => ({ authorization, 'x-trace': '1' }));
  expect(sent).toMatchObject(headers.map((each) => ({ ...write, headers: each })));
});

it.each<[string, number | undefined]>([
  ['60', 60_000],
  ['0', 0],
  ['1.5', 2000],
  [' 5 ', 5000],
  ['0.2, 60, 1', 60_000],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ...['', '-1', '1.', '1,', 'soon', '1e3', '0x10', 'Sun, 06 Nov 1994 08:49:37 GMT'].map(
    (value): [string, undefined] => [value, undefined],
  ),
])('Retry-After: %s is %s ms', (value, ms) => {
  expect(readRetryAfter({ 'retry-after': value })).toBe(ms);
});

type Step = { status: number; headers?: Record<string, string> } | { code: string; sent: boolean };

const setUp = (steps: readonly Step[], maxWaitMs = 120_000, interrupt?: AbortSignal) => {
  const clock = createManualClock();
  const waits: WaitNotice[] = [];
  let calls = 0;
  const next: Transport = async () => {
    const step = steps[Math.min(calls, steps.length - 1)] ?? { status: 0 };
    calls += 1;
    if (!('code' in step)) return { headers: {}, body: '', ...step };
    throw new NetworkError(step.code, step.sent, { code: step.code as NetworkError['code'] });
  };
  const onWait = (wait: WaitNotice) => waits.push(wait);
  const options = { maxWaitMs, clock, onWait, decide: () => {}, ...(interrupt && { interrupt }) };
  const transport = withRetries(next, options);
  /** @returns the status, or the error */
  const send = async (method: Method) => {
    const ending = transport(request(method)).then(
      ({ status }) => status,
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

it.each<[Step, by: readonly Method[]]>([
  [{ status: 429, headers: { 'retry-after': '1' } }, ALL],
  ...['dns', 'connection_refused', 'timeout', 'connection_reset'].map((code): [Step, readonly Method[]] => [
    { code, sent: false },
    ALL,
  ]),
  ...['timeout', 'connection_reset', 'truncated', 'answer_unreadable', 'network'].map(
    (code): [Step, readonly Method[]] => [{ code, sent: true }, ['GET']],
  ),
  ...[500, 502, 503, 504].map((status): [Step, readonly Method[]] => [{ status }, ['GET']]),
  [{ code: 'answer_too_large', sent: true }, []],
  ...['tls', 'proxy', 'too_many_files'].map((code): [Step, readonly Method[]] => [{ code, sent: false }, []]),
  ...[200, 201, 204, 302, 400, 401, 403, 404, 409, 422].map((status): [Step, readonly Method[]] => [
    { status },
    [],
  ]),
])('after %o are sent again: %j', async (step, by) => {
  for (const method of ALL) {
    const { send, calls } = setUp([step, ok]);
    const ending = await send(method);
    expect([method, calls()]).toEqual([method, by.includes(method) ? 2 : 1]);
    if (by.includes(method)) expect(ending).toBe(200);
    else if ('status' in step) expect(ending).toBe(step.status);
    else expect(ending).toMatchObject({ code: step.code });
  }
});

it('other errors are passed on at once', async () => {
  const options = { maxWaitMs: 1000, clock: createManualClock(), onWait: () => {}, decide: () => {} };
  const transport = withRetries(() => Promise.reject(new Cancelled('no')), options);
  await expect(transport(request('GET'))).rejects.toBeInstanceOf(Cancelled);
});

const asking = (seconds: string, status = 429) => ({ status, headers: { 'retry-after': seconds } });
const backOff = [750, 1500, 3000, 6000, 12_000, 24_000, 45_000];

describe('waiting', () => {
  it.each<[what: string, steps: readonly Step[], most: number, status: number, waits: readonly number[]]>([
    ['Retry-After is kept to exactly', [asking('60'), ok], 120_000, 200, [60_000]],
    ['a long one too', [asking('300'), asking('1'), ok], 3_600_000, 200, [300_000, 1000]],
    ['one that does not fit is not begun', [asking('60')], 59_999, 429, []],
    ['one that just fits is', [asking('60'), ok], 60_000, 200, [60_000]],
    ['all together are bounded', [asking('50')], 120_000, 429, [50_000, 50_000]],
    ['without Retry-After they grow', [{ status: 429 }], 120_000, 429, backOff],
    ['of no time they grow', [asking('0')], 120_000, 429, backOff],
    ['of nonsense they grow', [asking('nonsense')], 120_000, 429, backOff],
    ['after faults there are 3', [{ status: 502 }], 120_000, 502, [250, 500, 1000]],
    ['that of a 503 is not undercut', [asking('20', 503), ok], 120_000, 200, [20_000]],
  ])('%s', async (_what, steps, most, status, sleeps) => {
    const { send, clock, waits, calls } = setUp(steps, most);
    expect([await send('GET'), clock.sleeps, calls()]).toEqual([status, sleeps, sleeps.length + 1]);
    const why = JSON.stringify(steps[0]).includes('429') ? 'rate_limit' : 'fault';
    expect(waits).toEqual(sleeps.map((ms, i) => ({ ms, why, attempt: i + 1 })));
  });

  it.each([...WRITES, 'GET'] as const)('0 fails at once (%s)', async (method) => {
    for (const step of [{ status: 429 }, { code: 'dns', sent: false }]) {
      const { send, calls } = setUp([step, ok], 0);
      await send(method);
      expect(calls()).toBe(1);
    }
  });

  it('an interrupt ends the wait', async () => {
    const interrupt = new AbortController();
    const { transport } = setUp([{ status: 429 }], 120_000, interrupt.signal);
    const ending = transport(request('GET'));
    setImmediate(() => interrupt.abort(new Cancelled('interrupted', EXIT.interrupted)));
    await expect(ending).rejects.toMatchObject({ exit: 130 });
  });
});

it('a dead service is not stormed, and one that refuses for its limits is not dead', async () => {
  const down = (count: number) => Array.from({ length: count }, () => ({ status: 500 }));
  const { send, calls } = setUp([...down(22), ok, { status: 500 }, ok]);
  for (let count = 0; count < 13; count += 1) await send('GET');
  expect(calls()).toBe(3 * 4 + 10);
  expect([await send('GET'), await send('GET'), calls()]).toEqual([200, 200, 3 * 4 + 10 + 3]);

  const busy = setUp([...down(12), { status: 429 }, { status: 500 }, ok], 4000);
  for (let count = 0; count < 3; count += 1) expect(await busy.send('GET')).toBe(500);
  // Its 429 is waited for, and the fault behind it is tried again.
  expect([busy.calls(), await busy.send('GET'), busy.calls()]).toEqual([12, 200, 15]);
});

it('over random faults no write reaches the service twice but after proof, and no wait is over the bound, or shorter than asked', async () => {
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
