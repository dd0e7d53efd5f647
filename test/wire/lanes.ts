import { createServer } from 'node:net';
import { afterEach } from 'vitest';
import { createHttpSender, type HttpSenderOptions } from '../../src/http/send.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { realClock } from '../../src/platform/machine.ts';
import { closing, cutter, listening } from '../support/loopback.ts';

const open: { close(): Promise<void> }[] = [];

/** Closed after the test. */
export const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
  open.push(thing);
  return thing;
};

/** For each file that keeps something. */
export const closeKept = (): void =>
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close();
  });

/** The port of a server that takes connections and says nothing. */
export const startSilent = async (): Promise<number> => {
  const server = createServer();
  const cut = cutter(server);
  const port = await listening(server);
  keep({ close: () => closing(server, cut) });
  return port;
};

export const senderFor = (env: HttpSenderOptions['env'], options: Partial<HttpSenderOptions> = {}) =>
  keep(createHttpSender({ timeoutMs: 60_000, userAgent: 'ttctl/test', clock: realClock, env, ...options }));

export const request = (base: string, parts: Partial<HttpRequest> = {}): HttpRequest => ({
  ...{ method: 'GET', base, path: '/members', query: [], headers: {} },
  ...parts,
});

export const write = { method: 'PUT', body: { workspace_id: 7 } } as const;
