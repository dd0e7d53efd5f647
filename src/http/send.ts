import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';
import { MAX_BYTES } from '../parsing/input-limits.ts';
import { createDirectSender } from './direct-sender.ts';
import { toCancelled } from './pacing.ts';
import type { ProxySender } from './proxy-sender.ts';
import { type HttpRequest, type HttpResponse, isWrite, type Transport } from './transport.ts';
import { type Exchange, encodeRequest, type RequestProgress } from './wire.ts';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or nothing: `HTTP_PROXY` for http, `HTTPS_PROXY` for https, less what `NO_PROXY` names.
 * Lower case wins over upper case; an empty value counts as absent; a value without a scheme means `http://`.
 * A loopback address is never proxied: the tokens of a sandbox must not leave the machine.
 * Fails with a `UsageError` when the proxy that applies is not an http or https URL.
 */
export const findProxy = (url: URL, env: ProxyEnvironment): string | undefined => {
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = readVariable(env, variable);
  if (value === undefined || isThisMachine(url.hostname)) return undefined;
  if (isExempt(url, readVariable(env, 'no_proxy') ?? '')) return undefined;
  return parseProxyUrl(value, variable.toUpperCase());
};

/** This machine by any of its names: those under `localhost` too (RFC 6761), though they are trusted with nothing else. */
const isThisMachine = (hostname: string): boolean => {
  const name = hostname.replace(/\.$/, '');
  return isLoopback(name) || name.endsWith('.localhost');
};

const readVariable = (env: ProxyEnvironment, lower: string): string | undefined => {
  const value = (env[lower] ?? env[lower.toUpperCase()])?.trim();
  return value === '' ? undefined : value;
};

// The value may hold a password, so it is not repeated in the message.
const parseProxyUrl = (value: string, variable: string): string => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed.href;
  throw new UsageError(`${variable} is not the URL of an http or https proxy`, {
    hint: `Set it like ${variable}=http://proxy.example:3128, or unset it.`,
  });
};

/**
 * `NO_PROXY` is a list parted by commas or spaces. An entry is `*`, a host name (which covers the names under it,
 * with or without a leading `.` or `*.`) or an IP address, each with an optional port.
 */
const isExempt = (url: URL, list: string): boolean => {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entryCovers(entry, host, port));
};

const entryCovers = (entry: string, host: string, port: string): boolean => {
  if (entry === '*') return true;
  const { name, port: entryPort } = splitPort(entry);
  if (entryPort !== undefined && entryPort !== port) return false;
  const suffix = name.replace(/^\*?\./, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
};

const splitPort = (entry: string): { name: string; port: string | undefined } => {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry);
  if (bracketed) return { name: bracketed[1] ?? '', port: bracketed[2] };
  // More than one colon is an IPv6 address without brackets, which has no port.
  const plain = /^([^:]*):(\d+)$/.exec(entry);
  return plain ? { name: plain[1] ?? '', port: plain[2] } : { name: entry, port: undefined };
};

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

/** Without a reason Node would make an error for each request. */
const FINISHED = 'landed';

/**
 * Over the network by `node:http(s)`, or by undici where a proxy applies to the address; each is loaded on first use.
 *
 * Connections are kept alive. A connection that the service closes at the very moment of its reuse cannot be told from
 * one that broke after the service had read the request; so that a write in that place is `sent: true`, and the case is
 * made rare by not reusing connections that idled for 2 s.
 */
export const createHttpSender = (options: HttpSenderOptions): HttpSender => {
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  const direct = createDirectSender(maxBytes);
  // Each request under way listens to it; many of them are no leak.
  if (options.interrupt !== undefined) setMaxListeners(0, options.interrupt);
  let proxySender: Promise<ProxySender> | undefined;
  const loadProxySender = () => {
    proxySender ??= import('./proxy-sender.ts').then((module) =>
      module.createProxySender({ maxBytes, timeoutMs: options.timeoutMs }),
    );
    return proxySender;
  };
  return {
    async transport(request) {
      const wire = encodeRequest(request, options.userAgent);
      const proxy = findProxy(wire.url, options.env);
      const exchange = proxy === undefined ? direct.exchange : (await loadProxySender()).through(proxy);
      return exchangeWithDeadline(request, (progress) => exchange(wire, progress), {
        ...options,
        proxy,
        host: wire.url.host,
      });
    },
    async close() {
      direct.close();
      await (await proxySender)?.close();
    },
  };
};

type DeadlineOptions = Pick<HttpSenderOptions, 'timeoutMs' | 'clock'> & {
  readonly interrupt?: AbortSignal | undefined;
  readonly host: string;
  readonly proxy: string | undefined;
};

/** Keeps the deadline and the interrupt of one request, and turns what goes wrong into an error of `outcome.ts`. */
export const exchangeWithDeadline = async (
  request: HttpRequest,
  exchange: (progress: RequestProgress) => ReturnType<Exchange>,
  options: DeadlineOptions,
): Promise<HttpResponse> => {
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
    const { toNetworkFailure } = await import('./network-failure.ts');
    throw toNetworkFailure(error, { ...options, request, progress, isTimedOut });
  } finally {
    interrupt?.removeEventListener('abort', onInterrupt);
    finished.abort(FINISHED);
  }
};

// The exchange itself may be slow to notice that it was dropped.
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
