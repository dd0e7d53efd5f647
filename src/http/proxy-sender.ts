import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ProxyAgent } from 'undici';
import type { HttpResponse } from './transport.ts';
import { type Exchange, type RequestProgress, readResponseBody, type WireRequest } from './wire.ts';

/** Requests through proxies, by undici's `ProxyAgent` under the global `fetch` (which nock sees). */
export interface ProxySender {
  /** The exchange through one proxy. */
  through(proxy: string): Exchange;
  close(): Promise<void>;
}

interface ProxiedOptions {
  readonly maxBytes: number;
  /** Limit of each connecting step; the deadline of the whole request is kept by the caller. */
  readonly timeoutMs: number;
}

export const createProxySender = (options: ProxiedOptions): ProxySender => {
  const agents = new Map<string, ProxyAgent>();
  const agentFor = (proxy: string): ProxyAgent => {
    const agent = agents.get(proxy) ?? createAgent(proxy, options.timeoutMs);
    agents.set(proxy, agent);
    return agent;
  };
  return {
    through: (proxy) => (wire, flight) => exchange(agentFor(proxy), wire, flight, options.maxBytes),
    async close() {
      const open = [...agents.values()];
      agents.clear();
      await Promise.all(open.map((agent) => agent.destroy()));
    },
  };
};

const createAgent = (proxy: string, timeoutMs: number): ProxyAgent => {
  const url = new URL(proxy);
  // undici leaves out a user name without a password.
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return new ProxyAgent({
    uri: url.href,
    ...(login === ':' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }),
    // Plain http goes by absolute-form requests, as with curl: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
    proxyTls: { timeout: timeoutMs },
    requestTls: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
};

/** undici marks a connection as free in the next turn: whoever asks in this one would open another. */
const free = (): Promise<void> => new Promise((done) => void setImmediate(done));

/** What the dispatcher saw of an answer before `fetch` touched it. */
interface Seen {
  dispatched: boolean;
  encoding: string | undefined;
}

const exchange = async (
  agent: ProxyAgent,
  wire: WireRequest,
  flight: RequestProgress,
  maxBytes: number,
): Promise<HttpResponse> => {
  const seen: Seen = { dispatched: false, encoding: undefined };
  const dispatcher = agent.compose(watch(wire, flight, seen));
  const { 'content-length': _length, ...sent } = wire.headers;
  const answer = await fetch(wire.url, {
    method: wire.method,
    headers: sent,
    ...(wire.payload === undefined ? {} : { body: wire.payload }),
    redirect: 'manual',
    signal: flight.signal,
    // The types of the built-in fetch are of another undici.
    dispatcher: dispatcher as never,
  }).catch((error: unknown) => {
    // A fetch that never asked our dispatcher is another one (a test's): nothing is known of its wire.
    if (!seen.dispatched) flight.sent = true;
    throw error;
  });
  flight.answered = true;
  const { Readable } = await import('node:stream');
  const body = answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as never);
  const text = await readResponseBody(body, { status: answer.status, encoding: seen.encoding }, maxBytes);
  await free();
  const headers = Object.fromEntries(answer.headers);
  if (seen.encoding !== undefined) headers['content-encoding'] = seen.encoding;
  return { status: answer.status, headers, body: text };
};

/**
 * Sets the marks of the flight, keeps the headers exactly ours (`fetch` adds some), and hides the packing from
 * `fetch`, which would take a packed answer that breaks off for a whole one.
 */
const watch =
  (wire: WireRequest, flight: RequestProgress, seen: Seen): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    seen.dispatched = true;
    const watching: Dispatcher.DispatchHandler = {
      onRequestStart(controller, context) {
        flight.sent = true;
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart(controller, status, headers, message) {
        const { 'content-encoding': encoding, ...rest } = headers;
        if (status >= 200) seen.encoding = encoding === undefined ? undefined : String(encoding);
        handler.onResponseStart?.(controller, status, joinedValues(rest), message);
      },
      onRequestUpgrade: handler.onRequestUpgrade?.bind(handler),
      onResponseData: handler.onResponseData?.bind(handler),
      onResponseEnd: handler.onResponseEnd?.bind(handler),
      onResponseError: handler.onResponseError?.bind(handler),
    };
    return dispatch({ ...options, headers: { ...wire.headers } }, watching);
  };

/** The built-in `fetch` would join them without a space. */
const joinedValues = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
