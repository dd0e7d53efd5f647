import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';

/** A request as it stood on the wire. */
export interface Received {
  readonly method: string;
  /** As sent: path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface LoopbackServer {
  readonly port: number;
  /** In the order in which they came in whole. */
  readonly received: readonly Received[];
  /** Connections taken so far. */
  connections(): number;
  close(): Promise<void>;
}

export type Answering = (request: Received, response: ServerResponse) => void;

/** A real server on 127.0.0.1 that keeps what it received, then lets `answer` do what it likes. */
export const startServer = (
  answer: Answering,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LoopbackServer> => {
  const received: Received[] = [];
  const server: Server = tls === undefined ? createServer() : createSecureServer(tls);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const record = { method, url, headers, body: Buffer.concat(chunks).toString() };
      received.push(record);
      answer(record, response);
    });
  });
  return listening(server).then((port) => ({
    port,
    received,
    connections: () => connections,
    close: () => closing(server, () => server.closeAllConnections()),
  }));
};

/** Listens on a free port of 127.0.0.1. */
export const listening = (server: NetServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

export const closing = (server: NetServer, cut: () => void): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    cut();
  });
