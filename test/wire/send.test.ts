import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Cancelled, EXIT, type NetworkError } from '../../src/errors.ts';
import type { HttpSenderOptions } from '../../src/http/send.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { realClock } from '../../src/platform/machine.ts';
import { type Answering, type Damage, startServer, startTcpProxy } from '../support/loopback.ts';
import { closeKept, keep, lanes, request, senderFor, startSilent, write } from './lanes.ts';

closeKept();

/** The time of a request passes when the test says so. */
const clockOfTest = () => {
  let elapse = (): void => {};
  const elapsed = new Promise<void>((resolve) => {
    elapse = resolve;
  });
  return { clock: { ...realClock, sleep: () => elapsed }, elapse };
};

describe.each(lanes)('a request sent $name', (lane) => {
  const setUp = async (answer: Answering, options: Partial<HttpSenderOptions> = {}, damage?: Damage) => {
    const server = keep(await startServer(answer));
    const port = damage === undefined ? server.port : keep(await startTcpProxy(server.port, damage)).port;
    const way = keep(await lane.reach(port));
    const sender = keep(senderFor(way.env, options));
    const send = (parts: Partial<HttpRequest> = {}) => sender.transport(request(way.base, parts));
    const fails = (parts: Partial<HttpRequest> = {}): Promise<NetworkError> =>
      send(parts).then(
        (answer) => expect.unreachable(`answered ${answer.status}`),
        (error) => error,
      );
    return { server, send, fails, sender };
  };

  test('goes out as it was meant, and its answer comes back', async () => {
    const { server, send } = await setUp((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-ratelimit-remaining': '7' });
      response.end('{"success":true,"data":"Zoë 時間"}');
    });
    const answer = await send({
      query: [
        ['workspace_id', '7'],
        ['email', 'a+b c&d@example.test'],
      ],
      headers: { authorization: 'Bearer abc' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('{"success":true,"data":"Zoë 時間"}');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-ratelimit-remaining': '7',
    });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      url: '/api/v2/members?workspace_id=7&email=a%2Bb%20c%26d%40example.test',
      body: '',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer abc',
        'user-agent': 'ttctl/test',
        'accept-encoding': 'gzip, br',
      },
    });
    const names = Object.keys(server.received[0]?.headers ?? {}).sort();
    expect(names).toEqual(['accept', 'accept-encoding', 'authorization', 'connection', 'host', 'user-agent']);
  });

  test.each(['PUT', 'DELETE', 'POST', 'PATCH'] as const)('%s carries its JSON body', async (method) => {
    const { server, send } = await setUp((_received, response) => response.end('{}'));
    await send({ method, path: '/timesheets/8c1f/approve', body: { workspace_id: 7, reason: 'zu spät' } });
    expect(server.received[0]).toMatchObject({
      method,
      url: '/api/v2/timesheets/8c1f/approve',
      body: '{"workspace_id":7,"reason":"zu spät"}',
      headers: { 'content-type': 'application/json', 'content-length': '38' },
    });
    expect(server.received[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  test('a write without a body says so, a form is sent as one', async () => {
    const { server, send } = await setUp((_received, response) => response.end('{}'));
    await send({ method: 'POST', path: '/time-tracking/stop' });
    await send({
      method: 'POST',
      path: '/webhooks',
      form: [
        ['events[]', 'a b'],
        ['url', 'http://x/?y=1&z'],
      ],
    });
    expect(server.received[0]).toMatchObject({ body: '', headers: { 'content-length': '0' } });
    expect(server.received[0]?.headers['content-type']).toBeUndefined();
    expect(server.received[1]).toMatchObject({
      body: 'events%5B%5D=a+b&url=http%3A%2F%2Fx%2F%3Fy%3D1%26z',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  test.each([302, 400, 422, 429, 503])('status %i is an answer', async (status) => {
    const headers = { 'retry-after': '60', location: '/elsewhere' };
    const { send, server } = await setUp((_received, response) =>
      response.writeHead(status, headers).end('<html>'),
    );
    expect(await send({ method: 'PUT', body: {} })).toMatchObject({ status, body: '<html>', headers });
    expect(server.received).toHaveLength(1);
  });

  test('a BOM is dropped, several values are joined, 204 is empty', async () => {
    const { send } = await setUp((received, response) => {
      if (received.url.endsWith('/204')) response.writeHead(204, { 'content-encoding': 'gzip' }).end();
      else response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end('\uFEFF{}');
    });
    expect(await send()).toMatchObject({ body: '{}', headers: { 'set-cookie': 'a=1, b=2' } });
    expect(await send({ path: '/204' })).toMatchObject({ status: 204, body: '' });
  });

  test('no answer within the time: the outcome of a write is unknown', async () => {
    const { clock, elapse } = clockOfTest();
    const { fails } = await setUp(elapse, { timeoutMs: 80, clock });
    const error = await fails({ method: 'PUT', path: '/timesheets/17/approve', body: {} });
    expect(error).toMatchObject({ name: 'NetworkError', code: 'timeout', sent: true, exit: 7 });
    expect(error.message).toMatch(/^no response from \S+ within 0.08 s/);
    expect(error.hint).toContain('--timeout');
    expect(error.details).toMatchObject({ request: 'PUT /timesheets/17/approve' });
  });

  test('the deadline holds for the whole answer, however it drips', async () => {
    const { clock, elapse } = clockOfTest();
    let drops = 0;
    const { fails } = await setUp(
      (_received, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        const drip = setInterval(() => {
          response.write('x');
          drops += 1;
          if (drops === 10) elapse();
        }, 5);
        response.on('close', () => clearInterval(drip));
      },
      { timeoutMs: 150, clock },
    );
    const error = await fails();
    expect(error).toMatchObject({ code: 'timeout', sent: true });
    expect(error.message).toContain('was not complete within');
  });

  test.each(['close', 'reset'] as const)('cut before the answer (%s)', async (then) => {
    const { fails } = await setUp((_received, response) => response.end('{}'), {}, { after: 0, then });
    expect(await fails({ method: 'POST', body: {} })).toMatchObject({ code: 'connection_reset', sent: true });
  });

  test.each(['close', 'reset'] as const)('cut within the answer (%s)', async (then) => {
    const { fails } = await setUp(
      (_received, response) => response.writeHead(200, { 'content-length': '5000' }).end('x'.repeat(5000)),
      {},
      { after: 2000, then },
    );
    expect(await fails()).toMatchObject({ code: 'truncated', sent: true });
  });

  test('an answer over the limit is given up', async () => {
    const { fails, send } = await setUp(
      (received, response) => response.end('x'.repeat(received.url.endsWith('/more') ? 1001 : 1000)),
      { maxBytes: 1000 },
    );
    expect((await send()).body).toHaveLength(1000);
    expect(await fails({ path: '/more' })).toMatchObject({ code: 'answer_too_large', sent: true });
  });
});

const quickBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

describe.each(lanes)('a packed answer that comes $name', (lane) => {
  const get = async (encoding: string, bytes: Buffer, maxBytes?: number) => {
    const answer: Answering = (_received, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    const way = keep(await lane.reach(keep(await startServer(answer)).port));
    const sender = keep(senderFor(way.env, maxBytes === undefined ? {} : { maxBytes }));
    return sender.transport(request(way.base));
  };
  const text = JSON.stringify({ data: 'ü'.repeat(5000) });

  test.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is unpacked', async (encoding, bytes) => {
    expect((await get(encoding, bytes)).body).toBe(text);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', quickBrotli],
  ] as const)('a %s bomb is stopped at the limit', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(50_000_000));
    const before = process.memoryUsage().rss;
    await expect(get(encoding, bomb, 100_000)).rejects.toMatchObject({
      code: 'answer_too_large',
      sent: true,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
  });

  test.each([
    ['gzip', gzipSync(text).subarray(0, -12), 'truncated'],
    ['br', brotliCompressSync(text).subarray(0, -3), 'truncated'],
    ['gzip', Buffer.from('this was never packed'), 'answer_unreadable'],
    ['br', Buffer.from('this was never packed'), 'answer_unreadable'],
    ['zstd', Buffer.from('not asked for'), 'answer_unreadable'],
  ])('broken %s is an error', async (encoding, bytes, code) => {
    await expect(get(encoding, bytes)).rejects.toMatchObject({ name: 'NetworkError', code, sent: true });
  });
});

describe.each(lanes)('an interrupt $name', (lane) => {
  const setUp = async (reason = new Cancelled('interrupted', EXIT.interrupted)) => {
    const interrupt = new AbortController();
    const server = keep(
      await startServer((_received, response) => {
        interrupt.abort(reason);
        setTimeout(() => response.end('{"done":true}'), 60);
      }),
    );
    const way = keep(await lane.reach(server.port));
    const sender = keep(senderFor(way.env, { interrupt: interrupt.signal }));
    return { sender, way, server };
  };

  test('drops a read at once', async () => {
    const { sender, way } = await setUp();
    const error = await sender.transport(request(way.base)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Cancelled);
    expect(error).toMatchObject({ exit: 130 });
  });

  test('finishes a write under way, and sends nothing after it', async () => {
    const { sender, way, server } = await setUp(new Cancelled('terminated', 143));
    expect(await sender.transport(request(way.base, write))).toMatchObject({ body: '{"done":true}' });
    await expect(sender.transport(request(way.base, write))).rejects.toMatchObject({ exit: 143 });
    await expect(sender.transport(request(way.base))).rejects.toMatchObject({ exit: 143 });
    expect(server.received).toHaveLength(1);
  });
});

test('an interrupt drops a write of which nothing was sent', async () => {
  const interrupt = new AbortController();
  const sender = keep(senderFor({}, { interrupt: interrupt.signal }));
  const sent = sender.transport(request(`https://127.0.0.1:${await startSilent()}`, write));
  setTimeout(() => interrupt.abort(new Cancelled('interrupted', EXIT.interrupted)), 30);
  await expect(sent).rejects.toMatchObject({ exit: 130 });
});
