import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, Failure } from '../errors.ts';
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
  readonly path?: string | undefined;
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

export const SHUTTING_DOWN: DeliveryReply = { status: 503, text: 'the receiver is shutting down' };

const BODY_LIMIT = 1024 * 1024;
const HEADERS_LIMIT = 16 * 1024;

/** @throws Failure (exit 1) where the port cannot be had */
export async function serveDeliveries(options: ServerOptions): Promise<DeliveryServer> {
  const { host, path, receive, bodyLimit = BODY_LIMIT, headersMs = 10_000, requestMs = 30_000 } = options;
  const pending = new Set<Promise<void>>();
  let isClosing = false;

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const body = findRefusal(message, path) ?? (await readBody(message, bodyLimit));
    if ('status' in body || isClosing) {
      // What is left of it is thrown away as it comes, so that the sender can read why.
      message.on('error', () => {}).resume();
      return send(response, 'status' in body ? body : SHUTTING_DOWN, true);
    }
    const { method = '', url: target = '', rawHeaders: raw } = message;
    const headers = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
    const work = receive({ method, target, headers, body }).then((reply) => send(response, reply, isClosing));
    pending.add(work);
    await work.finally(() => pending.delete(work));
  };
  const limits = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: 1_000 };
  const server = createServer({ ...limits, maxHeaderSize: HEADERS_LIMIT }, (message, response) => {
    // Rejects where the sender went away before its body was whole.
    handle(message, response).catch(() => response.destroy());
  });
  server.listen({ host, port: options.port, exclusive: true });
  await once(server, 'listening').catch((cause: Error) => {
    throw new Failure(`cannot listen on ${host}, port ${options.port}`, {
      code: 'port_unavailable',
      exit: EXIT.fault,
      reason: cause.message.includes('EADDRINUSE') ? 'Another program is using it.' : cause.message,
      hint: 'Choose another with --port, or use --port 0 for a free one.',
      cause,
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      while (pending.size > 0) await Promise.allSettled(pending);
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * What is wrong before the body is read. Every browser adds such headers to a POST, and no page can leave them out: the
 * address is no secret to a page.
 */
function findRefusal(
  { method, url = '', headers }: IncomingMessage,
  path?: string,
): DeliveryReply | undefined {
  if (Object.keys(headers).some((name) => name === 'origin' || name.startsWith('sec-fetch-')))
    return { status: 403, text: 'nothing is accepted from a browser' };
  if (path !== undefined && url.split('?')[0] !== path)
    return { status: 404, text: 'nothing is accepted here' };
  return method === 'POST' ? undefined : { status: 405, text: 'only POST is accepted' };
}

/** Rejects when the sender goes away in the middle. */
async function readBody(message: IncomingMessage, limit: number): Promise<Uint8Array | DeliveryReply> {
  const tooLarge = { status: 413, text: 'the body is too large' };
  if (Number(message.headers['content-length'] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limit) return tooLarge;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** @param last whether the connection ends with it */
function send(response: ServerResponse, { status, text }: DeliveryReply, last: boolean): Promise<void> {
  return new Promise((resolve) => {
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
}
