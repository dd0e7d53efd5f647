import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { text as readBody } from 'node:stream/consumers';

/** Real servers on 127.0.0.1. */

/** A request as it stood on the wire. */
export interface Received {
  readonly method: string;
  /** As sent: path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answering = (request: Received, response: Parameters<RequestListener>[1]) => void;
export type LoopbackServer = Awaited<ReturnType<typeof startServer>>;

/** Keeps what it received whole, then lets `answer` do what it likes. @param at the port; 0: any that is free */
export const startServer = async (
  answer: Answering,
  tls?: { readonly key: string; readonly cert: string },
  at = 0,
) => {
  const received: Received[] = [];
  let connections = 0;
  const listener: RequestListener = async (incoming, response) => {
    response.on('error', () => {});
    const { method = '', url = '', headers } = incoming;
    const body = await readBody(incoming).catch(() => undefined);
    // The client was killed in the middle of it.
    if (body === undefined) return;
    const whole = { method, url, headers, body };
    received.push(whole);
    answer(whole, response);
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.on('connection', () => {
    connections += 1;
  });
  return {
    port: await listening(server, at),
    /** In the order in which they came in whole. */
    received: received as readonly Received[],
    /** Connections taken so far. */
    connections: () => connections,
    close: () => closing(server, () => server.closeAllConnections()),
  };
};

export const listening = (server: Server, at = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

export const closing = (server: Server, cut: () => void): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    cut();
  });

/** Keeps the connections of a server. @returns what cuts them */
export const cutter = (server: Server) => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('close', () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
};

interface ProxyOptions {
  /** The port of 127.0.0.1 that stands for a host; nothing: the proxy answers 502. */
  route(host: string): number | undefined;
  /** `name:password`; without it nobody is asked. */
  readonly login?: string;
  /** Takes requests and never answers. */
  readonly silent?: boolean;
}

/** A forward proxy: tunnels for https (CONNECT), absolute addresses for http. It can lead any name to loopback. */
export const startConnectProxy = async ({ route, login, silent }: ProxyOptions) => {
  const seen: string[] = [];
  const refusal = (headers: IncomingHttpHeaders, host: string): number | undefined => {
    const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted) return 407;
    return route(host) === undefined ? 502 : undefined;
  };
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    seen.push(`${method} ${url}`);
    if (silent) return;
    const { hostname, pathname, search } = new URL(url);
    const refused = refusal(headers, hostname);
    if (refused !== undefined) return void response.writeHead(refused).end();
    const target = { host: '127.0.0.1', port: route(hostname), path: pathname + search };
    const onward = request({ ...target, method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
      answer.on('error', cutOff);
      answer.pipe(response);
    });
    // What breaks behind the proxy breaks before it.
    const cutOff = () => response.socket?.destroySoon();
    response.on('error', () => {}).on('close', () => onward.destroy());
    incoming.pipe(onward.on('error', cutOff));
  });
  server.on('connect', ({ url = '', headers }, socket, head) => {
    seen.push(`CONNECT ${url}`);
    if (silent) return;
    const host = url.replace(/:\d+$/, '');
    const refused = refusal(headers, host);
    if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 0\r\n\r\n`);
    const service = connect(route(host) ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      service.write(head);
      pipeline(socket, service, socket, () => {});
    });
    service.on('error', () => socket.destroy());
  });
  const cut = cutter(server);
  const port = await listening(server);
  /** `seen`: `CONNECT service.test:443`, `GET http://service.test/x`. */
  return { port, seen: seen as readonly string[], close: () => closing(server, cut) };
};
