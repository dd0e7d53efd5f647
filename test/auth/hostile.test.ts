import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Begun, begin, freePort, home, isFree, service, useService } from '../support/oauth.ts';

/** The loopback server among enemies: they are refused, and the wait goes on. */

useService({ withSecret: true });
let port: number;
let signIn: Begun;
beforeEach(async () => {
  port = await freePort();
  const redirect = `http://127.0.0.1:${port}/callback`;
  signIn = await begin(['auth', 'login', '--no-browser', '--redirect-uri', redirect], home.env);
});
afterEach(async () => {
  signIn.kill('SIGKILL');
  await signIn.ended;
});

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

/** Kinds of request that are not the answer; `state` is the true one, `n` makes each another. */
const enemies = (state: string): readonly ((n: number) => readonly [string, number])[] => [
  (n) => [request(`GET /callback?code=c${n}&state=${'x'.repeat(43)}`), 400],
  (n) => [request(`GET /callback?code=c${n}`), 400],
  (n) => [request(`GET /callback?code=c${n}&state=`), 400],
  (n) => [request(`GET /callback?code=c${n}&state=${state.slice(0, -1)}`), 400],
  (n) => [request(`GET /callback?code=c${n}&state=${state}x`), 400],
  (n) => [request(`GET /callback?code=c${n}&state=${state}&state=${state}`), 400],
  (n) => [request(`GET /callback?code=a&code=c${n}&state=${state}`), 400],
  () => [request(`GET /callback?state=${state}`), 400],
  () => [request(`GET /callback?code=&state=${state}`), 400],
  (n) => [request(`GET /callback?code=${'c'.repeat(5_000)}${n}&state=${state}`), 400],
  (n) => [request(`GET /callback?error=e${n}&state=nobody`), 400],
  (n) => [request(`POST /callback?code=c${n}&state=${state}`, undefined, 'Content-Length: 0\r\n'), 405],
  (n) => [request(`HEAD /callback?code=c${n}&state=${state}`), 405],
  (n) => [request(`OPTIONS /callback?code=c${n}&state=${state}`), 405],
  (n) => [request(`GET /callback/?code=c${n}&state=${state}`), 404],
  (n) => [request(`GET /CALLBACK?code=c${n}&state=${state}`), 404],
  (n) => [request(`GET /?code=c${n}&state=${state}`), 404],
  () => [request('GET /signed-in'), 404],
  () => [request('GET /favicon.ico'), 404],
  (n) => [request(`GET /callback?code=c${n}&state=${state}`, 'evil.example'), 421],
  (n) => [request(`GET /callback?code=c${n}&state=${state}`, `evil.example:${port}`), 421],
  (n) => [request(`GET /callback?code=c${n}&state=${state}`, '127.0.0.1:1'), 421],
  (n) => [request(`GET /callback?code=c${n}&state=${state}`, `localhost:${port}`), 421],
  (n) => [request(`GET http://evil.example/callback?code=c${n}&state=${state}`), 400],
  () => [`GARBAGE\r\n\r\n`, 400],
  () => [`GET /callback HTTP/1.1\r\n\r\n`, 400],
  () => [request('GET /callback', undefined, `X: ${'y'.repeat(20_000)}\r\n`), 431],
];

const COUNT = 1_000;
const AT_ONCE = 20;

describe('1,000 hostile requests and 50 half-open connections', () => {
  it('are refused; then the true answer signs in, with one exchange', async () => {
    const state = new URL(signIn.url).searchParams.get('state') ?? '';
    const halfOpen: Socket[] = Array.from({ length: 50 }, (_, n) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      if (n % 2 === 0) socket.write(`GET /callback?code=x&state=${state} HTTP/1.1\r\nHos`);
      return socket;
    });
    const kinds = enemies(state);
    for (let n = 0; n < COUNT; n += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, k) => {
          const [bytes, status] = kinds[(n + k) % kinds.length]?.(n + k) ?? ['', 0];
          expect((await raw(bytes)).split('\r\n')[0], bytes.slice(0, 120)).toContain(` ${status} `);
        }),
      );
    }
    expect(service.calls).toEqual([]);
    const target = service.redirectOf(signIn.url);
    const page = await fetch(target);
    expect(await page.text()).toContain('Approved');
    const { exit } = await signIn.ended;
    expect(exit).toBe(0);
    expect(service.calls).toHaveLength(1);
    expect(service.isLive(home.pair())).toBe(true);
    expect(await isFree(port)).toBe(true);
    for (const socket of halfOpen) socket.destroy();
  });
});

describe('the true answer', () => {
  it('that comes five times at once is exchanged once', async () => {
    const target = service.redirectOf(signIn.url);
    await Promise.all(Array.from({ length: 5 }, () => fetch(target).catch(() => undefined)));
    expect((await signIn.ended).exit).toBe(0);
    expect(service.calls).toHaveLength(1);
  });

  it('has its text escaped in the page', async () => {
    const target = new URL(service.redirectOf(signIn.url, true));
    target.searchParams.set('error_description', '</p><script>alert(1)</script>"\'&');
    const page = await (await fetch(target)).text();
    expect(page).not.toContain('<script');
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;');
    const { exit, stderr } = await signIn.ended;
    expect(exit).toBe(3);
    expect(stderr).toContain('<script>alert(1)</script>');
  });

  it('cannot steer the terminal', async () => {
    const target = new URL(service.redirectOf(signIn.url, true));
    target.searchParams.set('error_description', 'no\u001b[2J\u202eevil');
    await fetch(target);
    const { stderr } = await signIn.ended;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stderr).not.toMatch(/\u001b|\u202e/);
  });
});

it('only this machine is listened at', async () => {
  const { networkInterfaces } = await import('node:os');
  const others = Object.values(networkInterfaces())
    .flat()
    .flatMap((face) => (face === undefined || face.internal || face.family !== 'IPv4' ? [] : [face.address]));
  for (const host of others) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, host, () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    expect(open, host).toBe(false);
  }
});
