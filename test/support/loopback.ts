import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import type { Duplex } from 'node:stream';

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

/** What happens to each connection. Bytes are those of the answers. */
export interface Damage {
  /** After so many bytes of answer … */
  readonly after: number;
  /** … the connection is closed, reset, or goes on without another byte. */
  readonly then: 'close' | 'reset' | 'hang';
}

export interface TcpProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Passes connections on to a port of 127.0.0.1 and damages what comes back. */
export const startTcpProxy = async (target: number, damage: Damage): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createTcpServer((client) => {
    keep(client);
    const service = keep(connect(target, '127.0.0.1'));
    client.pipe(service);
    let passed = 0;
    service.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, damage.after - passed);
      passed += part.byteLength;
      if (part.byteLength > 0) client.write(part);
      if (passed < damage.after || damage.then === 'hang') return;
      service.destroy();
      if (damage.then === 'reset') client.resetAndDestroy();
      else client.end();
    });
    service.on('end', () => client.end());
    client.on('close', () => service.destroy());
  });
  const port = await listening(server);
  return {
    port,
    close: () =>
      closing(server, () => {
        for (const socket of sockets) socket.destroy();
      }),
  };
};

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
