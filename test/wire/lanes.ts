import { connect, createServer } from 'node:net';
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

/** After so many bytes of an answer the connection is closed, reset, or goes on without another byte. */
export interface Damage {
  readonly after: number;
  readonly then: 'close' | 'reset' | 'hang';
}

/** Passes connections on to a port of 127.0.0.1 and damages what comes back. @returns its port */
export const startTcpProxy = async (target: number, { after, then }: Damage): Promise<number> => {
  const server = createServer((client) => {
    const service = connect(target, '127.0.0.1').on('error', () => {});
    client.pipe(service);
    let passed = 0;
    service.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, after - passed);
      passed += part.byteLength;
      if (part.byteLength > 0) client.write(part);
      if (passed < after || then === 'hang') return;
      service.destroy();
      if (then === 'reset') client.resetAndDestroy();
      else client.end();
    });
    service.on('end', () => client.end());
    client.on('close', () => service.destroy());
  });
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
