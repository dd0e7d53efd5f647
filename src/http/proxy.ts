import { EnvHttpProxyAgent, request } from 'undici';
import { takeTurn } from '../clock.ts';
import { type Exchange, readResponse } from './transport.ts';

/**
 * Requests through a proxy, by undici's agent.
 * @param timeoutMs limit of each connecting step; the deadline of the whole request is kept by the caller
 */
export function openProxy(proxy: string, maxBytes: number, timeoutMs: number) {
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
  const exchange: Exchange = async ({ url, method, headers, payload = null }, progress) => {
    const { signal } = progress;
    // Without an observer nobody knows when a request leaves.
    const dispatcher = agent.compose((dispatch) => (options, handler) => {
      return dispatch(options, {
        onRequestStart(controller, context) {
          progress.sent = true;
          handler.onRequestStart?.(controller, context);
        },
        onResponseStart: handler.onResponseStart?.bind(handler),
        onResponseData: handler.onResponseData?.bind(handler),
        onResponseEnd: handler.onResponseEnd?.bind(handler),
        onResponseError: handler.onResponseError?.bind(handler),
      });
    });
    const response = await request(url, { dispatcher, method, headers, body: payload, signal });
    progress.answered = true;
    const read = await readResponse(response.statusCode, response.headers, response.body, maxBytes);
    // undici marks a connection as free in the next turn: whoever asks in this one would open another.
    await takeTurn();
    return read;
  };
  return { exchange, close: () => agent.destroy() };
}
