import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { NetworkError } from '../../src/errors.ts';
import { createTrace, withObservers } from '../../src/http/observe.ts';
import { createRedactor } from '../../src/http/redact.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';
import { safeCell } from '../../src/output/safe-text.ts';
import { createManualClock } from '../support/clocks.ts';

/** What is shown of requests, and what never is. */

function redactorFor(...secrets: string[]) {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.register(secret);
  return redactor;
}

const secretText = fc.oneof(
  fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme' }),
  fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' }),
  fc.base64String({ minLength: 12, maxLength: 60 }),
);

describe('a registered value', () => {
  it.each<readonly [string, (secret: string) => string]>([
    ['raw', (secret) => secret],
    ['percent-encoded', (secret) => encodeURIComponent(secret)],
    ['a form', (secret) => new URLSearchParams([['k', secret]]).toString()],
    ['JSON', (secret) => JSON.stringify({ a: [secret] })],
    ['cut off', (secret) => `${secret.slice(0, 8)}…`],
  ])('does not get through as %s', (_name, encode) => {
    fc.assert(
      fc.property(secretText, (secret) => {
        const shown = redactorFor(secret).text(`~ ${encode(secret)} ~`);
        expect(shown).toMatch(/^~.*\*\*\*.*~$/s);
        expect(shown).not.toContain(encode(secret));
        expect(shown).not.toContain(secret.slice(0, 8));
      }),
      { numRuns: 200 },
    );
  });

  it('leaves no rest of one secret within another', () => {
    expect(redactorFor('bcdefg', 'abcdefgh').text('<abcdefgh> bcdefg')).toBe('<***> ***');
  });

  it('leaves text without secrets as it is, and words that only begin alike', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abc {}[]",:.é\n') });
    fc.assert(
      fc.property(word, (text) => {
        expect(redactorFor('ZZZZZZZZ-1').text(text)).toBe(text);
      }),
    );
    expect(redactorFor('secret-of-mine').text('secret-of-yours')).toBe('secret-of-yours');
  });

  it('is ignored if it is short: it would mask half of every text', () => {
    expect(redactorFor('12345').text('id 12345')).toBe('id 12345');
  });

  it('may be one of the environment', () => {
    const env = {
      TTCTL_TOKEN: 'canary-1',
      TTCTL_CLIENT_SECRET: 'canary-2',
      TTCTL_TOKEN_CREATED: '2026-08-01',
    };
    expect(createRedactor(env).text('canary-1 canary-2 2026-08-01')).toBe('*** *** 2026-08-01');
  });
});

describe('secrets that nobody registered', () => {
  const { text, json, header } = createRedactor();

  it.each([
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer ***'],
    ['Send a valid Bearer token.', 'Send a valid Bearer token.'],
    ['Basic Y2xpZW50OnNlY3JldA==', 'Basic ***'],
    ['/cb?code=abc&state=xyz&x=1', '/cb?code=***&state=***&x=1'],
    ['refresh_token=abc&client_secret=d%20e', 'refresh_token=***&client_secret=***'],
    ["-f 'auth[token]=abc' auth.token=abc", "-f 'auth[token]=***' auth.token=***"],
    ['/a?auth%5Btoken%5D=abc&user[Access-Token][]=d', '/a?auth%5Btoken%5D=***&user[Access-Token][]=***'],
    ['{"access_token":"a\\"b","refresh_token" : 5}', '{"access_token":"***","refresh_token" : "***"}'],
    ['{"auth[token]":"a","auth":{"token":"b"}}', '{"auth[token]":"***","auth":{"token":"***"}}'],
    ['{"invitation_link":"https://x.test/i/1","user_id":5}', '{"invitation_link":"***","user_id":5}'],
    ['{"error":{"code":"insufficient_scope","exit":4}}', '{"error":{"code":"insufficient_scope","exit":4}}'],
    ['to http://me:canary@x.test:80/a?b=c@d', 'to http://me:***@x.test:80/a?b=c@d'],
    ['http://x.test:80/a@b and http://me@x.test', 'http://x.test:80/a@b and http://me@x.test'],
  ])('%s', (given, expected) => expect(text(given)).toBe(expected));

  it('are found by keys of JSON at any depth', () => {
    const given = {
      refreshToken: 'b',
      'client-secret': 'c',
      'auth[token]': 'd',
      data: [{ token: ['whsec'], id: 'w1', password: 5, code: 'x', state: 'y', code_verifier: 'z' }],
      'Set-Cookie': ['a=b'],
      token_type: 'Bearer',
      secret: null,
      tax_state: 'Bremen',
    };
    const before = JSON.stringify(given);
    expect(json(given)).toEqual({
      ...given,
      ...{ refreshToken: '***', 'client-secret': '***', 'auth[token]': '***', 'Set-Cookie': '***' },
      data: [{ token: '***', id: 'w1', password: '***', code: '***', state: '***', code_verifier: '***' }],
    });
    expect(JSON.stringify(given)).toBe(before);
  });

  it.each([
    ['authorization', 'Bearer abc', 'Bearer ***'],
    ['Authorization', 'abc', '***'],
    ['set-cookie', 'a=b', '***'],
    ['x-api-key', 'abc', '***'],
    ['location', '/cb?code=abc', '/cb?code=***'],
  ])('header %s: %s', (name, value, expected) => expect(header(name, value)).toBe(expected));
});

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
    const tracer = createTrace((text) => lines.push(text), createRedactor());
    const send = withObservers(async () => ({ status: 204, headers: {}, body: '' }), [tracer], clock);
    const number = { n: 3, attempt: 1, since: 0 };
    await send({ ...write, headers: {}, number });
    tracer.decision({ decision: 'retry', reason: 'rate_limited', ms: 500 }, { number }, clock.now());
    number.attempt = 2;
    await send({ ...write, headers: {}, number });
    const names = ['→ 3', '→ 3', '← 3', '* 3', '→ 3.2', '→ 3.2', '← 3.2'];
    expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(names);
    expect(lines[3]).toBe('* 3 00:00:00.000Z retry 500 ms: rate_limited');
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
