import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoopbackServer, startServer } from '../support/loopback.ts';
import { request, senderFor } from '../wire/lanes.ts';

/**
 * Servers close connections that idle for 5 s, and a write into one that is just being closed is of unknown outcome:
 * so a connection is used again at once, and not after some seconds.
 */

const sender = senderFor({});
let server: LoopbackServer;
beforeEach(async () => {
  server = await startServer((_request, response) => {
    // Named outright, so that Node does not add for how long the server keeps it.
    response.writeHead(200, { 'content-type': 'application/json', connection: 'keep-alive' });
    response.end('{}');
  });
});
afterEach(async () => {
  await sender.close();
  await server.close();
});

it('an idle connection is used again at once, and no more after 3 s', async () => {
  const ask = () => sender.transport(request(`http://127.0.0.1:${server.port}`));
  await ask();
  await ask();
  expect(server.connections()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await ask();
  expect(server.connections()).toBe(2);
});
