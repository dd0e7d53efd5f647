import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Cancelled, EXIT, type NetworkError } from '../../src/errors.ts';
import type { HttpSenderOptions } from '../../src/http/send.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { realClock } from '../../src/platform/machine.ts';
import { type Answering, startConnectProxy, startServer } from '../support/loopback.ts';
import { closeKept, keep, request, senderFor, startSilent, write } from './lanes.ts';

closeKept();
const text = JSON.stringify({ data: 'ü'.repeat(5000) });

// Over `node:http`, or over undici through a real proxy.
describe.each(['direct', 'through a proxy'])('a request sent %s', (lane) => {
  const setUp = async (answer: Answering, options: Partial<HttpSenderOptions> = {}) => {
    const server = keep(await startServer(answer));
    const { port } = server;
    const proxy = keep(await startConnectProxy({ route: () => port }));
    const host = lane === 'direct' ? `127.0.0.1:${port}` : 'service.test';
    const { transport } = senderFor({ http_proxy: `http://127.0.0.1:${proxy.port}` }, options);
    const send = (parts: Partial<HttpRequest> = {}) => transport(request(`http://${host}/api/v2`, parts));
    const fails = (parts?: Partial<HttpRequest>): Promise<NetworkError> =>
      send(parts).then(
        ({ status }) => expect.unreachable(`answered ${status}`),
        (error) => error,
      );
    return { received: server.received, send, fails };
  };
  const plain: Answering = (_received, response) => void response.end('{}');

  it('goes out as it was meant, and its answer comes back', async () => {
    const headers = { 'content-type': 'application/json', 'x-ratelimit-remaining': '7' };
    const body = '{"success":true,"data":"Zoë 時間"}';
    const { received, send } = await setUp((_received, response) =>
      response.writeHead(200, headers).end(body),
    );
    const query = [
      ['workspace_id', '7'],
      ['email', 'a+b c&d@example.test'],
    ] as const;
    const answer = await send({ query, headers: { authorization: 'Bearer abc' } });
    expect(answer).toMatchObject({ status: 200, body, headers });
    const url = '/api/v2/members?workspace_id=7&email=a%2Bb%20c%26d%40example.test';
    expect(received).toMatchObject([{ method: 'GET', url, body: '' }]);
    expect(received[0]?.headers).toEqual({
      ...{ accept: 'application/json', authorization: 'Bearer abc', 'user-agent': 'ttctl/test' },
      ...{ 'accept-encoding': 'gzip, br', connection: expect.any(String), host: expect.any(String) },
    });
  });

  it.each(['PUT', 'DELETE', 'POST', 'PATCH'] as const)('%s carries its JSON body', async (method) => {
    const { received, send } = await setUp(plain);
    await send({ method, path: '/timesheets/8c1f/approve', body: { workspace_id: 7, reason: 'zu spät' } });
    const body = '{"workspace_id":7,"reason":"zu spät"}';
    const headers = { 'content-type': 'application/json', 'content-length': '38' };
    expect(received).toMatchObject([{ method, url: '/api/v2/timesheets/8c1f/approve', body, headers }]);
    expect(received[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('a write without a body says so, a form is sent as one', async () => {
    const { received, send } = await setUp(plain);
    await send({ method: 'POST', path: '/time-tracking/stop' });
    const form = [
      ['events[]', 'a b'],
      ['url', 'http://x/?y=1&z'],
    ] as const;
    await send({ method: 'POST', path: '/webhooks', form });
    expect(received).toMatchObject([
      { body: '', headers: { 'content-length': '0' } },
      {
        body: 'events%5B%5D=a+b&url=http%3A%2F%2Fx%2F%3Fy%3D1%26z',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
    expect(received[0]?.headers['content-type']).toBeUndefined();
  });

  it.each([302, 400, 422, 429, 503])('status %i is an answer', async (status) => {
    const headers = { 'retry-after': '60', location: '/elsewhere' };
    const { send, received } = await setUp((_received, response) =>
      response.writeHead(status, headers).end('<html>'),
    );
    expect(await send({ method: 'PUT', body: {} })).toMatchObject({ status, body: '<html>', headers });
    expect(received).toHaveLength(1);
  });

  it('a BOM is dropped, several values are joined, 204 is empty', async () => {
    const { send } = await setUp(({ url }, response) => {
      if (url.endsWith('/204')) response.writeHead(204, { 'content-encoding': 'gzip' }).end();
      else response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end('\uFEFF{}');
    });
    expect(await send()).toMatchObject({ body: '{}', headers: { 'set-cookie': 'a=1, b=2' } });
    expect(await send({ path: '/204' })).toMatchObject({ status: 204, body: '' });
  });

  it.each<[string, RegExp, (elapse: () => void) => Answering]>([
    ['an answer that never comes', /^no response from \S+ within 0.08 s/, (elapse) => elapse],
    [
      'one that does not end',
      /was not complete within/,
      // More than lies in buffers on the way: when it is gone, the client has read the head.
      (elapse) => (_received, response) => {
        response.writeHead(200, { 'content-length': '30000000' });
        response.write(Buffer.alloc(24_000_000, ' '), () => elapse());
      },
    ],
  ])('the deadline holds for %s: the outcome of a write is unknown', async (_what, message, answerBefore) => {
    // The time of a request passes when the service says so.
    let elapse = (): void => {};
    const elapsed = new Promise<void>((resolve) => {
      elapse = resolve;
    });
    const clock = { ...realClock, sleep: () => elapsed };
    const { fails } = await setUp(answerBefore(elapse), { timeoutMs: 80, clock });
    const error = await fails({ method: 'PUT', path: '/timesheets/17/approve', body: {} });
    expect(error).toMatchObject({ name: 'NetworkError', code: 'timeout', sent: true, exit: 7 });
    expect(error.message).toMatch(message);
    expect(error.hint).toContain('--timeout');
    expect(error.details).toMatchObject({ request: 'PUT /timesheets/17/approve' });
  });

  it.each([
    ['before the answer', 'close', 0, 'connection_reset'],
    ['before the answer', 'reset', 0, 'connection_reset'],
    ['within the answer', 'close', 2000, 'truncated'],
    ['within the answer', 'reset', 2000, 'truncated'],
  ] as const)('cut %s (%s)', async (_when, then, after, code) => {
    const { fails } = await setUp((_received, response) => {
      const { socket } = response;
      const cut = () => (then === 'close' ? socket?.end() : socket?.resetAndDestroy());
      if (after === 0) return void cut();
      // What a reset overtakes is lost.
      response
        .writeHead(200, { 'content-length': '5000' })
        .write('x'.repeat(after), () => setTimeout(cut, 50));
    });
    expect(await fails({ method: 'POST', body: {} })).toMatchObject({ code, sent: true });
  });

  it('an answer over the limit is given up', async () => {
    const { fails, send } = await setUp(
      ({ url }, response) => response.end('x'.repeat(url.endsWith('/more') ? 1001 : 1000)),
      { maxBytes: 1000 },
    );
    expect((await send()).body).toHaveLength(1000);
    expect(await fails({ path: '/more' })).toMatchObject({ code: 'answer_too_large', sent: true });
  });

  const packed =
    (encoding: string, bytes: Buffer): Answering =>
    (_received, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);

  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is unpacked', async (encoding, bytes) => {
    const { send } = await setUp(packed(encoding, bytes));
    expect((await send()).body).toBe(text);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('a %s bomb is stopped at the limit', async (encoding, pack) => {
    const { fails } = await setUp(packed(encoding, pack(Buffer.alloc(50_000_000))), { maxBytes: 100_000 });
    const before = process.memoryUsage().rss;
    expect(await fails()).toMatchObject({ code: 'answer_too_large', sent: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
  });

  it.each([
    ['gzip', gzipSync(text).subarray(0, -12), 'truncated'],
    ['br', brotliCompressSync(text).subarray(0, -3), 'truncated'],
    ['gzip', Buffer.from('this was never packed'), 'answer_unreadable'],
    ['br', Buffer.from('this was never packed'), 'answer_unreadable'],
    ['zstd', Buffer.from('not asked for'), 'answer_unreadable'],
  ])('broken %s is an error', async (encoding, bytes, code) => {
    const { fails } = await setUp(packed(encoding, bytes));
    expect(await fails()).toMatchObject({ name: 'NetworkError', code, sent: true });
  });

  it('an interrupt drops a read at once; a write under way is finished, and nothing sent after it', async () => {
    for (const isRead of [true, false]) {
      const interrupt = new AbortController();
      const { fails, send, received } = await setUp(
        (_received, response) => {
          interrupt.abort(new Cancelled('terminated', EXIT.terminated));
          setTimeout(() => response.end('{"done":true}'), 60);
        },
        { interrupt: interrupt.signal },
      );
      if (!isRead) expect(await send(write)).toMatchObject({ body: '{"done":true}' });
      for (const parts of [{}, write]) expect(await fails(parts)).toMatchObject({ exit: 143 });
      expect(received).toHaveLength(1);
    }
  });
});

it('an interrupt drops a write of which nothing was sent', async () => {
  const interrupt = new AbortController();
  const { transport } = senderFor({}, { interrupt: interrupt.signal });
  const sent = transport(request(`https://127.0.0.1:${await startSilent()}`, write));
  setTimeout(() => interrupt.abort(new Cancelled('interrupted', EXIT.interrupted)), 30);
  await expect(sent).rejects.toMatchObject({ exit: 130 });
});

// Servers close connections that idle for 5 s, and a write into one that is just being closed is of unknown outcome.
it('uses an idle connection again at once, and no more after 3 s', async () => {
  const server = keep(
    await startServer((_request, response) => {
      // Named outright, so that Node does not add for how long the server keeps it.
      response.writeHead(200, { 'content-type': 'application/json', connection: 'keep-alive' });
      response.end('{}');
    }),
  );
  const sender = senderFor({});
  const ask = () => sender.transport(request(`http://127.0.0.1:${server.port}`));
  await ask();
  await ask();
  expect(server.connections()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await ask();
  expect(server.connections()).toBe(2);
});
