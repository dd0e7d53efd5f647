import { describe, expect, it } from 'vitest';
import type { Credential, CredentialStore } from '../../src/auth/credentials.ts';
import { parseTokenResponse } from '../../src/auth/oauth.ts';
import {
  describeExpiry,
  formatExpiryDay,
  getAccessExpiry,
  getSignInExpiry,
  isRenewable,
  isRenewalDue,
  Session,
  type SessionOptions,
} from '../../src/auth/session.ts';

/** Which credential a run uses, and where none may go; when tokens end (docs/service.md, Limits); answers with new ones. */

const BASE = 'https://api.example.com/api/v2';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const iso = (ms: number): string => new Date(ms).toISOString();
const UTC = () => 'UTC';

const personal = (access_token: string, created_at?: string, base_url = BASE): Credential => ({
  kind: 'personal',
  ...{ base_url, access_token },
  ...(created_at && { created_at }),
});
const oauth = (change: Partial<Credential> = {}): Credential => ({
  ...{ kind: 'oauth', base_url: BASE, token_url: 'https://h', client_id: 'c' },
  ...{ access_token: 't', refresh_token: 'r', created_at: iso(NOW) },
  ...{ access_expires_at: iso(NOW + 15 * DAY), refresh_expires_at: iso(NOW + 30 * DAY) },
  ...change,
});

const variable = (value: string) => ({ value, from: 'environment', name: 'TTCTL_TOKEN' }) as const;
const setUp = (more: Partial<SessionOptions> = {}, profiles: Record<string, Credential> = {}) => {
  const registered: string[] = [];
  const read = (profile: string) => profiles[profile];
  const session = new Session({
    ...{ profile: 'work', given: undefined, baseUrl: BASE, timeZone: UTC, warn: () => {} },
    store: { file: '/home/ana/credentials.json', read } as unknown as CredentialStore,
    register: (secret) => registered.push(secret),
    clock: { now: () => NOW },
    renew: () => Promise.reject(new Error('a token of this kind is not renewed')),
    ...more,
  });
  return { session, registered, profiles };
};

describe('the token', () => {
  it('is registered as a secret before it is used', async () => {
    const { session, registered } = setUp({}, { work: personal('kept') });
    await session.token();
    expect(registered).toContain('kept');
  });

  it.each([
    'https://evil.example/api/v2',
    'https://api.example.com.evil.example/api/v2',
    'https://api.example.com:8443/api/v2',
    'http://api.example.com/api/v2',
    'http://127.0.0.1:8080/api/v2',
  ])('that is stored never goes to another origin: %s', async (baseUrl) => {
    const { session, registered } = setUp({ baseUrl }, { work: personal('kept') });
    await expect(session.token()).rejects.toMatchObject({ exit: 2, code: 'wrong_origin' });
    expect(registered).toEqual([]);
  });

  it.each([
    ['https://api.example.com/api/v2', false],
    ['https://127.0.0.1.evil.example/', false],
    ['https://localhost.evil.example/', false],
    ['https://1.2.3.4/', false],
    ['https://[2001:db8::1]/', false],
    ['https://0.0.0.0/', false],
    ['http://127.0.0.1:8080/api/v2', true],
    ['http://localhost/api/v2', true],
    ['http://[::1]:1/', true],
    ['http://127.9.9.9/', true],
  ])('of a sandbox is sent to this machine alone: %s, %s', async (baseUrl, isSent) => {
    const inEnvironment = setUp({ given: variable('sbx_pat_1'), baseUrl }).session;
    const kept = setUp({ baseUrl }, { work: personal('sbx_pat_1', undefined, baseUrl) }).session;
    for (const session of [inEnvironment, kept])
      if (isSent) expect(await session.token()).toBe('sbx_pat_1');
      else await expect(session.token()).rejects.toMatchObject({ exit: 2, code: 'sandbox_token' });
  });

  it('of the embedded sandbox is its owner’s: it is not shown one of the real service', async () => {
    const options = { profile: 'sandbox', baseUrl: 'http://localhost/api/v2', given: variable('real') };
    const { session, registered } = setUp({ ...options, ownerToken: async () => 'sbx_owner' });
    expect(await session.token()).toBe('sbx_owner');
    expect(await session.identity()).toMatchObject({ kind: 'sandbox', source: 'the embedded sandbox' });
    expect(registered).not.toContain('real');
  });
});

describe('after a 401', () => {
  it('a token that another process has stored meanwhile is tried', async () => {
    const { session, profiles } = setUp({}, { work: personal('old') });
    expect(await session.token()).toBe('old');
    profiles['work'] = personal('new');
    expect(await session.token()).toBe('old');
    expect(await session.renew('old')).toBe('new');
    expect(await session.token()).toBe('new');
  });

  it('several requests share one renewal, and what it gave is not renewed again', async () => {
    let asked = 0;
    const profiles = { work: oauth({ access_token: 'old' }) };
    const renew = async () => {
      asked += 1;
      profiles.work = oauth({ access_token: 'new' });
      return profiles.work;
    };
    const { session } = setUp({ renew }, profiles);
    await session.token();
    const tokens = await Promise.all([1, 2, 3].map(() => session.renew('old')));
    expect([tokens, asked]).toEqual([['new', 'new', 'new'], 1]);
    expect(await session.renew('new')).toBeUndefined();
    expect(asked).toBe(1);
  });
});

describe('the end', () => {
  it.each([
    ['2026-05-20', '2026-11-20'],
    ['2026-08-31', '2027-02-28'],
    ['2027-08-31', '2028-02-29'],
    ['2026-11-02T10:00:00Z', '2027-05-02'],
  ])('of a Personal Access Token of %s is %s', (created, end) => {
    const token = personal('t', created);
    expect([getAccessExpiry(token), getSignInExpiry(token)]).toEqual([end, end]);
  });

  it('that is not known is not made up', () => {
    expect(getAccessExpiry(oauth({ access_expires_at: undefined }))).toBeNull();
    expect(getSignInExpiry(oauth({ refresh_expires_at: undefined }))).toBeNull();
    expect(isRenewalDue(oauth({ access_expires_at: undefined }), NOW)).toBe(false);
    expect(isRenewalDue(personal('t', '2020-01-01'), NOW)).toBe(false);
  });

  it('of a sign-in is that of its refresh token, or, once that is refused, of its access token', () => {
    expect(getSignInExpiry(oauth())).toBe(iso(NOW + 30 * DAY));
    for (const change of [{ dead: true }, { refresh_token: undefined }])
      expect(getSignInExpiry(oauth(change))).toBe(iso(NOW + 15 * DAY));
    expect(getSignInExpiry(oauth({ kind: 'client', refresh_token: undefined }))).toBeNull();
  });

  it('can be put off with a refresh token, its host and its client', () => {
    expect(isRenewable(oauth())).toBe(true);
    for (const lack of ['refresh_token', 'token_url', 'client_id'])
      expect(isRenewable(oauth({ [lack]: undefined })), lack).toBe(false);
    expect([isRenewable(oauth({ dead: true })), isRenewable(personal('t'))]).toEqual([false, false]);
  });

  it('of a minute is renewed after nine tenths of it, not from its start', () => {
    const short = oauth({ access_expires_at: iso(NOW + MINUTE) });
    expect([0, 53_000, 54_000].map((ms) => isRenewalDue(short, NOW + ms))).toEqual([false, false, true]);
  });

  it.each([
    ['2026-11-30', 'Pacific/Auckland', 'Nov 30'],
    ['2027-05-18', 'UTC', 'May 18 2027'],
    ['2026-11-30T23:30:00Z', 'UTC', 'Nov 30'],
    ['2026-11-30T23:30:00Z', 'Europe/Berlin', 'Dec 1'],
    ['2026-11-30T03:00:00+00:00', 'America/New_York', 'Nov 29'],
  ])('%s is in %s %s', (end, zone, day) => {
    expect(formatExpiryDay(end, NOW, () => zone)).toBe(day);
  });

  it.each([
    [30 * DAY, undefined],
    [30 * DAY - 1, '29 days'],
    [DAY, '1 day '],
    [DAY - 1, 'less than a day'],
    [-1, 'expired on'],
  ])('is told %i ms before that of a token: %s', (left, says) => {
    const token = { ...personal('t', '2026-11-01'), access_expires_at: iso(NOW + left) };
    expect(describeExpiry(token, NOW, UTC) ?? 'nothing').toContain(says ?? 'nothing');
  });

  it('of a sign-in that lives 30 days is told in its last week', () => {
    for (const day of [0, 22]) expect(describeExpiry(oauth(), NOW + day * DAY, UTC)).toBeUndefined();
    expect(describeExpiry(oauth(), NOW + 23 * DAY + 1, UTC)).toContain('6 days');
  });
});

const good = { token_type: 'Bearer', expires_in: 1_296_000, access_token: 'at_new', refresh_token: 'rt_new' };

const text = (change: object) => JSON.stringify({ ...good, ...change });

it.each([
  ['nothing', ''],
  ['two documents', `${text({})}{}`],
  ['a list', `[${text({})}]`],
  ['null', 'null'],
  ['a number', '7'],
  ['an empty object', '{}'],
  ['the envelope', JSON.stringify({ success: true, data: good })],
  ['HTML', '<h1>Signed in</h1>', 'text/html'],
  ['JSON called text', text({}), 'text/plain'],
  ['a form', 'access_token=x', 'application/x-www-form-urlencoded'],
  ['no access token', text({ access_token: undefined })],
  ['an empty access token', text({ access_token: '' })],
  ['an access token that is null', text({ access_token: null })],
  ['an access token that is a number', text({ access_token: 5 })],
  ['an access token that is an object', text({ access_token: { value: 'x' } })],
  ['an access token with a line break', text({ access_token: 'at\r\nx-evil: 1' })],
  ['an access token with a space', text({ access_token: 'at new' })],
  ['an access token beyond ASCII', text({ access_token: 'at_\u202e' })],
  ['an access token of 20,000 characters', text({ access_token: 'x'.repeat(20_000) })],
  ['another kind of token', text({ token_type: 'mac' })],
  ['a refresh token that is a number', text({ refresh_token: 7 })],
  ['an empty refresh token', text({ refresh_token: '' })],
  ['a lifetime below nothing', text({ expires_in: -1 })],
  ['a lifetime in words', text({ expires_in: 'soon' })],
  ['an error with status 200', '{"error":"invalid_grant"}'],
])('an answer of the token host is of no use where it is %s', (_name, body, type = 'application/json') => {
  const response = { status: 200, headers: { 'content-type': type }, body };
  const failure = expect.objectContaining({ exit: 7, code: 'token_answer' });
  expect(() => parseTokenResponse(response, 0)).toThrow(failure);
});
