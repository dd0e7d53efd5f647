import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { closing, listening, startServer } from '../support/loopback.ts';
import { lanes, request, senderFor } from './lanes.ts';

const open: { close(): Promise<void> }[] = [];
const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
  open.push(thing);
  return thing;
};
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** Takes connections and says nothing. */
const silent = async (): Promise<number> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  const port = await listening(server);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  keep({ close: () => closing(server, cut) });
  return port;
};

const write = { method: 'PUT', body: { workspace_id: 7 } } as const;

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
  const sent = sender.transport(request(`https://127.0.0.1:${await silent()}`, write));
  setTimeout(() => interrupt.abort(new Cancelled('interrupted', EXIT.interrupted)), 30);
  await expect(sent).rejects.toMatchObject({ exit: 130 });
});
