import { setMaxListeners } from 'node:events';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { isLoopback } from '../parsing/address.ts';
import { MAX_BYTES } from '../parsing/text.ts';
import { toNetworkFailure } from './faults.ts';
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
