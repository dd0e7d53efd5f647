import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, Failure } from '../outcome.ts';
import type { ReceivedRequest } from './delivery.ts';

/** The socket that deliveries come in at (an adapter). */

export interface DeliveryReply {
  readonly status: number;
  /** One line, for whoever looks at the sender. */
  readonly text: string;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Absent: every path is taken. */
  readonly path?: string;
  /** Called once a delivery has come in whole. */
  readonly receive: (arrival: ReceivedRequest) => Promise<DeliveryReply>;
  /** Bytes of a body; default 1 MiB. */
  readonly bodyLimit?: number;
  /** Milliseconds for all headers, and for a whole request. Default 10 s and 30 s. */
  readonly headersMs?: number;
  readonly requestMs?: number;
}

export interface DeliveryServer {
  readonly port: number;
  /** Takes nothing new, answers what has come in whole, then cuts what is left. */
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;
const HEADERS_LIMIT = 16 * 1024;

/** Undefined where it is over the limit. Rejects when the sender goes away in the middle. */
const readBody = async (message: IncomingMessage, limit: number): Promise<Uint8Array | undefined> => {
  if (Number(message.headers['content-length'] ?? 0) > limit) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limit) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

const pairHeaders = (raw: readonly string[]): (readonly [string, string])[] =>
  Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? '']);

/** What every browser adds to a POST, and no page can leave out. The address is no secret to a page. */
const isFromBrowser = ({ headers }: IncomingMessage): boolean =>
  Object.keys(headers).some((name) => name === 'origin' || name.startsWith('sec-fetch-'));

/** What is wrong before the body is read. */
const findRefusal = (message: IncomingMessage, path: string | undefined): DeliveryReply | undefined => {
  const { method, url = '' } = message;
  if (isFromBrowser(message)) return { status: 403, text: 'nothing is accepted from a browser' };
  if (path !== undefined && url.split('?')[0] !== path)
    return { status: 404, text: 'nothing is accepted here' };
  return method === 'POST' ? undefined : { status: 405, text: 'only POST is accepted' };
};

/** @param last whether the connection ends with it */
const send = (response: ServerResponse, { status, text }: DeliveryReply, last: boolean): Promise<void> =>
  new Promise((resolve) => {
    // A sender that did not wait is told nothing; what it sent is kept all the same.
    if (response.destroyed) return resolve();
    response.once('close', resolve);
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(text) + 1,
      ...(status === 405 ? { allow: 'POST' } : {}),
      ...(last ? { connection: 'close' } : {}),
    });
    response.end(`${text}\n`);
  });

/** What is left of a request that was refused is thrown away as it comes, so that the sender can read why. */
const sendEarly = (message: IncomingMessage, response: ServerResponse, reply: DeliveryReply): void => {
  message.on('error', () => {});
  message.resume();
  void send(response, reply, true);
};

const createPortFailure = ({ host, port }: ServerOptions, cause: Error): Failure => {
  const taken = Reflect.get(cause, 'code') === 'EADDRINUSE';
  return new Failure(`cannot listen on ${host}, port ${port}`, {
    code: 'port_unavailable',
    exit: EXIT.fault,
    reason: taken ? 'Another program is using it.' : cause.message,
    hint: 'Choose another with --port, or use --port 0 for a free one.',
    cause,
  });
};

const listen = async (server: Server, options: ServerOptions): Promise<number> => {
  server.listen({ host: options.host, port: options.port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw createPortFailure(options, error instanceof Error ? error : new Error(String(error)));
  }
  return (server.address() as AddressInfo).port;
};

/** @throws Failure (exit 1) where the port cannot be had */
export const serveDeliveries = async (options: ServerOptions): Promise<DeliveryServer> => {
  const { path, receive, bodyLimit = BODY_LIMIT, headersMs = 10_000, requestMs = 30_000 } = options;
  const pending = new Set<Promise<void>>();
  let closing = false;

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const refusal = findRefusal(message, path);
    if (refusal !== undefined) return sendEarly(message, response, refusal);
    const body = await readBody(message, bodyLimit);
    if (body === undefined)
      return sendEarly(message, response, { status: 413, text: 'the body is too large' });
    if (closing) return sendEarly(message, response, { status: 503, text: 'the receiver is shutting down' });
    const { method = '', url: target = '', rawHeaders } = message;
    const work = receive({ method, target, headers: pairHeaders(rawHeaders), body }).then((reply) =>
      send(response, reply, closing),
    );
    pending.add(work);
    await work.finally(() => pending.delete(work));
  };
  const limits = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: 1_000 };
  const server = createServer({ ...limits, maxHeaderSize: HEADERS_LIMIT }, (message, response) => {
    // Rejects where the sender went away before its body was whole.
    handle(message, response).catch(() => response.destroy());
  });
  const port = await listen(server, options);
  return {
    port,
    async close() {
      if (closing) return;
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      while (pending.size > 0) await Promise.allSettled(pending);
      server.closeAllConnections();
      await closed;
    },
  };
};
