import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { ReceivedRequest } from '../../src/webhooks/delivery.ts';
import { serveDeliveries } from '../../src/webhooks/receiver.ts';

/** Hostile senders at the socket of the receiver of webhooks. */

let served: Awaited<ReturnType<typeof serveDeliveries>>;
const arrivals: ReceivedRequest[] = [];
const sockets: Socket[] = [];
const KEPT = { status: 200, text: 'kept' };

/** @param hold for an arrival, what its answer waits for */
const serve = async (hold = async (_arrival: ReceivedRequest) => {}, requestMs?: number): Promise<void> => {
  arrivals.length = 0;
  const receive = async (arrival: ReceivedRequest) => {
    arrivals.push(arrival);
    await hold(arrival);
    return KEPT;
  };
  served = await serveDeliveries({ host: '127.0.0.1', port: 0 }, receive, requestMs);
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await served.close();
});

/** A connection on which this is sent; `answer`: all that comes back until it ends. */
const open = (text = '') => {
  const socket = connect(served.port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
  });
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(got)));
  socket.write(text);
  return { socket, answer };
};
const send = (text: string): Promise<string> => open(text).answer;
/** @returns the status */
const post = async (body: string, path = '/', headers = ''): Promise<number> => {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const answer = await send(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}${length}\r\n\r\n${body}`,
  );
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
};
const HALF = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\nhalf';

const createGate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
};

it('POST alone is taken', async () => {
  await serve();
  expect(await post('{}', '/hook?x=1')).toBe(200);
  expect(await send('GET /hook HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 405[\s\S]*allow: POST/);
  expect(arrivals.map(({ target }) => target)).toEqual(['/hook?x=1']);
});

it('S10 nothing is taken from a browser', async () => {
  await serve();
  for (const header of [
    'Origin: null',
    'origin: https://x.example',
    'Sec-Fetch-Site: none',
    'sec-fetch-mode: cors',
  ])
    expect(await post('{}', '/', `${header}\r\n`), header).toBe(403);
  expect(arrivals).toEqual([]);
});

it('headers and body are taken as they came', async () => {
  await serve();
  await post('\u00e9', '/', 'X-A: 1\r\nx-a: 2\r\n');
  expect(arrivals[0]?.headers).toEqual([
    ['Host', 'x'],
    ['Connection', 'close'],
    ['X-A', '1'],
    ['x-a', '2'],
    ['Content-Length', '2'],
  ]);
  expect(Buffer.from(arrivals[0]?.body ?? []).toString('utf8')).toBe('\u00e9');
});

it('what is too large is refused: told before, or found out', async () => {
  await serve();
  const most = 'x'.repeat(1024 * 1024);
  expect(await post(most)).toBe(200);
  expect(await post(`${most}x`)).toBe(413);
  const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(await send(`${chunked}100001\r\n${most}x\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413/);
  expect(await post('', '/', `X-Long: ${'x'.repeat(20_000)}\r\n`)).toBe(431);
  expect(await send('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
  expect(arrivals).toHaveLength(1);
});

it('a good one is answered while 50 say nothing, 50 begin and 50 drip', async () => {
  await serve();
  const slow = Array.from({ length: 50 }, () => [open(), open('POST / HT'), open(HALF)] as const);
  const drip = setInterval(() => {
    for (const [, , { socket }] of slow) socket.write('x');
  }, 5);
  await Promise.all(slow.flat().map(({ socket }) => new Promise((done) => socket.once('connect', done))));
  for (let n = 0; n < 20; n += 1) expect(await post(`${n}`)).toBe(200);
  clearInterval(drip);
  expect(arrivals).toHaveLength(20);
});

it('one that takes too long is cut', async () => {
  await serve(undefined, 400);
  expect(await send(HALF)).toMatch(/^HTTP\/1\.1 408/);
  expect(arrivals).toEqual([]);
});

it('of a sender that goes away in the middle nothing is kept', async () => {
  await serve();
  const { socket, answer } = open();
  socket.write(HALF, () => socket.destroy());
  await answer;
  expect(await post('whole')).toBe(200);
  expect(arrivals).toHaveLength(1);
});

it('at its end it answers what has come in, and cuts what has not', async () => {
  const [arrived, release] = [createGate(), createGate()];
  await serve(async () => {
    arrived.open();
    await release.opened;
  });
  const idle = send(HALF);
  const whole = send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
  await arrived.opened;
  const closed = served.close();
  release.open();
  expect(await whole).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close[\s\S]*kept/);
  expect(await idle).toBe('');
  await closed;
  expect(await post('{}')).toBeNaN();
});

it('it ends although a sender went away before its answer', async () => {
  const [began, leave] = [createGate(), createGate()];
  await serve(async ({ target }) => {
    if (target !== '/slow') return;
    began.open();
    await leave.opened;
  });
  const { socket } = open('POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n');
  await began.opened;
  socket.destroy();
  // Answered after that: by then the server knows.
  for (const _ of [1, 2]) await post('');
  leave.open();
  await served.close();
});
