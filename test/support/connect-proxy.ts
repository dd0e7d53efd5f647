import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closing, listening } from './loopback-server.ts';

export interface ProxyOptions {
  /** The port of 127.0.0.1 that stands for a host; nothing: the proxy answers 502. */
  route(host: string): number | undefined;
  /** `name:password`; without it nobody is asked. */
  readonly login?: string;
  /** Takes requests and never answers. */
  readonly silent?: boolean;
}

export interface ConnectProxy {
  readonly port: number;
  /** `CONNECT service.test:443`, `GET http://service.test/x`. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/** A forward proxy: tunnels for https (CONNECT), absolute addresses for http. It can lead any name to loopback. */
export const startConnectProxy = async (options: ProxyOptions): Promise<ConnectProxy> => {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    if (!options.silent) forward(incoming, response, options);
  });
  server.on('connect', (incoming, socket, head) => {
    seen.push(`CONNECT ${incoming.url}`);
    if (!options.silent) tunnel(incoming, socket, head, options);
  });
  const port = await listening(server);
  return {
    port,
    seen,
    close: () =>
      closing(server, () => {
        for (const socket of sockets) socket.destroy();
      }),
  };
};

const refusal = (incoming: IncomingMessage, host: string, options: ProxyOptions): number | undefined => {
  const login = `Basic ${Buffer.from(options.login ?? '').toString('base64')}`;
  if (options.login !== undefined && incoming.headers['proxy-authorization'] !== login) return 407;
  return options.route(host) === undefined ? 502 : undefined;
};

const tunnel = (incoming: IncomingMessage, socket: Duplex, head: Buffer, options: ProxyOptions): void => {
  const host = (incoming.url ?? '').replace(/:\d+$/, '');
  const refused = refusal(incoming, host, options);
  if (refused !== undefined) {
    socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  const service = connect(options.route(host) ?? 0, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.byteLength > 0) service.write(head);
    service.pipe(socket).pipe(service);
  });
  service.on('error', () => socket.destroy());
  service.on('close', () => socket.destroy());
  socket.on('error', () => {});
  socket.on('close', () => service.destroy());
};

const forward = (incoming: IncomingMessage, response: ServerResponse, options: ProxyOptions): void => {
  const url = new URL(incoming.url ?? '');
  const refused = refusal(incoming, url.hostname, options);
  if (refused !== undefined) {
    response.writeHead(refused).end();
    return;
  }
  const onward = request({
    host: '127.0.0.1',
    port: options.route(url.hostname),
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    headers: incoming.headers,
    agent: false,
  });
  // What breaks behind the proxy breaks before it.
  const cut = () => response.socket?.destroySoon();
  response.on('error', () => {});
  response.on('close', () => onward.destroy());
  onward.on('error', cut);
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
    answer.on('error', cut);
    answer.pipe(response);
  });
  incoming.pipe(onward);
};
