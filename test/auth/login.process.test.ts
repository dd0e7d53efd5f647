import { createServer } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { closing } from '../support/loopback.ts';
import { begin, freePort, home, isFree, service, type TokenReply, useService } from '../support/oauth.ts';
import { promptly, runBinary } from '../support/process.ts';

/** Signing in by OAuth2, with the built program. */

useService();
let port: number;
let redirect: string;
beforeEach(async () => {
  port = await freePort();
  redirect = `http://127.0.0.1:${port}/callback`;
});

const env = (more: Record<string, string> = {}) => ({
  ...home.env,
  TTCTL_CLIENT_SECRET: service.client.secret,
  ...more,
});
const login = (more: readonly string[] = [], input: readonly string[] = []) =>
  begin(['auth', 'login', '--no-browser', '--redirect-uri', redirect, ...more], env(), input);
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers, redirect: 'manual' });

describe('auth login', () => {
  it('sends a person to the authorization host, and the code to the token host', async () => {
    const { url, ended } = await login(['--scope', 'read', '--scope', 'write', '--json']);
    const asked = new URL(url);
    expect(`${asked.origin}${asked.pathname}`).toBe(`${service.origin}/oauth/authorize`);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'app-1',
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'read write',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const target = service.redirectOf(url);
    const page = await fetch(target);
    expect(await page.text()).toContain('Approved');
    const { exit, stdout } = await ended;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'default',
      account: 'ana@example.com',
      workspace: 7,
      scopes: ['read', 'write'],
    });
    expect(home.read().profiles.default).toMatchObject({ account: 'ana@example.com' });
    expect(service.calls).toEqual([
      {
        authorization: undefined,
        form: {
          grant_type: 'authorization_code',
          client_id: 'app-1',
          client_secret: service.client.secret,
          code: new URL(target).searchParams.get('code'),
          redirect_uri: redirect,
          code_verifier: expect.stringMatching(/^[\w-]{43,128}$/),
        },
      },
    ]);
    expect(service.isLive(home.pair())).toBe(true);
    // What was granted is on the disk before it is used.
    expect(service.requests.map(({ line, token }) => [line, token])).toEqual([
      ['GET /api/v2/workspaces', home.pair().access],
      ['GET /api/v2/members/17?workspace_id=7', home.pair().access],
    ]);
  });

  it('shows pages that keep nothing: no code in the address bar, no cache, no referrer', async () => {
    const { url, ended } = await login();
    const first = await get(service.redirectOf(url));
    expect([first.status, first.headers.get('location')]).toEqual([303, '/signed-in']);
    const second = await get(`http://127.0.0.1:${port}/signed-in`);
    for (const answer of [first, second]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
    expect(second.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await second.text()).not.toMatch(/code|canary/);
    expect((await ended).exit).toBe(0);
  });

  it('shows the secret in a header with --client-auth basic, and when it renews', async () => {
    const { url, ended } = await login(['--client-auth', 'basic']);
    await fetch(service.redirectOf(url));
    expect((await ended).exit).toBe(0);
    expect((await runBinary(['auth', 'refresh'], { env: home.env })).exit).toBe(0);
    for (const { form, authorization } of service.calls) {
      expect(form).not.toHaveProperty('client_secret');
      expect(authorization).toMatch(/^Basic /);
    }
    expect(service.calls).toHaveLength(2);
  });

  it('takes the secret, then the address, from stdin', async () => {
    const { TTCTL_CLIENT_SECRET: _none, ...without } = env();
    const args = ['auth', 'login', '--no-browser', '--redirect-uri', redirect, '--client-secret-stdin'];
    const { url, type, ended } = await begin(args, without, [service.client.secret]);
    type(service.redirectOf(url));
    expect((await ended).exit).toBe(0);
    expect(home.read().profiles.default).toMatchObject({ client_secret: service.client.secret });
  });

  it('signs a client in by its own right', async () => {
    const args = ['auth', 'login', '--client-credentials', '--scope', 'read', '--json'];
    const { exit, stdout } = await runBinary(args, { env: env() });
    expect([exit, JSON.parse(stdout).refresh_expires_at]).toEqual([0, null]);
    expect(service.calls.map(({ form }) => form)).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'app-1',
        client_secret: service.client.secret,
        scope: 'read',
      },
    ]);
    expect(home.read().profiles.default).toMatchObject({ kind: 'client', scopes: ['read'] });
  });
});

describe('what does not end in a sign-in', () => {
  it('denied: a plain page, exit 3 at once', async () => {
    const { url, ended } = await login(['--json']);
    const answer = fetch(service.redirectOf(url, true)).then((page) => page.text());
    const { exit, stderr } = await promptly(ended);
    const page = await answer;
    expect(page).toContain('Not signed in');
    expect(page).toContain('The user denied the &#60;b&#62;request&#60;/b&#62;.');
    expect([exit, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code]).toEqual([
      3,
      'access_denied',
    ]);
    expect(service.calls).toEqual([]);
    expect(await isFree(port)).toBe(true);
  });

  it('the port in use: exit 3 at once, and never another port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const args = ['auth', 'login', '--no-browser', '--redirect-uri', redirect];
    const { exit, stderr } = await promptly(runBinary(args, { env: env() }));
    expect(exit).toBe(3);
    expect(stderr).toContain(redirect);
    await closing(other, () => other.closeAllConnections());
  });

  it.each(['auth login --no-browser', 'auth login --dry-run', 'profile set'])(
    'a redirect address on another machine, with %s: exit 2 before anything is asked for',
    async (command) => {
      const args = [...command.split(' '), '--redirect-uri', 'https://evil.example/callback'];
      const bare = { ...home.env, TTCTL_CONFIG_DIR: `${home.folder}/none` };
      const { exit, stderr } = await runBinary(args, { env: bare });
      expect([exit, stderr]).toEqual([2, expect.stringContaining('error: --redirect-uri is not on')]);
    },
  );

  it('no terminal: exit 2 at once, with the other ways', async () => {
    const { exit, stderr } = await promptly(runBinary(['auth', 'login'], { env: env() }));
    expect(exit).toBe(2);
    expect(stderr).toMatch(/--no-browser[\s\S]*--client-credentials[\s\S]*--token-stdin/);
  });

  it('missing values: exit 2, all flags named', async () => {
    const bare = { ...home.env, TTCTL_CONFIG_DIR: `${home.folder}/none` };
    const { exit, stderr } = await runBinary(['auth', 'login', '--no-browser'], { env: bare });
    expect(exit).toBe(2);
    expect(stderr).toContain('missing --base-url, --auth-url, --token-url, --client-id');
    const noSecret = await runBinary(['auth', 'login', '--no-browser'], { env: home.env });
    expect([noSecret.exit, noSecret.stderr]).toEqual([2, expect.stringContaining('--client-secret-stdin')]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: ends within two seconds and frees the port',
    async (signal) => {
      const { kill, ended } = await login();
      expect(await isFree(port)).toBe(false);
      kill(signal);
      const { exit } = await promptly(ended);
      expect(exit).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(await isFree(port)).toBe(true);
    },
  );

  it('a pasted address that is not it is asked for again; none that is: exit 3', async () => {
    const wrong = [`${redirect}?code=x&state=y`, 'hello', 'https://evil.example/callback?code=x', ''];
    const first = await login();
    for (const line of wrong) first.type(line);
    first.type(service.redirectOf(first.url));
    expect((await first.ended).exit).toBe(0);
    const second = await login();
    for (const line of wrong) second.type(line);
    second.endInput();
    const { exit, stderr } = await second.ended;
    expect(exit).toBe(3);
    expect(stderr).toContain('does not belong to this sign-in');
    expect(service.calls).toHaveLength(1);
  });

  it('a stdin that ends at once does not end the wait: the browser may come', async () => {
    const { url, endInput, ended } = await login();
    endInput();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await fetch(service.redirectOf(url));
    expect((await ended).exit).toBe(0);
  });

  const useless: readonly (readonly [string, TokenReply])[] = [
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>x</h1>' }],
    ['cut JSON', { body: '{"access_token":"x' }],
    ['no token', { body: '{"token_type":"Bearer"}' }],
    ['a redirect', { status: 307, headers: { location: 'https://evil.example/' } }],
    ['a cut', { cut: true }],
  ];
  it.each(useless)('%s from the token host: exit 7, what is stored stays', async (_name, reply) => {
    home.keep(service.issue());
    const before = home.text();
    service.mood.reply = () => reply;
    const { url, ended } = await login();
    await fetch(service.redirectOf(url));
    expect((await ended).exit).toBe(7);
    expect(home.text()).toBe(before);
    expect(service.calls).toHaveLength(1);
  });

  it('a wrong client secret: exit 3, named', async () => {
    const { url, ended } = await begin(
      ['auth', 'login', '--no-browser', '--redirect-uri', redirect],
      env({ TTCTL_CLIENT_SECRET: 'not-the-secret' }),
    );
    await fetch(service.redirectOf(url));
    const { exit, stderr } = await ended;
    expect(exit).toBe(3);
    expect(stderr).toContain('client secret');
  });
});
