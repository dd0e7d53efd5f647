import { setMaxListeners } from 'node:events';
import type { Agent, IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import type { ErrorCode } from '../error-codes.ts';
import { Failure, getMessage, NetworkError, UsageError } from '../errors.ts';
import { isLoopback, MAX_BYTES } from '../parsing/text.ts';
import { TOO_MANY_FILES } from '../storage/write.ts';
import {
  type Exchange,
  encodeRequest,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  type RequestProgress,
  readResponse,
  type Transport,
} from './transport.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or nothing: `HTTP_PROXY` for http, `HTTPS_PROXY` for https, less what `NO_PROXY` names.
 * Lower case wins over upper case; an empty value counts as absent; a value without a scheme means `http://`.
 * A loopback address is never proxied: the tokens of a sandbox must not leave the machine.
 * @throws UsageError when the proxy that applies is not an http or https URL
 */
export function findProxy(url: URL, env: Environment): string | undefined {
  const name = url.hostname.replace(/\.$/, '');
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const [value, exempt] = [variable, 'no_proxy'].map((one) => (env[one] ?? env[one.toUpperCase()])?.trim());
  if (!value || isLoopback(name) || name.endsWith('.localhost')) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  // `*`, host names (which cover the names under them, with or without a leading `.` or `*.`), addresses; each with a port.
  for (const entry of exempt?.toLowerCase().split(/[\s,]+/) ?? []) {
    const [, host = '', entryPort = port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    const suffix = host.replace(/^\*?\./, '');
    const isSame = suffix !== '' && `.${url.hostname}`.endsWith(`.${suffix}`);
    if (entry === '*' || (isSame && entryPort === port)) return undefined;
  }
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed.href;
  // The value may hold a password, so it is not repeated.
  const upper = variable.toUpperCase();
  throw new UsageError(`${upper} is not the URL of an http or https proxy`, {
    hint: `Set it like ${upper}=http://proxy.example:3128, or unset it.`,
  });
}

export interface HttpSenderOptions {
  /** For one whole request: connecting, sending and the last byte of the answer. */
  readonly timeoutMs: number;
  /** Limit of an unpacked answer; default 64 MiB. */
  readonly maxBytes?: number;
  readonly userAgent: string;
  /**
   * When it is aborted, a read is dropped at once, and so is a write of which nothing was sent; a write under way is
   * finished; nothing new is sent. What is dropped fails with its reason, a `Cancelled`.
   */
  readonly interrupt?: AbortSignal;
  readonly env: Environment;
  readonly clock: Clock;
}

/**
 * A connection that idled longer is not used again: servers close idle ones after 5 s and more. One that is closed at the
 * very moment of its reuse cannot be told from one that broke after the service had read the request.
 */
const IDLE_MS = 2000;

/**
 * The last link of the chain, over the network by `node:http(s)`, or by undici where a proxy applies to the address; each
 * is loaded on first use. It follows no redirect and fails with a `NetworkError`.
 * @returns `close` ends the connections that a dropped request was still making
 */
export function createHttpSender(options: HttpSenderOptions) {
  const { env, interrupt, timeoutMs, maxBytes = MAX_BYTES } = options;
  const agents = new Map<string, Agent>();
  const proxies = new Map<string, { readonly exchange: Exchange; close(): Promise<void> }>();
  // Each request under way listens to it; many of them are no leak.
  if (interrupt !== undefined) setMaxListeners(0, interrupt);

  const exchangeDirectly: Exchange = async ({ url, method, headers, payload }, progress) => {
    const { signal } = progress;
    const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    // It unreferences idle connections, so that they do not keep the process alive.
    const agent = agents.get(url.protocol) ?? new http.Agent({ keepAlive: true, timeout: IDLE_MS });
    agents.set(url.protocol, agent);
    signal.throwIfAborted();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = http.request(url, { method, headers, agent, signal });
      request.once('socket', (socket) => {
        const mark = (): void => {
          progress.sent = true;
        };
        // The bytes leave as soon as the connection stands: for TLS after the handshake, for a reused one at once.
        if (Reflect.get(socket, 'secureConnecting') === true) socket.once('secureConnect', mark);
        else if (socket.connecting) socket.once('connect', mark);
        else mark();
      });
      // Stays for as long as the socket does: a late error must not end the process.
      request.on('error', reject);
      request.once('response', resolve);
      request.end(payload);
    });
    progress.answered = true;
    return readResponse(response.statusCode ?? 0, response.headers, response, maxBytes);
  };

  const transport: Transport = async (request) => {
    const wire = encodeRequest(request, options.userAgent);
    const { host } = wire.url;
    const proxy = findProxy(wire.url, env);
    let exchange = exchangeDirectly;
    if (proxy !== undefined) {
      const { openProxy } = await import('./proxy.ts');
      const opened = proxies.get(proxy) ?? openProxy(proxy, maxBytes, timeoutMs);
      proxies.set(proxy, opened);
      exchange = opened.exchange;
    }
    const deadline = { ...options, proxy, host };
    return exchangeWithDeadline(request, (progress) => exchange(wire, progress), deadline);
  };

  const close = async (): Promise<void> => {
    // Idle ones do not keep the process alive; only these can.
    for (const agent of agents.values()) if (Object.keys(agent.sockets).length > 0) agent.destroy();
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
  };
  return { transport, close };
}

interface DeadlineOptions extends Pick<HttpSenderOptions, 'timeoutMs' | 'clock' | 'interrupt'> {
  /** With the port where it is not the usual one. */
  readonly host: string;
  readonly proxy: string | undefined;
}

/** Keeps the deadline and the interrupt of one request, and turns what goes wrong into an error of `errors.ts`. */
export async function exchangeWithDeadline(
  request: HttpRequest,
  exchange: (progress: RequestProgress) => Promise<HttpResponse>,
  options: DeadlineOptions,
): Promise<HttpResponse> {
  const { interrupt, clock, timeoutMs } = options;
  interrupt?.throwIfAborted();
  const aborter = new AbortController();
  const finished = new AbortController();
  const { signal } = aborter;
  const progress: RequestProgress = { signal, sent: false, answered: false };
  let isTimedOut = false;
  const onInterrupt = (): void => {
    if (!isWrite(request.method) || !progress.sent) aborter.abort();
  };
  interrupt?.addEventListener('abort', onInterrupt);
  const timeOut = (): void => {
    isTimedOut = true;
    aborter.abort();
  };
  clock.sleep(timeoutMs, finished.signal).then(timeOut, () => {});
  // The exchange itself may be slow to notice that it was dropped.
  const dropped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([exchange(progress), dropped]);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (interrupt?.aborted && signal.aborted && !isTimedOut) throw interrupt.reason;
    throw createNetworkError(error, request, progress, options, isTimedOut);
  } finally {
    interrupt?.removeEventListener('abort', onInterrupt);
    // Without a reason Node would make an error for each request.
    finished.abort('finished');
  }
}

type Fault = readonly [
  /** A stable name for scripts. */
  code: ErrorCode,
  /** Codes of Node and undici. The first fault that fits counts. */
  codes: RegExp | undefined,
  /** `%` stands for the host. */
  message: string,
  hint: string,
  /** It happens before anything can have been passed to the service. */
  neverSent?: true,
];

const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/;
const UNREADABLE =
  /^(ANSWER_UNREADABLE|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_HTTP_PARSER|UND_ERR_RES_EXCEEDED)/;
const CUT_OFF = /^(Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;
const LATE = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const UNSAFE = /SSL|TLS|CERT|CRL|UNABLE_TO_|PROTO$|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/;
const CLOSED = /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/;

const CHECK_ADDRESS = 'Check the address (`ttctl profile show`) and the network.';
const LATER = 'Try again later.';
const MORE_TIME = 'Try again later, or allow more time with --timeout.';
const LESS = 'Request less: use a smaller --per-page, or a filter.';
const AUTHORITY =
  'Check the address. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.';
const PROXY =
  'Check HTTPS_PROXY=http://name:password@host:port. NO_PROXY names the hosts that need no proxy.';

const FAULTS: readonly Fault[] = [
  ['dns', /^(ENOTFOUND|EAI_|ENODATA$|ESERVFAIL$)/, 'cannot find the host %', CHECK_ADDRESS, true],
  ['connection_refused', REFUSED, 'cannot connect to %', CHECK_ADDRESS, true],
  ['timeout', LATE, 'the response from % was not complete', MORE_TIME],
  ['too_many_files', /^E[MN]FILE$/, 'cannot connect to %', TOO_MANY_FILES.hint, true],
  ['answer_too_large', /^ANSWER_TOO_LARGE$/, 'the response from % is too large', LESS],
  ['answer_unreadable', UNREADABLE, 'the response from % cannot be read', CHECK_ADDRESS],
  ['truncated', CUT_OFF, 'the response from % was cut off', LATER],
  ['connection_reset', CLOSED, '% closed the connection before responding', LATER],
  ['tls', UNSAFE, 'no secure connection to %', AUTHORITY],
  ['proxy', undefined, 'the request to % did not get through the proxy', PROXY, true],
  ['network', undefined, 'the request to % failed', CHECK_ADDRESS],
];

/** A line of OpenSSL, with the place in its own source: `80CB…:error:0A00010B:SSL routines:…:wrong version number:….c:355:` */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]*:[^:]*:[^:]*:([^:]+):/i;

function createNetworkError(
  error: unknown,
  { method, path }: HttpRequest,
  { sent, answered }: RequestProgress,
  { host, proxy, timeoutMs }: DeadlineOptions,
  isTimedOut: boolean,
): NetworkError {
  const { code, reason } = isTimedOut ? { code: 'timeout' as const } : findFault(error, answered, proxy);
  const [, , message, hint, neverSent = false] = FAULTS.find(([one]) => one === code) as Fault;
  let told = message;
  if (code === 'timeout' && !answered) told = sent ? 'no response from %' : 'could not connect to %';
  told = told.replace('%', host) + (code === 'timeout' ? ` within ${timeoutMs / 1000} s` : '');
  // Without the name and password that it may carry.
  const way = proxy && new URL(proxy).origin;
  if (way) told += code === 'proxy' ? ` ${way}` : ` (through the proxy ${way})`;
  return new NetworkError(told, sent && !neverSent, {
    code,
    ...(reason && { reason }),
    hint,
    cause: error,
    details: { request: `${method} ${path}`, host, ...(way && { proxy: way }) },
  });
}

function findFault(error: unknown, answered: boolean, proxy: string | undefined) {
  let code: ErrorCode = 'network';
  let [ownCode, message] = ['', ''];
  // undici wraps the true cause: it is the first in the chain that has a known code.
  for (let at = error; at instanceof Error && code === 'network'; at = at.cause) {
    ownCode = String(Reflect.get(at, 'code') ?? '');
    code = FAULTS.find(([, codes]) => codes?.test(ownCode))?.[0] ?? code;
    // Several addresses that all failed come as one error with an empty message of its own.
    const all = at instanceof AggregateError && at.message === '' ? at.errors : [at];
    message = all.map(getMessage).join('; ');
  }
  // Through a proxy only its own name is looked up and only it is connected to. undici has no code of its own for one
  // that refuses: CONNECT not answered with 200, or 407.
  if (proxy !== undefined && (code === 'dns' || code === 'connection_refused')) code = 'proxy';
  else if (/^Proxy (response \(|Authentication Required)/.test(message)) code = 'proxy';
  else if (answered && (code === 'connection_reset' || code === 'network')) code = 'truncated';
  const words = OPENSSL.exec(message)?.[1] ?? message.trim();
  return { code, reason: words.includes(ownCode) ? words : `${words} (${ownCode})`.trimStart() };
}
