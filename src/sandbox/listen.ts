import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import type { SandboxApp, SandboxRequest, SandboxResponse } from './exchange.ts';
import { answerRequest, createPlainResponse, splitTarget } from './host.ts';

/** The sandbox on a socket of the loopback interface (an adapter). */

export interface SocketOptions {
  /** 0 means any free port. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default `/api/v2`. */
  readonly basePath?: string;
  /** Answers `/_sandbox/…`; without it those are 404. */
  readonly controls?: (request: SandboxRequest) => Promise<SandboxResponse>;
  /** Answers `/oauth/…`; without it those are 404. */
  readonly oauth?: SandboxApp;
  /** The sandbox's time in ms, for the `Date` of every answer; default: the machine's. */
  readonly now?: () => number;
  /** The machine's, for what is late on purpose. */
  readonly clock: Clock;
  /** Bytes of a body; default 1 MiB. */
  readonly bodyLimit?: number;
}

export interface ListeningSocket {
  readonly port: number;
  /** Ends once no connection is left; idle ones are cut at once, others after half a second. */
  close(): Promise<void>;
}

/** How long a request under way may take once the server is to end. */
const GRACE_MS = 500;
const CONTROL_PREFIX = '/_sandbox/';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** A caller that is turned away need not come again. */
const createClosingResponse = (status: number, message: string): SandboxResponse => {
  const response = createPlainResponse(status, message);
  return { ...response, headers: { ...response.headers, connection: 'close' } };
};

/** Whether a body comes with it (RFC 9112, section 6): most requests have none, and waiting for its end takes time. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Undefined where the body is over the limit. Fails where the caller goes away in the middle of it. */
const readBody = (message: IncomingMessage, limit: number): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) resolve(undefined);
      else chunks.push(chunk);
    });
    message.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    message.once('error', reject);
    message.once('close', () => reject(new Error('the request was cut off')));
  });

const readHeaders = (message: IncomingMessage): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return headers;
};

const answerMessage = async (
  message: IncomingMessage,
  app: SandboxApp,
  options: SocketOptions,
): Promise<SandboxResponse> => {
  // A page of another site that resolves its own name to 127.0.0.1 shows that name here.
  if (!LOOPBACK.test(message.headers.host ?? ''))
    return createClosingResponse(421, 'This host is not served here.');
  const body = hasBody(message) ? await readBody(message, options.bodyLimit ?? 1_048_576) : '';
  if (body === undefined) return createClosingResponse(413, 'The body is too large.');
  const { path, query } = splitTarget(message.url ?? '/');
  const request = { method: message.method ?? 'GET', path, query, headers: readHeaders(message), body };
  if (path.startsWith(CONTROL_PREFIX)) {
    return options.controls === undefined
      ? createClosingResponse(404, 'Not found.')
      : options.controls(request);
  }
  return answerRequest(request, { app, oauth: options.oauth }, options.basePath);
};

/** Half of the body, then nothing more: the length that was promised never comes. */
const sendHalf = (target: ServerResponse, body: string): void => {
  target.write(body.slice(0, Math.floor(body.length / 2)), () => target.destroy());
};

const send = (target: ServerResponse, response: SandboxResponse, now: number | undefined): void => {
  const cut = response.wire?.cut;
  if (cut === 'unanswered') return void target.destroy();
  target.writeHead(response.status, {
    ...(now === undefined ? {} : { date: new Date(now).toUTCString() }),
    ...response.headers,
    'content-length': Buffer.byteLength(response.body),
  });
  if (cut === 'middle') sendHalf(target, response.body);
  else target.end(response.body);
};

const createPortError = (port: number, cause: Error): Failure =>
  new Failure(`cannot listen on port ${port}`, {
    code: 'port_unavailable',
    exit: EXIT.fault,
    reason: cause.message,
    hint: 'Choose another with --port, or use --port 0 for a free one.',
    cause,
  });

/**
 * Serves the app at `basePath`. Requests are answered one after another, since the app answers at once.
 * @throws Failure (exit 1) where the port cannot be had.
 */
export const listenOnSocket = async (app: SandboxApp, options: SocketOptions): Promise<ListeningSocket> => {
  const { clock } = options;
  const closing = new AbortController();
  // Every answer that is late listens.
  setMaxListeners(0, closing.signal);
  const answer = async (message: IncomingMessage, target: ServerResponse): Promise<void> => {
    const response = await answerMessage(message, app, options);
    const latencyMs = response.wire?.latency_ms ?? 0;
    if (latencyMs > 0) await clock.sleep(latencyMs, closing.signal);
    send(target, response, options.now?.());
  };
  const server = createServer({ keepAliveTimeout: 30_000 }, (message, target) => {
    // The caller went away in the middle of its body, or the server is being closed.
    answer(message, target).catch(() => target.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(createPortError(options.port, cause)));
    server.listen(options.port, options.host ?? '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      const graceController = new AbortController();
      // An answer takes no time; a request that is never sent whole would hold the server for ever.
      clock.sleep(GRACE_MS, graceController.signal).then(
        () => server.closeAllConnections(),
        () => {},
      );
      await closed;
      graceController.abort();
    },
  };
};
