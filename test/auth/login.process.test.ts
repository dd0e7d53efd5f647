import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeEach, describe, expect, it } from 'vitest';
import { words } from '../support/in-process.ts';
import { closing } from '../support/loopback.ts';
import {
  begin,
  freePort,
  home,
  isFree,
  run,
  service,
  type TokenReply,
  useService,
} from '../support/oauth.ts';
import { promptly } from '../support/process.ts';

/** Signing in by OAuth2, with the built program. */

useService({ withSecret: true });
let port: number;
let redirect: string;
beforeEach(async () => {
  port = await freePort();
  redirect = `http://127.0.0.1:${port}/callback`;
});

const login = (more = '', env: Record<string, string> = {}, input: readonly string[] = []) =>
  begin(words(`auth login --no-browser --redirect-uri ${redirect} ${more}`), { ...home.env, ...env }, input);

describe('auth login', () => {
  it('sends a person to the authorization host, and the code to the token host', async () => {
    const { url, ended } = await login('--scope read --scope write --json');
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
    expect(await (await fetch(target)).text()).toContain('Approved');
    const { exit, stdout } = await ended;
    const signedIn = {
      profile: 'default',
      account: 'ana@example.com',
      workspace: 7,
      scopes: ['read', 'write'],
    };
    expect([exit, JSON.parse(stdout)]).toEqual([0, expect.objectContaining(signedIn)]);
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
    const first = await fetch(service.redirectOf(url), { redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/signed-in']);
    const second = await fetch(`http://127.0.0.1:${port}/signed-in`);
    for (const answer of [first, second]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
    expect(second.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await second.text()).not.toMatch(/code|canary/);
    expect((await ended).exit).toBe(0);
  });

  it('shows the secret in a header with --client-auth basic, and when it renews', async () => {
    const { url, ended } = await login('--client-auth basic');
    await fetch(service.redirectOf(url));
    expect((await ended).exit).toBe(0);
    expect((await run('auth refresh')).exit).toBe(0);
    for (const { form, authorization } of service.calls) {
      expect(form).not.toHaveProperty('client_secret');
      expect(authorization).toMatch(/^Basic /);
    }
    expect(service.calls).toHaveLength(2);
  });

  it('takes the secret, then the address, from stdin', async () => {
    const { secret } = service.client;
    const { url, type, ended } = await login('--client-secret-stdin', { TTCTL_CLIENT_SECRET: '' }, [secret]);
    type(service.redirectOf(url));
    expect((await ended).exit).toBe(0);
    expect(home.read().profiles.default).toMatchObject({ client_secret: secret });
  });

  it('signs a client in by its own right', async () => {
    const { exit, stdout } = await run('auth login --client-credentials --scope read --json');
    expect([exit, JSON.parse(stdout).refresh_expires_at]).toEqual([0, null]);
    const { id: client_id, secret: client_secret } = service.client;
    const form = { grant_type: 'client_credentials', client_id, client_secret, scope: 'read' };
    expect(service.calls.map((call) => call.form)).toEqual([form]);
    expect(home.read().profiles.default).toMatchObject({ kind: 'client', scopes: ['read'] });
  });
});

describe('what does not end in a sign-in', () => {
  it('at another address: the sign-in of before is kept, and works', async () => {
    home.keep(service.issue());
    const before = home.read().profiles.default;
    const other = service.baseUrl.replace('127.0.0.1', 'localhost');
    const line = 'auth login --client-credentials --workspace nosuch';
    const { exit, stderr } = await run(`${line} --base-url ${other}`);
    expect([exit, service.calls.length]).toEqual([2, 1]);
    expect(stderr).toContain(`Profile default keeps its sign-in at ${service.baseUrl}.`);
    expect(home.read().profiles.default).toEqual(before);
    expect((await run('members list')).exit).toBe(0);
    // At its own address the new one is as good, and perhaps the only one that still works.
    expect((await run(line)).stderr).not.toContain('keeps its sign-in');
    expect(home.read().profiles.default).toMatchObject({ kind: 'client' });
  });

  it('the port in use: exit 3 at once, and never another port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const { exit, stderr } = await run(`auth login --no-browser --redirect-uri ${redirect}`);
    expect([exit, stderr]).toEqual([3, expect.stringContaining(redirect)]);
    await closing(other, () => other.closeAllConnections());
  });

  const EVIL = '--redirect-uri https://evil.example/callback';
  it.each([
    [`auth login --no-browser ${EVIL}`, /^error: --redirect-uri is not on/],
    [`auth login --dry-run ${EVIL}`, /^error: --redirect-uri is not on/],
    [`profile set ${EVIL}`, /^error: --redirect-uri is not on/],
    ['auth login', /--no-browser[\s\S]*--client-credentials[\s\S]*--token-stdin/],
    ['auth login --no-browser', /missing --base-url, --auth-url, --token-url, --client-id/],
  ])('%s, where nobody can be asked: exit 2 before anything is', async (line, told) => {
    const { exit, stderr } = await run(line, { TTCTL_CONFIG_DIR: `${home.folder}/none` });
    expect([exit, stderr]).toEqual([2, expect.stringMatching(told)]);
  });

  it('no client secret: exit 2, with its flag', async () => {
    const { exit, stderr } = await run('auth login --no-browser', { TTCTL_CLIENT_SECRET: '' });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--client-secret-stdin')]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s: ends within two seconds and frees the port', async (signal, exit) => {
    const { kill, ended } = await login();
    expect(await isFree(port)).toBe(false);
    kill(signal);
    expect([(await promptly(ended)).exit, await isFree(port)]).toEqual([exit, true]);
  });

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
    expect([exit, stderr]).toEqual([3, expect.stringContaining('does not belong to this sign-in')]);
    expect(service.calls).toHaveLength(1);
  });

  it('a stdin that ends at once does not end the wait: the browser may come', async () => {
    const { url, endInput, ended } = await login();
    endInput();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await fetch(service.redirectOf(url));
    expect((await ended).exit).toBe(0);
  });

  it.each<[string, TokenReply]>([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>x</h1>' }],
    ['a redirect', { status: 307, headers: { location: 'https://evil.example/' } }],
    ['a cut', { cut: true }],
  ])('%s from the token host: exit 7, what is stored stays', async (_name, reply) => {
    home.keep(service.issue());
    const before = home.text();
    service.mood.reply = () => reply;
    const { url, ended } = await login();
    await fetch(service.redirectOf(url));
    expect([(await ended).exit, home.text(), service.calls.length]).toEqual([7, before, 1]);
  });

  it('a wrong client secret: exit 3, named', async () => {
    const { url, ended } = await login('', { TTCTL_CLIENT_SECRET: 'not-the-secret' });
    await fetch(service.redirectOf(url));
    const { exit, stderr } = await ended;
    expect([exit, stderr]).toEqual([3, expect.stringContaining('client secret')]);
  });
});

describe('the loopback server among enemies', () => {
  it('refuses 1,000 hostile requests and 50 half-open connections; then the true answer signs in, with one exchange', async () => {
    /** Bytes as they are; answers the status line, or nothing for a connection that is just cut. */
    const raw = (bytes: string): Promise<string> =>
      new Promise((resolve) => {
        let text = '';
        const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1');
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(text));
      });
    const request = (line: string, host = `127.0.0.1:${port}`, more = ''): string =>
      `${line} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
    /** Requests that are not the answer, and their status; `state` is the true one, `n` makes each another. */
    const enemies = (state: string, n: number): readonly (readonly [string, number])[] => {
      const code = `code=c${n}`;
      const true_ = `${code}&state=${state}`;
      const queries = [
        ...[`${code}&state=${'x'.repeat(43)}`, code, `${code}&state=`, `${code}&state=${state.slice(0, -1)}`],
        ...[
          `${true_}x`,
          `${true_}&state=${state}`,
          `code=a&${true_}`,
          `state=${state}`,
          `code=&state=${state}`,
        ],
        ...[`code=${'c'.repeat(5_000)}${n}&state=${state}`, `error=e${n}&state=nobody`],
      ].map((query): [string, number] => [request(`GET /callback?${query}`), 400]);
      const methods = ['POST', 'HEAD', 'OPTIONS'].map((method): [string, number] => {
        const length = method === 'POST' ? 'Content-Length: 0\r\n' : '';
        return [request(`${method} /callback?${true_}`, undefined, length), 405];
      });
      const paths = [`/callback/?${true_}`, `/CALLBACK?${true_}`, `/?${true_}`, '/signed-in', '/favicon.ico'];
      const hosts = ['evil.example', `evil.example:${port}`, '127.0.0.1:1', `localhost:${port}`];
      return [
        ...[...queries, ...methods],
        ...paths.map((path): [string, number] => [request(`GET ${path}`), 404]),
        ...hosts.map((host): [string, number] => [request(`GET /callback?${true_}`, host), 421]),
        [request(`GET http://evil.example/callback?${true_}`), 400],
        ['GARBAGE\r\n\r\n', 400],
        ['GET /callback HTTP/1.1\r\n\r\n', 400],
        [request('GET /callback', undefined, `X: ${'y'.repeat(20_000)}\r\n`), 431],
      ];
    };
    const { url, ended } = await login();
    const state = new URL(url).searchParams.get('state') ?? '';
    const [COUNT, AT_ONCE] = [1_000, 20];
    const halfOpen: Socket[] = Array.from({ length: 50 }, (_, n) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      if (n % 2 === 0) socket.write(`GET /callback?code=x&state=${state} HTTP/1.1\r\nHos`);
      return socket;
    });
    for (let n = 0; n < COUNT; n += AT_ONCE) {
      const attacks = Array.from({ length: AT_ONCE }, async (_, k) => {
        const kinds = enemies(state, n + k);
        const [bytes, status] = kinds[(n + k) % kinds.length] ?? ['', 0];
        expect((await raw(bytes)).split('\r\n')[0], bytes.slice(0, 120)).toContain(` ${status} `);
      });
      await Promise.all(attacks);
    }
    expect(service.calls).toEqual([]);
    expect(await (await fetch(service.redirectOf(url))).text()).toContain('Approved');
    expect((await ended).exit).toBe(0);
    expect([service.calls.length, service.isLive(home.pair()), await isFree(port)]).toEqual([1, true, true]);
    for (const socket of halfOpen) socket.destroy();
  });

  it('exchanges the true answer once, though it comes five times at once', async () => {
    const { url, ended } = await login();
    const target = service.redirectOf(url);
    await Promise.all(Array.from({ length: 5 }, () => fetch(target).catch(() => undefined)));
    expect([(await ended).exit, service.calls.length]).toEqual([0, 1]);
  });

  it('denied: exit 3 at once; the text of the service is escaped in the page, and in the terminal what could steer it', async () => {
    const { url, ended } = await login('--json');
    const target = new URL(service.redirectOf(url, true));
    const text = '</p><script>alert(1)</script>"\'&no\u001b[2J\u202eevil';
    target.searchParams.set('error_description', text);
    const page = await (await fetch(target)).text();
    expect(page).toContain('Not signed in');
    expect(page).not.toContain('<script');
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;');
    const { exit, stderr } = await promptly(ended);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect([exit, error.code, service.calls, await isFree(port)]).toEqual([3, 'access_denied', [], true]);
    expect(JSON.stringify(error)).toContain('<script>alert(1)</script>');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stderr).not.toMatch(/\u001b|\u202e/);
  });

  it('listens at this machine alone', async () => {
    await login();
    const faces = Object.values(networkInterfaces()).flat();
    for (const face of faces) {
      if (face === undefined || face.internal || face.family !== 'IPv4') continue;
      const open = await new Promise((resolve) => {
        const socket = connect(port, face.address, () => resolve(true));
        socket.on('error', () => resolve(false));
      });
      expect(open, face.address).toBe(false);
    }
  });
});
