import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { takeTurn } from '../clock.ts';
import type { HttpResponse } from './transport.ts';
import { type Connections, type RequestProgress, readResponseBody, type WireRequest } from './transport.ts';

/**
 * Requests through a proxy, by undici's agent under the global `fetch` (which nock sees).
 * @param timeoutMs limit of each connecting step; the deadline of the whole request is kept by the caller
 */
export function openProxy(proxy: string, maxBytes: number, timeoutMs: number): Connections {
  const { username, password } = new URL(proxy);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxy,
    httpsProxy: proxy,
    // undici leaves out a name without a password.
    ...(login !== ':' && { token: `Basic ${Buffer.from(login).toString('base64')}` }),
    // Which addresses need no proxy is decided before (`findProxy`).
    noProxy: '',
    // Plain http goes by absolute-form requests, as with curl: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
    proxyTls: { timeout: timeoutMs },
    requestTls: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    exchange: (wire, progress) => exchange(agent, wire, progress, maxBytes),
    close: () => agent.destroy(),
  };
}

/** What the dispatcher saw of a response before `fetch` changed it. */
interface ObservedResponse {
  dispatched: boolean;
  encoding: string | undefined;
}

async function exchange(
  agent: Dispatcher,
  wire: WireRequest,
  progress: RequestProgress,
  maxBytes: number,
): Promise<HttpResponse> {
  const observed: ObservedResponse = { dispatched: false, encoding: undefined };
  const dispatcher = agent.compose(observe(wire, progress, observed));
  const { 'content-length': _length, ...sent } = wire.headers;
  const response = await fetch(wire.url, {
    method: wire.method,
    headers: sent,
    ...(wire.payload === undefined ? {} : { body: wire.payload }),
    redirect: 'manual',
    signal: progress.signal,
    // The types of the built-in fetch are of another undici.
    dispatcher: dispatcher as never,
  }).catch((error: unknown) => {
    // A fetch that never asked our dispatcher is another one (a test's): nothing is known of its wire.
    if (!observed.dispatched) progress.sent = true;
    throw error;
  });
  progress.answered = true;
  const { Readable } = await import('node:stream');
  const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as never);
  const type = response.headers.get('content-type') ?? undefined;
  const { status } = response;
  const read = await readResponseBody(body, { status, encoding: observed.encoding, type }, maxBytes);
  // undici marks a connection as free in the next turn: whoever asks in this one would open another.
  await takeTurn();
  const headers = Object.fromEntries(response.headers);
  if (observed.encoding !== undefined) headers['content-encoding'] = observed.encoding;
  return { status, headers, ...read };
}

/**
 * Marks the progress of the request, keeps the headers exactly ours (`fetch` adds some), and hides the packing from
 * `fetch`, which would take a packed answer that breaks off for a whole one.
 */
function observe(
  wire: WireRequest,
  progress: RequestProgress,
  observed: ObservedResponse,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    observed.dispatched = true;
    const observer: Dispatcher.DispatchHandler = {
      onRequestStart(controller, context) {
        progress.sent = true;
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart(controller, status, headers, message) {
        const { 'content-encoding': encoding, ...rest } = headers;
        if (status >= 200) observed.encoding = encoding === undefined ? undefined : String(encoding);
        handler.onResponseStart?.(controller, status, joinValues(rest), message);
      },
      onRequestUpgrade: handler.onRequestUpgrade?.bind(handler),
      onResponseData: handler.onResponseData?.bind(handler),
      onResponseEnd: handler.onResponseEnd?.bind(handler),
      onResponseError: handler.onResponseError?.bind(handler),
    };
    return dispatch({ ...options, headers: { ...wire.headers } }, observer);
  };
}

/** The built-in `fetch` would join them without a space. */
function joinValues(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
