import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/auth/credentials.ts';
import { parseTokenResponse, toCredentialMembers } from '../../src/auth/oauth.ts';
import { isRenewalDue } from '../../src/auth/sign-in.ts';

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
  return JSON.parse(
    JSON.stringify({ ...stored, ...toCredentialMembers(parseTokenResponse(response), ASKED) }),
  );
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
