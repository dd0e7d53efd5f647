import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDirect } from '../../src/http/send.ts';
import type { Connections } from '../../src/http/transport.ts';
import { type LoopbackServer, startServer } from '../support/loopback-server.ts';

/**
 * Servers close connections that idle for 5 s, and a write into one that is just being closed is of unknown outcome:
 * so a connection is used again at once, and not after some seconds.
 */

let server: LoopbackServer;
let direct: Connections;
beforeEach(async () => {
  server = await startServer((_request, response) => {
    // Named outright, so that Node does not add for how long the server keeps it.
    response.writeHead(200, { 'content-type': 'application/json', connection: 'keep-alive' });
    response.end('{}');
  });
  direct = openDirect(1000);
});
afterEach(async () => {
  await direct.close();
  await server.close();
});

const ask = () => {
  const url = new URL(`http://127.0.0.1:${server.port}/x`);
  const flight = { signal: new AbortController().signal, sent: false, answered: false };
  return direct.exchange({ url, method: 'GET', headers: {}, payload: undefined }, flight);
};

it('an idle connection is used again at once, and no more after 3 s', async () => {
  await ask();
  await ask();
  expect(server.connections()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await ask();
  expect(server.connections()).toBe(2);
});
