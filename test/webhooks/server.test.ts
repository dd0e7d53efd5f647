import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReceivedRequest } from '../../src/webhooks/delivery.ts';
import { type DeliveryReply, serveDeliveries } from '../../src/webhooks/receiver.ts';

/** Hostile senders at the socket. */

let served: Awaited<ReturnType<typeof serveDeliveries>>;
const arrivals: ReceivedRequest[] = [];
const sockets: Socket[] = [];

const keep = async (arrival: ReceivedRequest): Promise<DeliveryReply> => {
  arrivals.push(arrival);
  return { status: 200, text: 'kept' };
};
const serve = async (receive = keep, requestMs?: number): Promise<void> => {
  arrivals.length = 0;
  served = await serveDeliveries({ host: '127.0.0.1', port: 0 }, receive, requestMs);
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await served.close();
});

/** A connection, and all that comes back until it ends. */
const open = (): { socket: Socket; answer: Promise<string> } => {
  const socket = connect(served.port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
};

const send = (text: string): Promise<string> => {
  const { socket, answer } = open();
  socket.write(text);
  return answer;
};

const post = (body: string, path = '/', headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const status = async (answer: Promise<string>): Promise<number> =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(await answer)?.[1]);

describe('the socket', () => {
  it('takes POST alone', async () => {
    await serve();
    expect(await status(send(post('{}', '/hook?x=1')))).toBe(200);
    expect(await send('GET /hook HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 405[\s\S]*allow: POST/);
    expect(arrivals.map(({ target }) => target)).toEqual(['/hook?x=1']);
  });

  it('S10 takes nothing from a browser', async () => {
    await serve();
    for (const header of [
      'Origin: null',
      'origin: https://x.example',
      'Sec-Fetch-Site: none',
      'sec-fetch-mode: cors',
    ])
      expect(await status(send(post('{}', '/', `${header}\r\n`))), header).toBe(403);
    expect(arrivals).toEqual([]);
  });

  it('gives headers and body as they came', async () => {
    await serve();
    await send(post('\u00e9', '/', 'X-A: 1\r\nx-a: 2\r\n'));
    expect(arrivals[0]?.headers).toEqual([
      ['Host', 'x'],
      ['Connection', 'close'],
      ['X-A', '1'],
      ['x-a', '2'],
      ['Content-Length', '2'],
    ]);
    expect(Buffer.from(arrivals[0]?.body ?? []).toString('utf8')).toBe('\u00e9');
  });

  it('refuses what is too large: told before, or found out', async () => {
    await serve();
    const most = 'x'.repeat(1024 * 1024);
    expect(await status(send(post(most)))).toBe(200);
    expect(await status(send(post(`${most}x`)))).toBe(413);
    const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await status(send(`${chunked}100001\r\n${most}x\r\n0\r\n\r\n`))).toBe(413);
    expect(await status(send(post('', '/', `X-Long: ${'x'.repeat(20_000)}\r\n`)))).toBe(431);
    expect(await status(send('nonsense\r\n\r\n'))).toBe(400);
    expect(arrivals).toHaveLength(1);
  });

  it('answers a good one while 50 say nothing, 50 drip and 50 stop in the middle', async () => {
    await serve();
    const slow = Array.from({ length: 150 }, open);
    slow.forEach(({ socket }, i) => {
      if (i % 3 === 1) socket.write('POST / HT');
      // More than drips in however long this takes.
      if (i % 3 === 2) socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\nhalf');
    });
    const dripping = slow.filter((_, i) => i % 3 === 2);
    const drip = setInterval(() => {
      for (const { socket } of dripping) socket.write('x');
    }, 5);
    await Promise.all(slow.map(({ socket }) => new Promise((done) => socket.once('connect', done))));
    for (let n = 0; n < 20; n += 1) expect(await status(send(post(`${n}`)))).toBe(200);
    clearInterval(drip);
    expect(arrivals).toHaveLength(20);
  });

  it('cuts those that take too long', async () => {
    await serve(keep, 400);
    const half = send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    expect(await status(half)).toBe(408);
    expect(arrivals).toEqual([]);
  });

  it('keeps nothing of a sender that goes away in the middle', async () => {
    await serve();
    const { socket, answer } = open();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    await answer;
    expect(await status(send(post('whole')))).toBe(200);
    expect(arrivals).toHaveLength(1);
  });

  it('at its end answers what has come in, and cuts what has not', async () => {
    const [arrived, release] = [createGate(), createGate()];
    await serve(async () => {
      arrived.open();
      await release.opened;
      return { status: 200, text: 'kept' };
    });
    const idle = send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    const whole = send(post('{}').replace('Connection: close\r\n', ''));
    await arrived.opened;
    const closed = served.close();
    release.open();
    expect(await whole).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close[\s\S]*kept/);
    expect(await idle).toBe('');
    await closed;
    expect(await send(post('{}'))).toBe('');
  });

  it('ends although a sender went away before its answer', async () => {
    const [began, leave] = [createGate(), createGate()];
    await serve(async ({ target }) => {
      if (target === '/slow') began.open();
      if (target === '/slow') await leave.opened;
      return { status: 200, text: '' };
    });
    const { socket } = open();
    socket.write('POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n');
    await began.opened;
    socket.destroy();
    // Answered after that: by then the server knows.
    for (const _ of [1, 2]) await fetch(`http://127.0.0.1:${served.port}/`, { method: 'POST' });
    leave.open();
    await served.close();
  });
});

const createGate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
};
