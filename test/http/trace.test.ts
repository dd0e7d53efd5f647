import { describe, expect, test } from 'vitest';
import { NetworkError } from '../../src/errors.ts';
import { createTrace, withObservers } from '../../src/http/observe.ts';
import { createRedactor } from '../../src/http/redact.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';
import { safeCell } from '../../src/output/safe-text.ts';
import { createManualClock } from '../support/clocks.ts';

const write: HttpRequest = {
  method: 'PUT',
  base: 'https://host.test/api/v2',
  path: '/timesheets/1/approve',
  query: [['workspace_id', '7']],
  headers: { authorization: 'Bearer tok-123456789' },
  body: { workspace_id: 7 },
};

const trace = async (answer: HttpResponse | Error, request: HttpRequest = write) => {
  const lines: string[] = [];
  const clock = createManualClock(0);
  const redactor = createRedactor();
  redactor.register('tok-123456789');
  const next: Transport = () => {
    clock.set(12);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const tracer = createTrace((text) => lines.push(safeCell(text)), redactor);
  const sent = withObservers(next, [tracer], clock)(request);
  const ending = await sent.catch((error: unknown) => error);
  return { lines, ending };
};

describe('tracing', () => {
  test('tells the request and its answer, without secrets', async () => {
    const answer = {
      status: 200,
      headers: { 'content-type': 'application/json', 'set-cookie': 'session=1' },
      body: '{"success":true,"data":{"token":"whsec_1","echo":"tok-123456789"}}',
    };
    const { lines, ending } = await trace(answer);
    expect(ending).toBe(answer);
    expect(lines).toEqual([
      '→ 00:00:00.000Z PUT https://host.test/api/v2/timesheets/1/approve?workspace_id=7',
      '→ authorization: Bearer ***',
      '→ {"workspace_id":7}',
      '← 00:00:00.012Z 200 in 12 ms',
      '← content-type: application/json',
      '← set-cookie: ***',
      '← {"success":true,"data":{"token":"***","echo":"***"}}',
    ]);
  });

  test('a long body is cut, after the masking', async () => {
    const body = `${'x'.repeat(4090)}tok-123456789${'y'.repeat(5000)}`;
    const { lines } = await trace({ status: 200, headers: {}, body });
    const last = lines.at(-1) ?? '';
    expect(last).toMatch(/^← x{4090}\*\*\*yyy… \(9093 characters in all\)$/);
  });

  test('nothing in an answer steers the terminal or begins a line', async () => {
    const { lines } = await trace({
      status: 200,
      headers: { 'x-evil': '\u009b2J' },
      body: 'a\n::error::b\u001b[2J\u202e\u200b\r\u2028 ##vso[task.setvariable]',
    });
    expect(lines.slice(-2)).toEqual([
      '← x-evil: \\x9b2J',
      '← a\\n::error::b\\x1b[2J\\u202e\\u200b\\r\\u2028 \\x23#vso[task.setvariable]',
    ]);
  });

  test('each line has the number of its request, and of the attempt after the first', async () => {
    const lines: string[] = [];
    const clock = createManualClock(0);
    const tracer = createTrace((text) => lines.push(safeCell(text)), createRedactor());
    const send = withObservers(async () => ({ status: 204, headers: {}, body: '' }), [tracer], clock);
    const number = { n: 3, attempt: 1, since: 0 };
    await send({ ...write, headers: {}, number });
    tracer.decision({ decision: 'retry', reason: 'rate_limited', ms: 500 }, { number }, clock.now());
    number.attempt = 2;
    await send({ ...write, headers: {}, number });
    expect(lines).toEqual([
      '→ 3 00:00:00.000Z PUT https://host.test/api/v2/timesheets/1/approve?workspace_id=7',
      '→ 3 {"workspace_id":7}',
      '← 3 00:00:00.000Z 204 in 0 ms',
      '* 3 00:00:00.000Z retry 500 ms: rate_limited',
      '→ 3.2 00:00:00.000Z PUT https://host.test/api/v2/timesheets/1/approve?workspace_id=7',
      '→ 3.2 {"workspace_id":7}',
      '← 3.2 00:00:00.000Z 204 in 0 ms',
    ]);
  });

  test('an error is told and passed on', async () => {
    const error = new NetworkError('no response from host.test within 30 s', true, {
      code: 'timeout',
      reason: 'tok-123456789',
    });
    const { lines, ending } = await trace(error);
    expect(ending).toBe(error);
    expect(lines.at(-1)).toBe(
      '← 00:00:00.012Z timeout: no response from host.test within 30 s (***) after 12 ms',
    );
  });
});
