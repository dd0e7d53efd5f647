import { describe, expect, it } from 'vitest';
import { home, run, service, type TokenReply, useService } from '../support/oauth.ts';

/** Keeping a sign-in alive, against a service with rotation; what is stopped before it is sent, and told ahead. */

useService();

const DAY = 86_400_000;
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const CLIENT = { kind: 'client', refresh_token: undefined, refresh_expires_at: undefined };
const PERSONAL = { ...CLIENT, kind: 'personal', token_url: undefined };

describe('an access token', () => {
  it('that has ended is renewed before it is used, and the new pair is stored', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    expect(await run('workspaces list --json')).toMatchObject({ exit: 0, stderr: '' });
    const { id: client_id, secret: client_secret } = service.client;
    const form = { grant_type: 'refresh_token', refresh_token: first.refresh, client_id, client_secret };
    expect(service.calls.map((call) => call.form)).toEqual([form]);
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
    expect([exit, service.calls.length]).toEqual([3, 1]);
    for (const told of ['profile default', home.file, 'ttctl auth login --profile default'])
      expect(stderr).toContain(told);
  });

  it('of the environment is never renewed', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    const { exit, stderr } = await run('workspaces list', { TTCTL_TOKEN: 'at_of_somebody' });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('TTCTL_TOKEN')]);
    expect([service.calls, home.pair()]).toEqual([[], first]);
  });

  it('of a client is had anew by the same grant', async () => {
    const { access } = service.issue();
    home.keep({ access, refresh: '' }, -1000, CLIENT);
    expect((await run('workspaces list')).exit).toBe(0);
    const grants = service.calls.map(({ form }) => [form.grant_type, form.scope]);
    expect(grants).toEqual([['client_credentials', 'read write']]);
    expect(home.pair().access).not.toBe(access);
  });
});

describe('a refresh token that the service refuses', () => {
  it('ends the sign-in: exit 3 with the command, marked dead, its bytes kept', async () => {
    const first = service.issue();
    home.keep(first, -1000);
    service.endRefresh(first.refresh);
    const { exit, stderr } = await run('workspaces list');
    expect([exit, stderr]).toEqual([3, expect.stringContaining('ttctl auth login --profile default')]);
    expect(home.pair()).toEqual(first);
    expect(home.read().profiles.default).toMatchObject({ dead: true });
    // Nobody is asked any more.
    for (const line of ['workspaces list', 'auth refresh']) expect((await run(line)).exit).toBe(3);
    expect([service.calls.length, service.requests]).toEqual([1, []]);
  });

  it('leaves an access token in use that still works', async () => {
    const first = service.issue();
    home.keep(first, 60_000);
    service.endRefresh(first.refresh);
    for (const _ of [1, 2])
      expect(await run('workspaces list')).toMatchObject({
        exit: 0,
        stderr: expect.stringContaining('warning:'),
      });
    expect(service.calls).toHaveLength(1);
  });
});

const good = { token_type: 'Bearer', expires_in: 1_296_000, access_token: 'at_new', refresh_token: 'rt_new' };
const body = (change: object): TokenReply => ({ body: JSON.stringify({ ...good, ...change }) });

describe('an answer of the token host', () => {
  it.each<[string, TokenReply]>([
    ['a cut', { cut: true }],
    ['500', { status: 500, body: '{"message":"Server Error"}' }],
    ['503 in HTML', { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>later</h1>' }],
    ['429', { status: 429, body: '{"message":"Too Many Attempts."}' }],
    ['cut JSON', { body: JSON.stringify(good).slice(0, -3) }],
    ['an answer of 100 KiB', body({ more: 'x'.repeat(100_000) })],
    ['a redirect', { ...body({}), status: 302, headers: { location: 'https://evil.example/' } }],
  ])(
    'that is of no use never signs out, and leaves what is stored byte for byte: %s',
    async (_name, reply) => {
      home.keep(service.issue(), -1000);
      const before = home.text();
      service.mood.reply = () => reply;
      const { exit, stderr } = await run('workspaces list');
      expect([exit, stderr]).toEqual([
        7,
        expect.stringMatching(/^error: .*(token host|127\.0\.0\.1|response)/),
      ]);
      expect([home.text(), service.calls.length]).toEqual([before, 1]);
      service.mood.reply = undefined;
      expect((await run('workspaces list')).exit).toBe(0);
      expect(service.isLive(home.pair())).toBe(true);
    },
  );

  it('with a wrong client secret keeps all, and names it', async () => {
    home.keep(service.issue(), -1000, { client_secret: 'wrong-secret' });
    const before = home.text();
    const { exit, stderr } = await run('workspaces list');
    expect([exit, home.text(), stderr]).toEqual([3, before, expect.stringContaining('client secret')]);
    // A secret that was changed can be given without signing in again.
    expect((await run('workspaces list', { TTCTL_CLIENT_SECRET: service.client.secret })).exit).toBe(0);
  });

  it.each<[string, TokenReply, object]>([
    ['digits as text', body({ expires_in: '60' }), { life: 60_000, refresh: 30 * DAY }],
    [
      'no lifetime: that of the old token is not its own',
      body({ expires_in: undefined }),
      { life: undefined },
    ],
    ['no kind', body({ token_type: undefined }), { life: 15 * DAY, refresh: 30 * DAY }],
    ['a kind in lower case', body({ token_type: 'bearer' }), { life: 15 * DAY }],
    ['scopes', body({ scope: 'read' }), { scopes: ['read'] }],
    [
      'no refresh token: the one before stays, and its end',
      body({ refresh_token: undefined }),
      { life: 15 * DAY },
    ],
  ])('is taken with %s', async (_name, reply, expected) => {
    const first = service.issue();
    home.keep(first, -1000);
    const before = home.read().profiles.default ?? {};
    service.mood.reply = () => reply;
    expect((await run('auth refresh')).exit).toBe(0);
    const kept = home.read().profiles.default ?? {};
    const told = JSON.parse(reply.body ?? '').refresh_token;
    expect([kept['access_token'], kept['refresh_token']]).toEqual(['at_new', told ?? first.refresh]);
    if (told === undefined) expect(kept['refresh_expires_at']).toBe(before['refresh_expires_at']);
    const since = (end: unknown) => end && Date.parse(String(end)) - Date.parse(String(kept['created_at']));
    const [life, refresh] = [since(kept['access_expires_at']), since(kept['refresh_expires_at'])];
    expect({ life, refresh, scopes: kept['scopes'] }).toMatchObject(expected);
  });
});

describe('a token that may only read', () => {
  it.each([
    'projects create --name Apollo',
    'timesheets approve t1 t2 --yes',
    'timesheets approve t1',
    'api POST /projects --field name=Apollo',
  ])('stops before sending: %s', async (line) => {
    home.keep(service.issue(), undefined, { scopes: ['read'] });
    const { exit, stderr } = await run(`${line} --json`);
    expect(exit).toBe(4);
    expect(errorOf(stderr)).toMatchObject({
      code: 'insufficient_scope',
      hint: expect.stringContaining('ttctl auth login --profile default --scope read,write'),
      ...{ required_scope: ['write', 'admin'], granted_scope: ['read'] },
    });
    expect(service.requests.filter(({ line }) => !line.startsWith('GET'))).toEqual([]);
  });

  it.each([[['write']], [['admin']], [undefined]])('is none with %j', async (scopes) => {
    home.keep(service.issue(), undefined, { scopes });
    expect((await run('projects create --name Apollo')).exit).toBe(0);
    expect(service.requests.filter(({ line }) => !line.startsWith('GET'))).toHaveLength(1);
  });
});

describe('auth check', () => {
  it.each([
    ['', 20, 0],
    [' --min-days 21', 20, 10],
    ['', 13, 10],
    ['', -1, 10],
  ])('%s with %i days left: exit %i', async (flags, days, exit) => {
    home.keep(service.issue(), days * DAY + 3_600_000, PERSONAL);
    const ended = await run(`auth check --json${flags}`);
    expect(ended.exit).toBe(exit);
    expect(JSON.parse(ended.stdout)).toMatchObject({ profile: 'default', days_left: days });
    expect(service.requests).toEqual([]);
  });

  const dayAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

  it.each([
    [dayAgo(30), '', 0],
    [dayAgo(30), ' --min-days 180', 10],
    [dayAgo(180), ' --strict', 10],
    ['2020-08-31', '', 10],
    ['2026-02-30', '', 2],
    ['soon', ' --strict', 2],
  ])('of a token in the environment that was made on %s:%s exit %i', async (created, flags, exit) => {
    const ended = await run(`auth check --json${flags}`, { TTCTL_TOKEN: 'x', TTCTL_TOKEN_CREATED: created });
    expect(ended.exit).toBe(exit);
    if (exit === 2) expect(ended.stderr).toContain('TTCTL_TOKEN_CREATED');
    else
      expect(JSON.parse(ended.stdout).ends_at).toMatch(
        created === '2020-08-31' ? /^2021-02-28$/ : /^\d{4}-\d\d-\d\d$/,
      );
    // The way out is another token, and no sign-in.
    expect(ended.stderr).not.toContain('auth login');
    expect(service.requests).toEqual([]);
  });

  it('without a sign-in is exit 3; of a client, which has no end, exit 0', async () => {
    expect((await run('auth check')).exit).toBe(3);
    home.keep(service.issue(), undefined, CLIENT);
    expect((await run('auth check')).exit).toBe(0);
    expect((await run('auth check --min-days soon')).exit).toBe(2);
  });
});

it('auth token prints the token, renewed first when it is about to end', async () => {
  const first = service.issue();
  home.keep(first);
  expect(await run('auth token')).toMatchObject({ exit: 0, stdout: `${first.access}\n` });
  home.keep(first, 1000);
  const { stdout } = await run('auth token --json');
  expect(JSON.parse(stdout)).toEqual({ profile: 'default', access_token: home.pair().access });
  expect(home.pair().access).not.toBe(first.access);
  expect((await run('auth token', { TTCTL_TOKEN: 'mine-1234' })).stdout).toBe('mine-1234\n');
});

describe('auth refresh', () => {
  it('renews now, whatever is left', async () => {
    const first = service.issue();
    home.keep(first);
    expect((await run('auth refresh --dry-run')).exit).toBe(0);
    expect(service.calls).toEqual([]);
    const { exit, stdout } = await run('auth refresh --json');
    expect([exit, JSON.parse(stdout).renewed]).toEqual([0, true]);
    expect([service.isLive(home.pair()), service.isLive(first)]).toEqual([true, false]);
  });

  it('of what cannot be renewed says why: exit 3, and with TTCTL_TOKEN exit 2', async () => {
    expect((await run('auth refresh')).exit).toBe(3);
    home.keep(service.issue(), undefined, { ...PERSONAL, token_url: service.origin });
    const { exit, stderr } = await run('auth refresh');
    expect([exit, stderr]).toEqual([3, expect.stringContaining('Personal Access Token')]);
    expect((await run('auth refresh', { TTCTL_TOKEN: 'mine-1234' })).exit).toBe(2);
    expect(service.calls).toEqual([]);
  });
});
