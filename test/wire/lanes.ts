import { createHttpSender, type HttpSenderOptions } from '../../src/http/send.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { realClock } from '../../src/platform/machine.ts';
import { startConnectProxy } from '../support/loopback.ts';

/** A way to a server on loopback: over `node:http`, or over undici through a real proxy. */
export interface Lane {
  readonly name: string;
  reach(port: number): Promise<Reach>;
}

interface Reach {
  readonly base: string;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const lanes: readonly Lane[] = [
  {
    name: 'direct',
    reach: (port) =>
      Promise.resolve({ base: `http://127.0.0.1:${port}/api/v2`, env: {}, close: () => Promise.resolve() }),
  },
  {
    name: 'through a proxy',
    async reach(port) {
      const proxy = await startConnectProxy({ route: () => port });
      const env = { http_proxy: `http://127.0.0.1:${proxy.port}` };
      return { base: 'http://service.test/api/v2', env, close: proxy.close };
    },
  },
];

export const senderFor = (env: HttpSenderOptions['env'], options: Partial<HttpSenderOptions> = {}) =>
  createHttpSender({ timeoutMs: 60_000, userAgent: 'ttctl/test', clock: realClock, env, ...options });

export const request = (base: string, parts: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  base,
  path: '/members',
  query: [],
  headers: {},
  ...parts,
});
