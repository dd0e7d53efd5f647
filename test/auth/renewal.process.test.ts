import { describe, expect, it } from 'vitest';
import { home, service, type TokenReply, useService } from '../support/oauth.ts';
import { runBinary } from '../support/process.ts';

/** Keeping a sign-in alive, by the built program against a service with rotation. */

useService();

const run = (line: string, env: Record<string, string> = {}) =>
  runBinary(line.split(' '), { env: { ...home.env, ...env } });

describe('an access token', () => {
  it('that has ended is renewed before it is used, and the new pair is stored', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    const { exit, stderr } = await run('workspaces list --json');
    expect([exit, stderr]).toEqual([0, '']);
    expect(service.calls.map(({ form }) => form)).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: first.refresh,
        client_id: 'app-1',
        client_secret: service.client.secret,
      },
    ]);
    expect(service.isLive(home.pair())).toBe(true);
    expect(service.requests.map(({ token }) => token)).toEqual([home.pair().access]);
  });

  it('that gets a 401 is renewed once, and the request sent again', async () => {
    const first = service.issue();
    home.keep(first);
    service.endAccess(first.access);
    expect((await run('workspaces list --json')).exit).toBe(0);
    expect(service.requests.map(({ token }) => token)).toEqual([first.access, home.pair().access]);
    expect(service.calls).toHaveLength(1);
  });

  it('that is refused though it is new is not renewed again', async () => {
    home.keep(service.issue());
    service.mood.refuseAll = true;
    const { exit, stderr } = await run('workspaces list');
    expect(exit).toBe(3);
    expect(service.calls).toHaveLength(1);
    expect(stderr).toMatch(/profile default/);
    expect(stderr).toContain(home.file);
    expect(stderr).toContain('ttctl auth login --profile default');
  });

  it('of the environment is never renewed', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    const { exit, stderr } = await run('workspaces list', { TTCTL_TOKEN: 'at_of_somebody' });
    expect(exit).toBe(3);
    expect(stderr).toContain('TTCTL_TOKEN');
    expect(service.calls).toEqual([]);
    expect(home.pair()).toEqual(first);
  });

  it('of a client is had anew by the same grant', async () => {
    const { access } = service.issue();
    const changes = { kind: 'client', refresh_token: undefined, refresh_expires_at: undefined };
    home.keep({ access, refresh: '' }, -1000, changes);
    expect((await run('workspaces list')).exit).toBe(0);
    expect(service.calls.map(({ form }) => [form.grant_type, form.scope])).toEqual([
      ['client_credentials', 'read write'],
    ]);
    expect(home.pair().access).not.toBe(access);
  });
});

describe('a refresh token that the service refuses', () => {
  it('ends the sign-in: exit 3 with the command, marked dead, its bytes kept', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    service.endRefresh(first.refresh);
    const { exit, stderr } = await run('workspaces list');
    expect(exit).toBe(3);
    expect(stderr).toContain('ttctl auth login --profile default');
    expect(home.pair()).toEqual(first);
    expect(home.read().profiles.default).toMatchObject({ dead: true });
    // Nobody is asked any more.
    expect((await run('workspaces list')).exit).toBe(3);
    expect((await run('auth refresh')).exit).toBe(3);
    expect(service.calls).toHaveLength(1);
    expect(service.requests).toEqual([]);
  });

  it('leaves an access token in use that still works', async () => {
    const first = service.issue();
    home.keep(first, 60_000);
    service.endRefresh(first.refresh);
    for (const _ of [1, 2]) {
      const { exit, stderr } = await run('workspaces list');
      expect(exit).toBe(0);
      expect(stderr).toContain('warning:');
    }
    expect(service.calls).toHaveLength(1);
  });
});

describe('a fault of the network, or of the token host,', () => {
  it.each<[string, TokenReply]>([
    ['a cut', { cut: true }],
    ['500', { status: 500, body: '{"message":"Server Error"}' }],
    ['503 in HTML', { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>later</h1>' }],
    ['429', { status: 429, body: '{"message":"Too Many Attempts."}' }],
  ])('never signs out: %s', async (_name, reply) => {
    const first = service.issue();
    home.keep(first, -1000);
    const before = home.text();
    service.mood.reply = () => reply;
    expect((await run('workspaces list')).exit).toBe(7);
    expect(home.text()).toBe(before);
    service.mood.reply = undefined;
    expect((await run('workspaces list')).exit).toBe(0);
    expect(service.isLive(home.pair())).toBe(true);
  });

  it('with a wrong client secret keeps all, and names it', async () => {
    home.keep(service.issue(), -1000, { client_secret: 'wrong-secret' });
    const before = home.text();
    const { exit, stderr } = await run('workspaces list');
    expect([exit, home.text()]).toEqual([3, before]);
    expect(stderr).toContain('client secret');
    // A secret that was changed can be given without signing in again.
    expect((await run('workspaces list', { TTCTL_CLIENT_SECRET: service.client.secret })).exit).toBe(0);
  });
});

const good = { token_type: 'Bearer', expires_in: 1_296_000, access_token: 'at_new', refresh_token: 'rt_new' };
const body = (change: object): TokenReply => ({ body: JSON.stringify({ ...good, ...change }) });

describe('a malformed answer', () => {
  it.each<[string, TokenReply]>([
    ['cut JSON', { body: JSON.stringify(good).slice(0, -3) }],
    ['an answer of 100 KiB', body({ more: 'x'.repeat(100_000) })],
    [
      'a redirect',
      { status: 302, headers: { location: 'https://evil.example/' }, body: JSON.stringify(good) },
    ],
  ])('leaves what is stored byte for byte: %s', async (_name, reply) => {
    home.keep(service.issue(), -1000);
    const before = home.text();
    service.mood.reply = () => reply;
    const { exit, stderr } = await run('auth refresh');
    expect(exit).toBe(7);
    expect(stderr).toMatch(/^error: .*(token host|response from)/);
    expect(home.text()).toBe(before);
    expect(service.calls).toHaveLength(1);
  });

  it.each<[string, TokenReply, object]>([
    ['digits as text', body({ expires_in: '60' }), { refresh_token: 'rt_new' }],
    ['no lifetime', body({ expires_in: undefined }), { refresh_token: 'rt_new' }],
    ['no kind', body({ token_type: undefined }), { access_token: 'at_new' }],
    ['a kind in lower case', body({ token_type: 'bearer' }), { access_token: 'at_new' }],
    ['scopes', body({ scope: 'read' }), { scopes: ['read'] }],
  ])('is not one with %s', async (_name, reply, stored) => {
    home.keep(service.issue(), -1000);
    service.mood.reply = () => reply;
    expect((await run('auth refresh')).exit).toBe(0);
    expect(home.read().profiles.default).toMatchObject(stored);
  });

  it('nor one without a refresh token: the one before stays', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    service.mood.reply = () => body({ refresh_token: undefined });
    expect((await run('auth refresh')).exit).toBe(0);
    expect(home.pair()).toEqual({ access: 'at_new', refresh: first.refresh });
  });
});
