import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/auth/credentials.ts';
import { parseTokenResponse } from '../../src/auth/oauth.ts';
import { isRenewalDue } from '../../src/auth/session.ts';

/** What an answer of the token host makes of a stored sign-in. */

const stored: Credential = {
  kind: 'oauth',
  base_url: 'https://service.example/api/v2',
  token_url: 'https://service.example',
  client_id: 'c',
  access_token: 'old-access',
  refresh_token: 'old-refresh',
  created_at: '2026-11-01T00:00:00.000Z',
  access_expires_at: '2026-11-16T00:00:00.000Z',
  refresh_expires_at: '2026-12-01T00:00:00.000Z',
  scopes: ['read'],
};

const ASKED = Date.parse('2026-11-20T09:00:00Z');

/** As it is written down: what is not known is not there. */
const renewed = (answer: object): Credential => {
  const response = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token_type: 'Bearer', access_token: 'new-access', ...answer }),
  };
  return JSON.parse(JSON.stringify({ ...stored, ...parseTokenResponse(response, ASKED) }));
};

describe('a renewed sign-in', () => {
  it('has the new tokens and their ends: the life that is told, and 30 days for the refresh token', () => {
    expect(renewed({ refresh_token: 'new-refresh', expires_in: 1_296_000, scope: 'read write' })).toEqual({
      ...stored,
      access_token: 'new-access',
      refresh_token: 'new-refresh',
      created_at: '2026-11-20T09:00:00.000Z',
      access_expires_at: '2026-12-05T09:00:00.000Z',
      refresh_expires_at: '2026-12-20T09:00:00.000Z',
      scopes: ['read', 'write'],
    });
  });

  it('has no end where the answer tells none: that of the old token is not its own', () => {
    const credential = renewed({ refresh_token: 'new-refresh' });
    expect(credential).not.toHaveProperty('access_expires_at');
    expect(isRenewalDue(credential, ASKED)).toBe(false);
  });

  it('keeps the refresh token and its end where the answer brings no other', () => {
    expect(renewed({ expires_in: 60 })).toMatchObject({
      refresh_token: 'old-refresh',
      refresh_expires_at: '2026-12-01T00:00:00.000Z',
      access_expires_at: '2026-11-20T09:01:00.000Z',
      scopes: ['read'],
    });
  });
});

const good = { token_type: 'Bearer', expires_in: 1_296_000, access_token: 'at_new', refresh_token: 'rt_new' };
const body = (change: object) => ({ body: JSON.stringify({ ...good, ...change }) });

const MALFORMED: readonly (readonly [string, { headers?: Record<string, string>; body: string }])[] = [
  ['nothing', { body: '' }],
  ['two documents', { body: `${JSON.stringify(good)}{}` }],
  ['a list', { body: `[${JSON.stringify(good)}]` }],
  ['null', { body: 'null' }],
  ['a number', { body: '7' }],
  ['an empty object', { body: '{}' }],
  ['the envelope', { body: JSON.stringify({ success: true, data: good }) }],
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Signed in</h1>' }],
  ['JSON called text', { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(good) }],
  ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'access_token=x' }],
  ['no access token', body({ access_token: undefined })],
  ['an empty access token', body({ access_token: '' })],
  ['an access token that is null', body({ access_token: null })],
  ['an access token that is a number', body({ access_token: 5 })],
  ['an access token that is an object', body({ access_token: { value: 'x' } })],
  ['an access token with a line break', body({ access_token: 'at\r\nx-evil: 1' })],
  ['an access token with a space', body({ access_token: 'at new' })],
  ['an access token beyond ASCII', body({ access_token: 'at_\u202e' })],
  ['an access token of 20,000 characters', body({ access_token: 'x'.repeat(20_000) })],
  ['another kind of token', body({ token_type: 'mac' })],
  ['a refresh token that is a number', body({ refresh_token: 7 })],
  ['an empty refresh token', body({ refresh_token: '' })],
  ['a lifetime below nothing', body({ expires_in: -1 })],
  ['a lifetime in words', body({ expires_in: 'soon' })],
  ['an error with status 200', { body: '{"error":"invalid_grant"}' }],
];

it.each(MALFORMED)('of no use is %s', (_name, reply) => {
  const response = { status: 200, headers: { 'content-type': 'application/json' }, ...reply };
  expect(() => parseTokenResponse(response, 0)).toThrow(
    expect.objectContaining({ exit: 7, code: 'token_answer' }),
  );
});
