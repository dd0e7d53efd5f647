import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/http/redact.ts';
import { quickClock } from '../support/clocks.ts';
import { useCli } from '../support/use-cli.ts';

/** What is shown of requests, and what never is. */

function redactorFor(...secrets: string[]) {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.register(secret);
  return redactor;
}

describe('a registered value', () => {
  it.each<readonly [string, (secret: string) => string]>([
    ['raw', (secret) => secret],
    ['percent-encoded', (secret) => encodeURIComponent(secret)],
    ['a form', (secret) => new URLSearchParams([['k', secret]]).toString()],
    ['JSON', (secret) => JSON.stringify({ a: [secret] })],
    ['cut off', (secret) => `${secret.slice(0, 8)}…`],
  ])('does not get through as %s', (_name, encode) => {
    const [minLength, maxLength] = [12, 60];
    const secretText = fc.oneof(
      fc.string({ minLength, maxLength, unit: 'grapheme' }),
      fc.string({ minLength, maxLength, unit: 'grapheme-ascii' }),
      fc.base64String({ minLength, maxLength }),
    );
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

describe('--debug', () => {
  const t = useCli({ clock: quickClock, env: { TTCTL_TOKEN: 'tok-123456789' } });
  /** The lines of requests, without their times and what differs from run to run. */
  const debug = async (line: string): Promise<readonly string[]> => {
    const { stderr } = await t.run(`${line} --debug`);
    const lines = stderr.split('\n').filter((each) => /^[→←*]/.test(each));
    return lines
      .map((each) => each.replace(/ [\d:.]+Z/, '').replace(/ \d+ ms$/, ' … ms'))
      .filter(
        (each) =>
          !/x-request-id|^← \S+ (date|connection|keep-alive|transfer-encoding|content-\w+): /.test(each),
      );
  };

  it('tells each request, each attempt and each answer, without secrets', async () => {
    const answers = [
      { status: 429, headers: { 'retry-after': '1' }, body: {} },
      { headers: { 'set-cookie': 'session=1' }, body: { data: { token: 'whsec_1', echo: 'tok-123456789' } } },
    ];
    t.answer = (_request, index) => answers[index] ?? {};
    expect(await debug('api PUT /members/17 --typed-field weekly_hours_limit=8')).toEqual([
      `→ 1 PUT ${t.baseUrl}/members/17?workspace_id=7`,
      '→ 1 authorization: Bearer ***',
      '→ 1 {"weekly_hours_limit":8}',
      '← 1 429 in … ms',
      '← 1 retry-after: 1',
      '← 1 {}',
      '* 1 retry 1000 ms: rate_limited',
      `→ 1.2 PUT ${t.baseUrl}/members/17?workspace_id=7`,
      '→ 1.2 authorization: Bearer ***',
      '→ 1.2 {"weekly_hours_limit":8}',
      '← 1.2 200 in … ms',
      '← 1.2 set-cookie: ***',
      '← 1.2 {"data":{"token":"***","echo":"***"}}',
    ]);
  });

  it('cuts a long body, after the masking', async () => {
    t.answer = () => ({ body: `${'x'.repeat(4090)}tok-123456789${'y'.repeat(5000)}` });
    expect((await debug('api /x')).at(-1)).toMatch(/^← 1 x{4090}\*\*\*yyy… \(9093 characters in all\)$/);
  });

  it('lets nothing in an answer steer the terminal or begin a line', async () => {
    const body = 'a\n::error::b\u001b[2J\u202e\u200b\r\u2028 ##vso[task.setvariable]';
    t.answer = () => ({ headers: { 'x-evil': '\u009b2J' }, body });
    expect((await debug('api /x')).slice(-2)).toEqual([
      '← 1 x-evil: \\x9b2J',
      '← 1 a\\n::error::b\\x1b[2J\\u202e\\u200b\\r\\u2028 \\x23#vso[task.setvariable]',
    ]);
  });

  it('tells why there is no answer', async () => {
    t.answer = () => ({ cut: true });
    expect((await debug('api -X PUT /x')).slice(-2)).toEqual([
      expect.stringMatching(/^← 1 connection_reset: 127\.0\.0\.1:\d+ closed .* after … ms$/),
      '* 1 give_up: unknown_outcome',
    ]);
  });
});
