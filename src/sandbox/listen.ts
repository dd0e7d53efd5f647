import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SandboxRequest, SandboxResponse } from './answer.ts';
import { isJsonObject, type MachineClock, Problem, readJson } from './basics.ts';
import { CONTROL_MARK, CONTROL_PREFIX, getControlMethod, type SandboxControl } from './control.ts';
import { isSame } from './oauth.ts';
import type { OpenSandbox } from './open.ts';

/** A sandbox on a socket of the loopback interface (an adapter). */

export type ListeningSocket = Awaited<ReturnType<typeof listenOnSocket>>;

const GRACE_MS = 500;
const MAX_BODY_BYTES = 1_048_576;

export async function listenOnSocket(
  sandbox: Pick<OpenSandbox, 'answer' | 'control'>,
  wanted: number,
  clock: MachineClock,
) {
  // Not from a seeded generator: it is what keeps other users of this machine out.
  const secret = randomBytes(24).toString('hex');
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const server = createServer({ keepAliveTimeout: 30_000 }, async (message, target) => {
    try {
      const { status, headers, body, wire } = await answerMessage(message, sandbox, secret);
      if (wire !== undefined && wire.latency_ms > 0) await clock.sleep(wire.latency_ms, closing.signal);
      if (wire?.cut === 'unanswered') return void target.destroy();
      target.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      // Half of the body, then nothing more: the length that was promised never comes.
      if (wire?.cut === 'middle')
        target.write(body.slice(0, Math.floor(body.length / 2)), () => target.destroy());
      else target.end(body);
    } catch {
      // The caller went away in the middle of its body, or the server is being closed.
      target.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const hint = 'Choose another with --port, or use --port 0 for a free one.';
      const facts = { code: 'port_unavailable', exit: 1, reason: cause.message, hint, cause };
      reject(new Problem(`cannot listen on port ${wanted}`, facts));
    });
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, url: `http://127.0.0.1:${port}` },
    /** Lets its holder control the sandbox at `/_sandbox/…`. */
    secret,
    /** Ends once no connection is left; idle ones are cut at once, others after half a second. */
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      const ended = new AbortController();
      // An answer takes no time; a request that is never sent whole would hold the server for ever.
      clock.sleep(GRACE_MS, ended.signal).then(
        () => server.closeAllConnections(),
        () => {},
      );
      await closed;
      ended.abort();
    },
  };
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

async function answerMessage(
  message: IncomingMessage,
  sandbox: Pick<OpenSandbox, 'answer' | 'control'>,
  secret: string,
): Promise<SandboxResponse> {
  // A caller that is turned away need not come again.
  const refuse = (status: number, message: string): SandboxResponse => ({
    status,
    headers: { 'content-type': 'application/json', connection: 'close', [CONTROL_MARK]: 'ttctl' },
    body: JSON.stringify({ success: false, message, error: null, meta: {} }),
  });
  const headers: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(message.headers)) headers[name] = String(value);
  // A page of another site that resolves its own name to 127.0.0.1 shows that name here.
  if (!LOOPBACK.test(headers.host ?? '')) return refuse(421, 'This host is not served here.');
  // RFC 9112, section 6: most requests have no body, and waiting for its end takes time.
  const chunks: Buffer[] = [];
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') {
    let size = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    }
    if (size > MAX_BODY_BYTES) return refuse(413, 'The body is too large.');
  }
  const [path = '/', ...query] = (message.url ?? '/').split('?');
  const request: SandboxRequest = {
    ...{ method: message.method ?? 'GET', path, query: [...new URLSearchParams(query.join('?'))] },
    ...{ headers, body: Buffer.concat(chunks).toString('utf8') },
  };
  if (!path.startsWith(CONTROL_PREFIX)) return sandbox.answer(request);
  return answerControl(sandbox.control, secret, request);
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
  const answer = (status: number, value: unknown): SandboxResponse => ({
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', [CONTROL_MARK]: 'ttctl' },
    body: JSON.stringify(value),
  });
  const refuse = (status: number, code: string, message: string) =>
    answer(status, { error: { code, exit: 1, message } });
  if (headers.origin !== undefined && !LOOPBACK_ORIGIN.test(headers.origin))
    return refuse(403, 'forbidden', 'Other sites may not control the sandbox.');
  if (method === 'POST' && !isSame(headers['x-sandbox-secret'] ?? '', secret))
    return refuse(403, 'forbidden', 'The secret of the sandbox is missing.');
  const name = path.slice(CONTROL_PREFIX.length) as keyof SandboxControl;
  if (getControlMethod(name) !== method)
    return refuse(404, 'not_found', `No such control: ${method} ${path}`);
  try {
    const call: (args: never) => Promise<unknown> = control[name];
    const args = method === 'GET' ? Object.fromEntries(query) : readJson(body || '{}');
    if (!isJsonObject(args)) throw new Problem('the body is not an object in JSON');
    return answer(200, await call(args as never));
  } catch (error) {
    // A host's own errors have the same members.
    const { message, code = 'bad_request', exit = 1, reason, hint } = error as Problem;
    return answer(400, { error: { code, exit, message, reason, hint } });
  }
}
