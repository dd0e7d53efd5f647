import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { MAX_BYTES } from '../parsing/input-limits.ts';
import { createDirectSender } from './direct-sender.ts';
import { toCancelled } from './interrupt.ts';
import { findProxy, type ProxyEnvironment } from './proxy-rules.ts';
import type { ProxySender } from './proxy-sender.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';
import { isWrite } from './transport.ts';
import { type Exchange, encodeRequest, type RequestProgress } from './wire.ts';

export interface HttpSenderOptions {
  /** For one whole request: connecting, sending and the last byte of the answer. */
  readonly timeoutMs: number;
  /** Limit of an unpacked answer; default 64 MiB (docs/requirements.md, G3). */
  readonly maxBytes?: number;
  readonly userAgent: string;
  /**
   * When it is aborted, a read is dropped at once, and so is a write of which nothing was sent; a write under way is
   * finished; nothing new is sent. What is dropped fails with `Cancelled` (exit 130, or the signal's own reason).
   */
  readonly interrupt?: AbortSignal;
  /** Where the proxy variables are read: proxy-rules.ts. */
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
const LANDED = 'landed';

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
  let proxied: Promise<ProxySender> | undefined;
  const load = () => {
    proxied ??= import('./proxy-sender.ts').then((module) =>
      module.createProxySender({ maxBytes, timeoutMs: options.timeoutMs }),
    );
    return proxied;
  };
  return {
    async transport(request) {
      const wire = encodeRequest(request, options.userAgent);
      const proxy = findProxy(wire.url, options.env);
      const exchange = proxy === undefined ? direct.exchange : (await load()).through(proxy);
      return exchangeWithDeadline(request, (flight) => exchange(wire, flight), {
        ...options,
        proxy,
        host: wire.url.host,
      });
    },
    async close() {
      direct.close();
      await (await proxied)?.close();
    },
  };
};

type FlightOptions = Pick<HttpSenderOptions, 'timeoutMs' | 'clock'> & {
  readonly interrupt?: AbortSignal | undefined;
  readonly host: string;
  readonly proxy: string | undefined;
};

/** Keeps the deadline and the interrupt of one request, and turns what goes wrong into an error of `outcome.ts`. */
export const exchangeWithDeadline = async (
  request: HttpRequest,
  exchange: (flight: RequestProgress) => ReturnType<Exchange>,
  options: FlightOptions,
): Promise<HttpResponse> => {
  const { interrupt, clock, timeoutMs } = options;
  if (interrupt?.aborted) throw toCancelled(interrupt);
  const drop = new AbortController();
  const landed = new AbortController();
  const flight: RequestProgress = { signal: drop.signal, sent: false, answered: false };
  let late = false;
  const onInterrupt = () => {
    if (!isWrite(request.method) || !flight.sent) drop.abort();
  };
  interrupt?.addEventListener('abort', onInterrupt);
  clock.sleep(timeoutMs, landed.signal).then(
    () => {
      late = true;
      drop.abort();
    },
    () => {},
  );
  try {
    return await Promise.race([exchange(flight), dropped(drop.signal)]);
  } catch (error) {
    if (interrupt?.aborted && drop.signal.aborted && !late) throw toCancelled(interrupt);
    const { toNetworkFailure } = await import('./network-failure.ts');
    throw toNetworkFailure(error, { ...options, request, flight, late });
  } finally {
    interrupt?.removeEventListener('abort', onInterrupt);
    landed.abort(LANDED);
  }
};

// The exchange itself may be slow to notice that it was dropped.
const dropped = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
