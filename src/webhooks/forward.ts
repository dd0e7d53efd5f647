import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import type { ReceivedRequest } from './delivery.ts';

/** Posts a delivery on: the body to the byte, the headers as they came. */

export interface ForwardOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly signal: AbortSignal;
  /** Added behind those of the delivery. */
  readonly extraHeaders?: readonly (readonly [name: string, value: string])[];
}

/** `ms`: how long it took. */
export type ForwardResult =
  | { readonly url: string; readonly status: number; readonly ms: number }
  | { readonly url: string; readonly error: string; readonly ms: number };

/** RFC 9110, 7.6.1, and what the new connection has its own of. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
]);

/** The headers that go on, in their order. */
export const selectEndToEndHeaders = (headers: ReceivedRequest['headers']): ReceivedRequest['headers'] => {
  const perConnection = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...perConnection]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
};

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
};

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return ERROR_MESSAGES[String(Reflect.get(error, 'code'))] ?? error.message;
};

const waitForStatus = (request: ClientRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (response: IncomingMessage) => {
      response.on('error', () => {});
      // What it says beside its status is of no use here.
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });

const post = async (
  { headers, body }: ReceivedRequest,
  options: ForwardOptions,
  signal: AbortSignal,
): Promise<number> => {
  const url = new URL(options.url);
  const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const connectionHeaders: ReceivedRequest['headers'] = [
    ['Host', url.host],
    ['Content-Length', String(body.length)],
  ];
  const all = [...connectionHeaders, ...selectEndToEndHeaders(headers), ...(options.extraHeaders ?? [])];
  const request = http.request(url, { method: 'POST', headers: all.flat(), agent: false, signal });
  const status = waitForStatus(request);
  request.end(body);
  return status;
};

/** Posts it once; follows no redirect. Never rejects. */
export const forwardDelivery = async (
  arrival: ReceivedRequest,
  options: ForwardOptions,
): Promise<ForwardResult> => {
  const { url, clock, timeoutMs, signal } = options;
  const startedAt = clock.now();
  const timeout = new AbortController();
  const done = new AbortController();
  clock.sleep(timeoutMs, done.signal).then(
    () => timeout.abort(),
    () => {},
  );
  const result = await post(arrival, options, AbortSignal.any([timeout.signal, signal])).then(
    (status) => ({ url, status }),
    (error: unknown) => {
      if (timeout.signal.aborted) return { url, error: `no response in ${timeoutMs / 1000} s` };
      return { url, error: signal.aborted ? 'interrupted' : describeError(error) };
    },
  );
  done.abort();
  return { ...result, ms: clock.now() - startedAt };
};

export const isAccepted = (result: ForwardResult): boolean =>
  'status' in result && result.status >= 200 && result.status < 300;
