import { createHash, timingSafeEqual } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { EXIT, Failure, toFailureJson, UsageError } from '../errors.ts';
import { isRecord, parseJson, stringifyJson } from '../json.ts';
import type { SandboxRequest, SandboxResponse } from './answer.ts';
import { CONTROL_PREFIX, getControlMethod, type SandboxControl } from './control.ts';
import { createPlainResponse, type OpenSandbox } from './open.ts';

/** A sandbox on a socket of the loopback interface (an adapter). */

export interface SocketOptions {
  /** 0 means any free port. */
  readonly port: number;
  /** The machine's, for what is late on purpose. */
  readonly clock: Clock;
  /** Lets its holder control the sandbox at `/_sandbox/…`; without one nobody can. */
  readonly secret?: string;
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
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Serves a sandbox.
 * @throws Failure (exit 1) where the port cannot be had.
 */
export async function listenOnSocket(
  sandbox: Pick<OpenSandbox, 'answer' | 'control'>,
  options: SocketOptions,
): Promise<ListeningSocket> {
  const { clock } = options;
  const closing = new AbortController();
  // Every answer that is late listens.
  setMaxListeners(0, closing.signal);
  const answer = async (message: IncomingMessage, target: ServerResponse): Promise<void> => {
    const response = await answerMessage(message, sandbox, options);
    const latencyMs = response.wire?.latency_ms ?? 0;
    if (latencyMs > 0) await clock.sleep(latencyMs, closing.signal);
    send(target, response);
  };
  const server = createServer({ keepAliveTimeout: 30_000 }, (message, target) => {
    // The caller went away in the middle of its body, or the server is being closed.
    answer(message, target).catch(() => target.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(createPortError(options.port, cause)));
    server.listen(options.port, '127.0.0.1', resolve);
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
}

async function answerMessage(
  message: IncomingMessage,
  sandbox: Pick<OpenSandbox, 'answer' | 'control'>,
  { secret, bodyLimit = 1_048_576 }: SocketOptions,
): Promise<SandboxResponse> {
  // A page of another site that resolves its own name to 127.0.0.1 shows that name here.
  if (!LOOPBACK.test(message.headers.host ?? ''))
    return createClosingResponse(421, 'This host is not served here.');
  const body = hasBody(message) ? await readBody(message, bodyLimit) : '';
  if (body === undefined) return createClosingResponse(413, 'The body is too large.');
  const headers = readHeaders(message);
  const request = { method: message.method ?? 'GET', ...splitTarget(message.url ?? '/'), headers, body };
  if (!request.path.startsWith(CONTROL_PREFIX) || secret === undefined) return sandbox.answer(request);
  return answerControl(sandbox.control, secret, request);
}

/** The path and the query of a target as a request line has it. */
function splitTarget(target: string): Pick<SandboxRequest, 'path'> & { query: [string, string][] } {
  const queryIndex = target.indexOf('?');
  if (queryIndex < 0) return { path: target, query: [] };
  return { path: target.slice(0, queryIndex), query: [...new URLSearchParams(target.slice(queryIndex + 1))] };
}

const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Answers `/_sandbox/<operation>`: GET with its arguments in the query, or POST with JSON and the secret of the locator
 * file, which only its user can read, in `x-sandbox-secret`. A page of another site is refused by its Origin.
 */
async function answerControl(
  control: SandboxControl,
  secret: string,
  { method, path, query, headers, body }: SandboxRequest,
): Promise<SandboxResponse> {
  if (headers['origin'] !== undefined && !LOOPBACK_ORIGIN.test(headers['origin']))
    return createErrorResponse(403, 'forbidden', 'Other sites may not control the sandbox.');
  if (method === 'POST' && !timingSafeEqual(hash(headers['x-sandbox-secret'] ?? ''), hash(secret)))
    return createErrorResponse(403, 'forbidden', 'The secret of the sandbox is missing.');
  const name = path.slice(CONTROL_PREFIX.length) as keyof SandboxControl;
  if (getControlMethod(name) !== method)
    return createErrorResponse(404, 'not_found', `No such control: ${method} ${path}`);
  try {
    const call: (args: never) => Promise<unknown> = control[name];
    const args = method === 'GET' ? Object.fromEntries(query) : parseArgs(body);
    return createJsonResponse(200, await call(args as never));
  } catch (error) {
    if (error instanceof Failure) return createJsonResponse(400, { error: toFailureJson(error) });
    return createErrorResponse(400, 'bad_request', error instanceof Error ? error.message : 'unknown fault');
  }
}

function parseArgs(body: string): object {
  const parsed = parseJson(body === '' ? '{}' : body);
  if ('problem' in parsed) throw new UsageError(`the body cannot be read as JSON: ${parsed.problem.what}`);
  return isRecord(parsed.value) ? parsed.value : {};
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function createJsonResponse(status: number, value: unknown): SandboxResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: stringifyJson(value) };
}

function createErrorResponse(status: number, code: string, message: string): SandboxResponse {
  return createJsonResponse(status, { error: { code, exit: 1, message } });
}

/** A caller that is turned away need not come again. */
function createClosingResponse(status: number, message: string): SandboxResponse {
  const response = createPlainResponse(status, message);
  return { ...response, headers: { ...response.headers, connection: 'close' } };
}

/** Whether a body comes with it (RFC 9112, section 6): most requests have none, and waiting for its end takes time. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Undefined where the body is over the limit. Fails where the caller goes away in the middle of it. */
function readBody(message: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
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
}

function readHeaders(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return headers;
}

/** Half of the body, then nothing more: the length that was promised never comes. */
function sendHalf(target: ServerResponse, body: string): void {
  target.write(body.slice(0, Math.floor(body.length / 2)), () => target.destroy());
}

function send(target: ServerResponse, response: SandboxResponse): void {
  const cut = response.wire?.cut;
  if (cut === 'unanswered') return void target.destroy();
  target.writeHead(response.status, {
    ...response.headers,
    'content-length': Buffer.byteLength(response.body),
  });
  if (cut === 'middle') sendHalf(target, response.body);
  else target.end(response.body);
}

function createPortError(port: number, cause: Error): Failure {
  return new Failure(`cannot listen on port ${port}`, {
    code: 'port_unavailable',
    exit: EXIT.fault,
    reason: cause.message,
    hint: 'Choose another with --port, or use --port 0 for a free one.',
    cause,
  });
}
