import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { MachineClock } from './basics.ts';

/** Deliveries on their way, loaded when there is one (an adapter). */

export interface PostOptions {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly token: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: MachineClock;
}

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  ENOTFOUND: 'no such host',
};

/**
 * Sends one delivery, signed by the machine's clock, which its receiver has too. Redirects are not followed, proxies not
 * asked. Never rejects.
 * @returns what it was answered with; a status of null: no response came; a reason of null: it was taken
 */
export async function postDelivery({ id, url, body, token, timeoutMs, signal, clock }: PostOptions) {
  const timestamp = Math.floor(clock.now() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'ttctl-sandbox',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signDelivery(token, { id, timestamp, body }),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const { request } = url.startsWith('https:') ? https : http;
  const outgoing = request(url, { method: 'POST', headers, agent: false });
  const ended = new AbortController();
  const attempt = await new Promise<{ status: number | null; reason: string | null }>((resolve) => {
    const fail = (reason: string) => resolve({ status: null, reason });
    outgoing.once('response', ({ statusCode: status = 0 }) => {
      let reason: string | null = `answered with ${status}`;
      if (status >= 200 && status < 300) reason = null;
      else if (status >= 300 && status < 400) reason += ': redirects are not followed';
      else if (status === 410) reason += ': it wants no more deliveries';
      resolve({ status, reason });
    });
    outgoing.on('error', ({ code = '', message }: NodeJS.ErrnoException) =>
      fail(ERROR_MESSAGES[code] ?? (code.startsWith('HPE_') ? 'the response is not HTTP' : message)),
    );
    clock.sleep(timeoutMs, AbortSignal.any([signal, ended.signal])).then(
      () => fail(`no answer within ${Math.ceil(timeoutMs / 1_000)} s`),
      () => fail('interrupted'),
    );
    outgoing.end(body);
  });
  ended.abort();
  outgoing.destroy();
  return attempt;
}

/**
 * `v1,<base64 of the HMAC-SHA-256 of "id.timestamp.body">`
 * @param token the key is what stands after `whsec_`, decoded; a token that is no such text is itself the key
 * @param signed `timestamp` in seconds since the epoch
 */
export function signDelivery(
  token: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const pattern = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
  const encoded = pattern.exec(token)?.[1];
  const key = encoded ? Buffer.from(encoded, 'base64') : Buffer.from(token, 'utf8');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
