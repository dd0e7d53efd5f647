import { describe, expect, it } from 'vitest';
import type { Credential, CredentialStore } from '../../src/auth/credentials.ts';
import { Session, type SessionOptions } from '../../src/auth/session.ts';

/** Which credential a run uses, and where none may go. */

const stored = (token: string, baseUrl = 'https://api.example.com/api/v2'): Credential => ({
  kind: 'personal',
  base_url: baseUrl,
  access_token: token,
});

const variable = (value: string) => ({ value, from: 'environment', name: 'TTCTL_TOKEN' }) as const;

const setUp = (more: Partial<SessionOptions> = {}, profiles: Record<string, Credential> = {}) => {
  const registered: string[] = [];
  const credentials = {
    file: '/home/ana/credentials.json',
    read: (profile: string) => profiles[profile],
  } as unknown as CredentialStore;
  const session = new Session({
    profile: 'work',
    given: undefined,
    baseUrl: 'https://api.example.com/api/v2',
    store: credentials,
    register: (secret) => registered.push(secret),
    clock: { now: () => Date.parse('2026-11-20T09:00:00Z') },
    timeZone: () => 'UTC',
    warn: () => {},
    renew: () => Promise.reject(new Error('a token of this kind is not renewed')),
    ...more,
  });
  return { session, registered, profiles };
};

describe('the token', () => {
  it('of the environment wins over what is stored', async () => {
    const { session } = setUp({ given: variable('env') }, { work: stored('kept') });
    expect(await session.token()).toBe('env');
    expect(await session.identity()).toEqual({ profile: 'work', kind: 'environment', source: 'TTCTL_TOKEN' });
  });

  it('is registered as a secret before it is used', async () => {
    const { session, registered } = setUp({}, { work: stored('kept') });
    await session.token();
    expect(registered).toContain('kept');
  });

  it('that is missing is exit 3, with the command that gets one', async () => {
    await expect(setUp().session.token()).rejects.toMatchObject({
      exit: 3,
      code: 'not_signed_in',
      hint: expect.stringContaining('ttctl auth login --profile work'),
    });
  });
});

describe('a stored token never goes to another origin:', () => {
  it.each([
    'https://evil.example/api/v2',
    'https://api.example.com.evil.example/api/v2',
    'https://api.example.com:8443/api/v2',
    'http://api.example.com/api/v2',
    'http://127.0.0.1:8080/api/v2',
  ])('%s', async (baseUrl) => {
    const { session, registered } = setUp({ baseUrl }, { work: stored('kept') });
    await expect(session.token()).rejects.toMatchObject({ exit: 2, code: 'wrong_origin' });
    expect(registered).toEqual([]);
  });
});

describe('a sandbox token is not sent to', () => {
  it.each([
    'https://api.example.com/api/v2',
    'https://127.0.0.1.evil.example/',
    'https://localhost.evil.example/',
    'https://1.2.3.4/',
    'https://[2001:db8::1]/',
    'https://0.0.0.0/',
  ])('%s', async (baseUrl) => {
    const inEnvironment = setUp({ given: variable('sbx_pat_1'), baseUrl }).session;
    await expect(inEnvironment.token()).rejects.toMatchObject({ exit: 2, code: 'sandbox_token' });
    const kept = setUp({ baseUrl }, { work: stored('sbx_pat_1', baseUrl) }).session;
    await expect(kept.token()).rejects.toMatchObject({ exit: 2, code: 'sandbox_token' });
  });

  it.each([
    'http://127.0.0.1:8080/api/v2',
    'http://localhost/api/v2',
    'http://[::1]:1/',
    'http://127.9.9.9/',
  ])('but is to %s', async (baseUrl) => {
    const { session } = setUp({ given: variable('sbx_pat_1'), baseUrl });
    expect(await session.token()).toBe('sbx_pat_1');
  });
});

describe('the embedded sandbox', () => {
  const ownerToken = async () => 'sbx_owner';
  const baseUrl = 'http://localhost/api/v2';

  it('signs its owner in by itself', async () => {
    const { session } = setUp({ profile: 'sandbox', ownerToken, baseUrl });
    expect(await session.token()).toBe('sbx_owner');
    expect(await session.identity()).toMatchObject({ kind: 'sandbox', source: 'the embedded sandbox' });
  });

  it('is not shown a token of the real service', async () => {
    const { session, registered } = setUp({
      profile: 'sandbox',
      ownerToken,
      baseUrl,
      given: variable('real'),
    });
    expect(await session.token()).toBe('sbx_owner');
    expect(registered).not.toContain('real');
  });
});

describe('after a 401', () => {
  it('a token that another process has stored meanwhile is tried', async () => {
    const { session, profiles } = setUp({}, { work: stored('old') });
    expect(await session.token()).toBe('old');
    profiles['work'] = stored('new');
    expect(await session.token()).toBe('old');
    expect(await session.renew('old')).toBe('new');
    expect(await session.token()).toBe('new');
  });

  it('the same token is not tried again', async () => {
    const { session } = setUp({}, { work: stored('old') });
    expect(await session.renew('old')).toBeUndefined();
    expect(await setUp({ given: variable('env') }).session.renew('env')).toBeUndefined();
  });

  const renewable = (token: string): Credential => ({
    ...stored(token),
    kind: 'oauth',
    refresh_token: 'r',
    token_url: 'https://h',
    client_id: 'c',
  });
  const renewing = (from: string, to: string) => {
    let asked = 0;
    const profiles = { work: renewable(from) };
    const renewal = async () => {
      asked += 1;
      profiles.work = renewable(to);
      return profiles.work;
    };
    return { ...setUp({ renew: renewal }, profiles), asked: () => asked };
  };

  it('several requests share one renewal', async () => {
    const { session, asked } = renewing('old', 'new');
    await session.token();
    const tokens = await Promise.all([1, 2, 3].map(() => session.renew('old')));
    expect([tokens, asked()]).toEqual([['new', 'new', 'new'], 1]);
  });

  it('a token that was just had by renewal, and is refused, is not renewed again', async () => {
    const { session, asked } = renewing('old', 'new');
    await session.token();
    expect(await session.renew('old')).toBe('new');
    expect(await session.renew('new')).toBeUndefined();
    expect(asked()).toBe(1);
  });
});
