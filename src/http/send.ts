import { setMaxListeners } from 'node:events';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../clock.ts';
import { Failure, NetworkError, UsageError } from '../errors.ts';
import { isLoopback, MAX_BYTES } from '../parsing/text.ts';
import { TOO_MANY_FILES } from '../storage/write.ts';
import { toCancelled } from './links.ts';
import {
  type Connections,
  type Exchange,
  encodeRequest,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  type RequestProgress,
  readResponseBody,
  type Transport,
  type WireRequest,
} from './transport.ts';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or nothing: `HTTP_PROXY` for http, `HTTPS_PROXY` for https, less what `NO_PROXY` names.
 * Lower case wins over upper case; an empty value counts as absent; a value without a scheme means `http://`.
 * A loopback address is never proxied: the tokens of a sandbox must not leave the machine.
 * Fails with a `UsageError` when the proxy that applies is not an http or https URL.
 */
export function findProxy(url: URL, env: ProxyEnvironment): string | undefined {
  const name = url.hostname.replace(/\.$/, '');
  // Those under `localhost` too (RFC 6761), though they are trusted with nothing else.
  const isHere = isLoopback(name) || name.endsWith('.localhost');
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = readVariable(env, variable);
  if (value === undefined || isHere || isExempt(url, readVariable(env, 'no_proxy') ?? '')) return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed.href;
  // The value may hold a password, so it is not repeated.
  const upper = variable.toUpperCase();
  throw new UsageError(`${upper} is not the URL of an http or https proxy`, {
    hint: `Set it like ${upper}=http://proxy.example:3128, or unset it.`,
  });
}

function readVariable(env: ProxyEnvironment, lower: string): string | undefined {
  return (env[lower] ?? env[lower.toUpperCase()])?.trim() || undefined;
}

/**
 * `NO_PROXY` is a list parted by commas or spaces: `*`, host names (which cover the names under them, with or without a
 * leading `.` or `*.`) and addresses, each with an optional port.
 */
function isExempt({ hostname, port: urlPort, protocol }: URL, list: string): boolean {
  const port = urlPort || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', entryPort = port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const suffix = name.replace(/^\*?\./, '');
      const isSame = suffix !== '' && (hostname === suffix || hostname.endsWith(`.${suffix}`));
      return entry === '*' || (isSame && entryPort === port);
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
   * finished; nothing new is sent. What is dropped fails with `Cancelled` (exit 130, or the signal's own reason).
   */
  readonly interrupt?: AbortSignal;
  /** The proxy variables, for `findProxy`. */
  readonly env: ProxyEnvironment;
  readonly clock: Clock;
}

export interface HttpSender {
  /** The last link of the chain: sends a request, follows no redirect, fails with a `NetworkError`. */
  readonly transport: Transport;
  /** Ends idle connections, and those that a dropped request was still making. Call it when the run is over. */
  close(): Promise<void>;
}

/**
 * Over the network by `node:http(s)`, or by undici where a proxy applies to the address; each is loaded on first use.
 *
 * Connections are kept alive. A connection that the service closes at the very moment of its reuse cannot be told from
 * one that broke after the service had read the request; so that a write in that place is `sent: true`, and the case is
 * made rare by not reusing connections that idled for 2 s.
 */
export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { env, timeoutMs, maxBytes = MAX_BYTES } = options;
  const direct = openDirect(maxBytes);
  // Each request under way listens to it; many of them are no leak.
  if (options.interrupt !== undefined) setMaxListeners(0, options.interrupt);
  const proxies = new Map<string, Connections>();
  const loadProxy = async (proxy: string): Promise<Connections> => {
    const { openProxy } = await import('./proxy.ts');
    const opened = proxies.get(proxy) ?? openProxy(proxy, maxBytes, timeoutMs);
    proxies.set(proxy, opened);
    return opened;
  };
  return {
    async transport(request) {
      const wire = encodeRequest(request, options.userAgent);
      const proxy = findProxy(wire.url, env);
      const { exchange } = proxy === undefined ? direct : await loadProxy(proxy);
      const { host } = wire.url;
      return exchangeWithDeadline(request, (progress) => exchange(wire, progress), {
        ...options,
        proxy,
        host,
      });
    },
    async close() {
      direct.close();
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}

type DeadlineOptions = Pick<HttpSenderOptions, 'timeoutMs' | 'clock'> & {
  readonly interrupt?: AbortSignal | undefined;
  readonly host: string;
  readonly proxy: string | undefined;
};

/** Keeps the deadline and the interrupt of one request, and turns what goes wrong into an error of `errors.ts`. */
export async function exchangeWithDeadline(
  request: HttpRequest,
  exchange: (progress: RequestProgress) => ReturnType<Exchange>,
  options: DeadlineOptions,
): Promise<HttpResponse> {
  const { interrupt, clock, timeoutMs } = options;
  if (interrupt?.aborted) throw toCancelled(interrupt);
  const aborter = new AbortController();
  const finished = new AbortController();
  const progress: RequestProgress = { signal: aborter.signal, sent: false, answered: false };
  let isTimedOut = false;
  const onInterrupt = () => {
    if (!isWrite(request.method) || !progress.sent) aborter.abort();
  };
  interrupt?.addEventListener('abort', onInterrupt);
  clock.sleep(timeoutMs, finished.signal).then(
    () => {
      isTimedOut = true;
      aborter.abort();
    },
    () => {},
  );
  try {
    return await Promise.race([exchange(progress), rejectOnAbort(aborter.signal)]);
  } catch (error) {
    if (interrupt?.aborted && aborter.signal.aborted && !isTimedOut) throw toCancelled(interrupt);
    throw toNetworkFailure(error, { ...options, request, progress, isTimedOut });
  } finally {
    interrupt?.removeEventListener('abort', onInterrupt);
    // Without a reason Node would make an error for each request.
    finished.abort('finished');
  }
}

// The exchange itself may be slow to notice that it was dropped.
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * A connection that idled longer is not used again. Servers close idle connections after 5 s and more (Node, nginx,
 * Apache), or name a shorter time in `keep-alive: timeout=`, which the agent keeps. A request written into a connection
 * that is just being closed would be reset, and a write would then be of unknown outcome.
 */
const IDLE_MS = 2000;

/**
 * Requests by `node:http` and `node:https`, each loaded when the first address needs it.
 * Idle connections are unreferenced by the agent, so that they do not keep the process alive.
 */
export function openDirect(maxBytes: number): Connections {
  const agents = new Map<string, Agent>();
  return {
    async exchange(wire, progress) {
      const { protocol } = wire.url;
      const http = protocol === 'https:' ? await import('node:https') : await import('node:http');
      const agent = agents.get(protocol) ?? new http.Agent({ keepAlive: true, timeout: IDLE_MS });
      agents.set(protocol, agent);
      progress.signal.throwIfAborted();
      const { method, headers } = wire;
      return sendRequest(http.request(wire.url, { method, headers, agent }), wire, progress, maxBytes);
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function sendRequest(
  request: ClientRequest,
  wire: WireRequest,
  progress: RequestProgress,
  maxBytes: number,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    request.once('socket', (socket) => markSent(socket, progress));
    // Stays for as long as the socket does: a late error must not end the process.
    request.on('error', reject);
    request.once('response', (response) => {
      progress.answered = true;
      readResponse(response, maxBytes).then(resolve, reject);
    });
    const abort = (): void => void request.destroy(progress.signal.reason);
    progress.signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => progress.signal.removeEventListener('abort', abort));
    request.end(wire.payload);
  });
}

/** The bytes leave as soon as the connection stands: for TLS after the handshake, for a reused one at once. */
function markSent(socket: Socket | TLSSocket, progress: RequestProgress): void {
  const mark = () => {
    progress.sent = true;
  };
  const isHandshaking = Reflect.get(socket, 'secureConnecting') === true;
  if (isHandshaking) socket.once('secureConnect', mark);
  else if (socket.connecting) socket.once('connect', mark);
  else mark();
}

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<HttpResponse> {
  const status = response.statusCode ?? 0;
  const { 'content-encoding': encoding, 'content-type': type } = response.headers;
  const body = await readResponseBody(response, { status, encoding, type }, maxBytes);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status, headers: Object.fromEntries(headers), ...body };
}

interface FaultContext {
  readonly request: HttpRequest;
  readonly progress: RequestProgress;
  /** With the port where it is not the usual one. */
  readonly host: string;
  readonly proxy: string | undefined;
  readonly timeoutMs: number;
  /** The deadline of the whole request passed. */
  readonly isTimedOut: boolean;
}

interface Fault {
  /** Codes of Node and undici. The first fault that fits counts. */
  readonly codes: RegExp;
  /** @param host as in the context @param seconds `30 s` */
  readonly message: (host: string, seconds: string) => string;
  /** What to do, and what to set. */
  readonly hint: string;
  /** It happens before anything can have been passed to the service. */
  readonly neverSent?: true;
}

const NEVER = /^\b$/;

/** By the code of the `NetworkError`: stable names for scripts. */
const FAULTS = {
  dns: {
    codes: /^(ENOTFOUND|EAI_|ENODATA$|ESERVFAIL$)/,
    message: (host) => `cannot find the host ${host}`,
    hint: 'Check the address (`ttctl profile show`) and the network.',
    neverSent: true,
  },
  connection_refused: {
    codes: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    message: (host) => `cannot connect to ${host}`,
    hint: 'Check the address (`ttctl profile show`), and that the service can be reached from here.',
    neverSent: true,
  },
  timeout: {
    codes: /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    message: (host, seconds) => `the response from ${host} was not complete within ${seconds}`,
    hint: 'Try again later, or allow more time with --timeout.',
  },
  too_many_files: {
    codes: /^E[MN]FILE$/,
    message: (host) => `cannot connect to ${host}`,
    hint: TOO_MANY_FILES.hint,
    neverSent: true,
  },
  answer_too_large: {
    codes: /^ANSWER_TOO_LARGE$/,
    message: (host) => `the response from ${host} is too large`,
    hint: 'Request less: use a smaller --per-page, or a filter.',
  },
  answer_unreadable: {
    codes: /^(ANSWER_UNREADABLE|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_HTTP_PARSER|UND_ERR_RES_EXCEEDED)/,
    message: (host) => `the response from ${host} cannot be read`,
    hint: 'Check the address (`ttctl profile show`): this may not be the API.',
  },
  truncated: {
    codes: /^(Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    message: (host) => `the response from ${host} was cut off`,
    hint: 'Try again later.',
  },
  connection_reset: {
    codes: /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/,
    message: (host) => `${host} closed the connection before responding`,
    hint: 'Try again later.',
  },
  tls: {
    codes:
      /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_)/,
    message: (host) => `no secure connection to ${host}`,
    hint: 'Check the address. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.',
  },
  proxy: {
    codes: NEVER,
    message: (host) => `the request to ${host} did not get through the proxy`,
    hint: 'Check HTTPS_PROXY; NO_PROXY names the hosts that need no proxy.',
    neverSent: true,
  },
  network: {
    codes: NEVER,
    message: (host) => `the request to ${host} failed`,
    hint: 'Check the address (`ttctl profile show`) and the network.',
  },
} as const satisfies Readonly<Record<string, Fault>>;

type FaultCode = keyof typeof FAULTS;

/** Turns what the platform threw into a `NetworkError`. A `Failure` is passed on as it is. */
export function toNetworkFailure(error: unknown, context: FaultContext): Failure {
  if (error instanceof Failure) return error;
  const cause = findCause(error);
  const code = classifyFault(cause, context);
  const { request, progress, host, proxy } = context;
  const fault: Fault = FAULTS[code];
  const reason = context.isTimedOut ? undefined : formatReason(cause);
  return new NetworkError(formatMessage(code, context), progress.sent && fault.neverSent !== true, {
    code,
    ...(reason === undefined ? {} : { reason }),
    hint: chooseHint(code, request, cause),
    cause: error,
    details: {
      request: `${request.method} ${request.path}`,
      host,
      ...(proxy === undefined ? {} : { proxy: maskProxy(proxy) }),
    },
  });
}

function classifyFault(cause: Cause, { progress, proxy, isTimedOut }: FaultContext): FaultCode {
  if (isTimedOut) return 'timeout';
  // undici has no code of its own for a proxy that refuses: CONNECT not answered with 200, or 407.
  if (/^Proxy (response \(|Authentication Required)/.test(cause.message)) return 'proxy';
  const code = findFault(cause.code) ?? 'network';
  // Through a proxy only its own name is looked up and only it is connected to.
  if (proxy !== undefined && (code === 'dns' || code === 'connection_refused')) return 'proxy';
  if (progress.answered && (code === 'connection_reset' || code === 'network')) return 'truncated';
  return code;
}

function findFault(code: string): FaultCode | undefined {
  return (Object.keys(FAULTS) as FaultCode[]).find((name) => FAULTS[name].codes.test(code));
}

function formatMessage(code: FaultCode, { host, proxy, progress, timeoutMs }: FaultContext): string {
  const via = proxy === undefined ? '' : ` (through the proxy ${maskProxy(proxy)})`;
  const seconds = `${timeoutMs / 1000} s`;
  if (code === 'timeout' && !progress.sent) return `could not connect to ${host} within ${seconds}${via}`;
  if (code === 'timeout' && !progress.answered) return `no response from ${host} within ${seconds}${via}`;
  return FAULTS[code].message(host, seconds) + (code === 'proxy' ? ` ${maskProxy(proxy ?? '')}` : via);
}

function chooseHint(code: FaultCode, { method }: HttpRequest, { message }: Cause): string {
  if (code === 'answer_too_large' && isWrite(method)) return FAULTS.answer_unreadable.hint;
  if (code === 'proxy' && /407|Authentication Required/.test(message))
    return 'The proxy wants a name and a password: HTTPS_PROXY=http://name:password@host:port';
  return FAULTS[code].hint;
}

interface Cause {
  readonly code: string;
  readonly message: string;
}

/** `fetch` and undici wrap the true cause; it is the first in the chain that has a known code. */
function findCause(error: unknown): Cause {
  let last: Cause = { code: '', message: '' };
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    const code: unknown = Reflect.get(at, 'code');
    last = { code: typeof code === 'string' ? code : '', message: getMessage(at) };
    if (findFault(last.code) !== undefined) return last;
  }
  return last.code === 'UND_ERR_PRX_TLS' ? { ...last, code: 'ERR_TLS' } : last;
}

// Several addresses that all failed come as one error with an empty message of its own.
function getMessage(error: Error): string {
  return error instanceof AggregateError && error.message === ''
    ? error.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each))).join('; ')
    : error.message;
}

/** A line of OpenSSL, with the place in its own source: `80CB…:error:0A00010B:SSL routines:…:wrong version number:….c:355:` */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]*:[^:]*:[^:]*:([^:]+):/i;

function formatReason({ code, message: raw }: Cause): string | undefined {
  const ssl = OPENSSL.exec(raw)?.[1];
  const message = ssl === 'wrong version number' ? 'The server there does not use TLS' : (ssl ?? raw.trim());
  if (message === '') return code === '' ? undefined : code;
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}

/** A proxy without the name and password it may carry. */
function maskProxy(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).origin : 'from the environment';
}
