import { expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { NetworkError } from '../../src/errors.ts';
import { realClock } from '../../src/platform/machine.ts';
import { startConnectProxy, startServer } from '../support/loopback.ts';
import { freePort } from '../support/oauth.ts';
import { closeKept, keep, request, senderFor, startSilent, write } from './lanes.ts';

closeKept();

/** A write that surely did not reach the service says so. */

const attempt = (
  base: string,
  env: Record<string, string> = {},
  timeoutMs = 5000,
  clock: Clock = realClock,
): Promise<NetworkError> =>
  senderFor(env, { timeoutMs, clock })
    .transport(request(base, write))
    .then(
      () => expect.unreachable(),
      (error) => error,
    );

it('connection refused', async () => {
  const port = await freePort();
  const error = await attempt(`http://127.0.0.1:${port}`);
  expect(error).toMatchObject({ code: 'connection_refused', sent: false, exit: 7 });
  expect(error.message).toBe(`cannot connect to 127.0.0.1:${port}`);
  expect(error.reason).toContain('ECONNREFUSED');
  expect(error.details).toEqual({ request: 'PUT /members', host: `127.0.0.1:${port}` });
});

it('a name that cannot be found', async () => {
  expect(await attempt('http://nobody.invalid')).toMatchObject({ code: 'dns', sent: false });
});

it('time up while the secure connection is being made', async () => {
  const error = await attempt(`https://127.0.0.1:${await startSilent()}`, {}, 80);
  expect(error).toMatchObject({ code: 'timeout', sent: false });
  expect(error.message).toMatch(/^could not connect to 127\.0\.0\.1:\d+ within 0.08 s$/);
});

it('a server without TLS', async () => {
  const server = keep(await startServer(() => {}));
  expect(await attempt(`https://127.0.0.1:${server.port}`)).toMatchObject({ code: 'tls', sent: false });
  expect(server.received).toEqual([]);
});

it('a proxy that cannot be reached', async () => {
  const proxy = `http://anna:hush-hush@127.0.0.1:${await freePort()}`;
  for (const base of ['http://service.test', 'https://service.test']) {
    const error = await attempt(base, { http_proxy: proxy, https_proxy: proxy });
    expect(error).toMatchObject({ code: 'proxy', sent: false });
    expect(error.message).toMatch(
      /^the request to service\.test did not get through the proxy http:\/\/127\.0\.0\.1:\d+$/,
    );
    expect(error.reason).toContain('ECONNREFUSED');
    expect(JSON.stringify([error.message, error.reason, error.hint, error.details])).not.toContain('hush');
  }
});

it.each(['http', 'https'])('a proxy that wants to know who asks (%s)', async (scheme) => {
  const server = keep(await startServer((_received, response) => response.end('{}')));
  const proxy = keep(await startConnectProxy({ route: () => server.port, login: 'anna:secret' }));
  const env = (login: string) => {
    const url = `http://${login}127.0.0.1:${proxy.port}`;
    return { HTTP_PROXY: url, HTTPS_PROXY: url };
  };
  const base = `${scheme}://service.test`;
  const error = await attempt(base, env(''));
  expect(error).toMatchObject({ code: 'proxy', sent: false });
  expect(`${error.message} ${error.reason}`).toContain('407');
  expect(error.hint).toContain('HTTPS_PROXY=http://name:password@host:port');
  expect(server.received).toEqual([]);
  if (scheme === 'https') return;
  const answer = await senderFor(env('anna:secret@')).transport(request(base, write));
  expect(answer.status).toBe(200);
  expect(proxy.seen.at(-1)).toBe('PUT http://service.test/members');
  expect(server.received[0]?.headers['proxy-authorization']).toBe('Basic YW5uYTpzZWNyZXQ=');
});

it('a proxy that never answers', async () => {
  const proxy = keep(await startConnectProxy({ route: () => undefined, silent: true }));
  // Time is up once it has been asked.
  const sleep = () => expect.poll(() => proxy.seen, { timeout: 30_000 }).toHaveLength(1);
  const error = await attempt('https://service.test', { https_proxy: `127.0.0.1:${proxy.port}` }, 60_000, {
    ...realClock,
    sleep,
  });
  expect(error).toMatchObject({ code: 'timeout', sent: false });
  expect(error.message).toContain(`through the proxy http://127.0.0.1:${proxy.port}`);
  expect(proxy.seen).toEqual(['CONNECT service.test:443']);
});

it('a header that cannot be sent is wrong usage, and its value is not told', async () => {
  const sender = senderFor({});
  const headers = { authorization: 'Bearer secret\nvalue' };
  const error = await sender.transport(request('http://127.0.0.1:1', { headers })).catch((e: unknown) => e);
  expect(error).toMatchObject({ exit: 2, message: expect.stringContaining('authorization') });
  expect(JSON.stringify(error)).not.toContain('secret');
});

it('so is an address that is none', async () => {
  const sender = senderFor({});
  await expect(sender.transport(request('ftp://x'))).rejects.toMatchObject({ exit: 2 });
  await expect(sender.transport(request('nonsense'))).rejects.toMatchObject({ exit: 2 });
});

it('a reused connection that is reset leaves a write unknown', async () => {
  let answered = 0;
  const server = keep(
    await startServer((_received, response) => {
      answered += 1;
      if (answered === 1) response.end('{}');
      else response.socket?.resetAndDestroy();
    }),
  );
  const sender = senderFor({});
  const base = `http://127.0.0.1:${server.port}`;
  await sender.transport(request(base));
  await expect(sender.transport(request(base, write))).rejects.toMatchObject({
    code: 'connection_reset',
    sent: true,
  });
  expect(server.connections()).toBe(1);
});
