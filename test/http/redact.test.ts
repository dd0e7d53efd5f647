import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/http/redact.ts';

const redactorFor = (...secrets: string[]) => {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.register(secret);
  return redactor;
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** How a secret may be written by all that we use and know. */
const encodings: readonly [string, (secret: string, before: string, after: string) => string][] = [
  ['raw', (secret) => secret],
  ['percent-encoded', (secret) => encodeURIComponent(secret)],
  [
    'percent-encoded in lower case',
    (secret) => encodeURIComponent(secret).replace(/%../g, (c) => c.toLowerCase()),
  ],
  ['a form', (secret) => new URLSearchParams([['k', secret]]).toString()],
  ['a URL', (secret) => new URL(`https://x.test/?q=${encodeURIComponent(secret)}`).href],
  ['JSON', (secret) => JSON.stringify({ a: [secret] })],
  [
    'JSON kept to ASCII',
    (secret) =>
      JSON.stringify(secret).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  ],
  ['JSON with escaped slashes', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
  ['base64', (secret) => base64(secret)],
  ['base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['Basic', (secret, before, after) => `Basic ${base64(`${before}:${secret}${after}`)}`],
  ['base64url within', (secret, before, after) => Buffer.from(before + secret + after).toString('base64url')],
];

const secretText = fc.oneof(
  fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme' }),
  fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' }),
  fc.base64String({ minLength: 12, maxLength: 60 }),
);

describe('a registered value', () => {
  test.each(encodings)('does not get through as %s', (_name, encode) => {
    fc.assert(
      fc.property(
        secretText,
        fc.string({ maxLength: 9 }),
        fc.string({ maxLength: 9 }),
        (secret, before, after) => {
          const written = encode(secret, before, after);
          const shown = redactorFor(secret).text(`~ ${written} ~`);
          expect(shown).not.toContain(secret);
          expect(shown).not.toContain(written.replace(/^Basic /, ''));
          expect(shown).toContain('***');
          expect(shown.startsWith('~ ')).toBe(true);
          expect(shown.endsWith(' ~')).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('nothing of it is left at the edges of a Basic credential', () => {
    const shown = redactorFor('correct-horse-battery').text(`x: ${base64('client:correct-horse-battery')} y`);
    expect(shown).toBe('x: *** y');
  });

  test('overlapping and nested secrets leave no rest', () => {
    const redactor = redactorFor('abcdef', 'defghi', 'bcde12', 'cdefgh');
    expect(redactor.text('<abcdefghi>')).toBe('<***>');
    expect(redactor.text('abcdefabcdef')).toBe('******');
  });

  test('text without secrets stays as it is', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abc {}[]",:.é\n') });
    fc.assert(
      fc.property(word, (text) => {
        expect(redactorFor('ZZZZZZZZ-1').text(text)).toBe(text);
      }),
    );
  });

  test('a short one is ignored: it would mask half of every text', () => {
    expect(redactorFor('12345').text('id 12345')).toBe('id 12345');
  });
});

describe('secrets that nobody registered', () => {
  const { text, json, header } = createRedactor();

  test.each([
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer ***'],
    ['Send a valid Bearer token.', 'Send a valid Bearer token.'],
    ['Authorization: Bearer token-12', 'Authorization: Bearer ***'],
    ['/cb?code=abc&state=xyz&x=1', '/cb?code=***&state=***&x=1'],
    ['grant_type=refresh_token&refresh_token=abc&client_secret=d%20e', null],
    ['{"access_token":"a\\"b","expires_in":5,"refresh_token" : "c"}', null],
    ['{"set-cookie":"session=1","cookie": "a=b"}', '{"set-cookie":"***","cookie": "***"}'],
    ['{"invitation_link":"https://x.test/i/1","user_id":5}', '{"invitation_link":"***","user_id":5}'],
    ['{"error":{"code":"insufficient_scope","exit":4}}', '{"error":{"code":"insufficient_scope","exit":4}}'],
    ['to http://me:canary@x.test:80/a?b=c@d', 'to http://me:***@x.test:80/a?b=c@d'],
    ['{"url":"http:\\/\\/me:canary@x.test"}', '{"url":"http:\\/\\/me:***@x.test"}'],
    ['http://x.test:80/a@b and http://me@x.test', 'http://x.test:80/a@b and http://me@x.test'],
    ['token_type=Bearer&status=ok', 'token_type=Bearer&status=ok'],
  ])('%s', (given, expected) => {
    const shown = text(given);
    if (expected !== null) expect(shown).toBe(expected);
    else expect(shown).not.toMatch(/=abc|d%20e|a\\"b|"c"/);
  });

  test('keys of JSON, at any depth', () => {
    const given = {
      access_token: 'a',
      refreshToken: 'b',
      'client-secret': 'c',
      data: [{ token: 'whsec', id: 'w1', password: 5, code: 'x', state: 'y', code_verifier: 'z' }],
      authorization: { scheme: 'x' },
      invitation_link: 'https://x.test',
      'Set-Cookie': ['a=b'],
      token_type: 'Bearer',
      expires_in: 1296000,
      secret: null,
      tax_state: 'Bremen',
      status: 'open',
    };
    const before = JSON.stringify(given);
    expect(json(given)).toEqual({
      access_token: '***',
      refreshToken: '***',
      'client-secret': '***',
      data: [{ token: '***', id: 'w1', password: '***', code: '***', state: '***', code_verifier: '***' }],
      authorization: '***',
      invitation_link: '***',
      'Set-Cookie': '***',
      token_type: 'Bearer',
      expires_in: 1296000,
      secret: null,
      tax_state: 'Bremen',
      status: 'open',
    });
    expect(JSON.stringify(given)).toBe(before);
  });

  test.each([
    ['authorization', 'Bearer abc', 'Bearer ***'],
    ['Authorization', 'abc', '***'],
    ['proxy-authorization', 'Basic abc', 'Basic ***'],
    ['cookie', 'a=b', '***'],
    ['set-cookie', 'a=b', '***'],
    ['x-api-key', 'abc', '***'],
    ['location', '/cb?code=abc', '/cb?code=***'],
    ['retry-after', '60', '60'],
  ])('header %s: %s', (name, value, expected) => {
    expect(header(name, value)).toBe(expected);
  });

  test('JSON without secret keys keeps its value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value).replaceAll('=', '-'));
        expect(json(plain)).toEqual(plain);
      }),
    );
  });
});
