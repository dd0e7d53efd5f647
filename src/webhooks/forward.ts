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
  readonly more?: readonly (readonly [name: string, value: string])[];
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
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
};

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
};

const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return WORDS[String(Reflect.get(error, 'code'))] ?? error.message;
};

const answerTo = (request: ClientRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (answer: IncomingMessage) => {
      answer.on('error', () => {});
      // What it says beside its status is of no use here.
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });

const post = async (
  { headers, body }: ReceivedRequest,
  options: ForwardOptions,
  signal: AbortSignal,
): Promise<number> => {
  const url = new URL(options.url);
  const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const own: ReceivedRequest['headers'] = [
    ['Host', url.host],
    ['Content-Length', String(body.length)],
  ];
  const all = [...own, ...selectEndToEndHeaders(headers), ...(options.more ?? [])];
  const request = http.request(url, { method: 'POST', headers: all.flat(), agent: false, signal });
  const answered = answerTo(request);
  request.end(body);
  return answered;
};

/** Posts it once; follows no redirect. Never rejects. */
export const forwardDelivery = async (
  arrival: ReceivedRequest,
  options: ForwardOptions,
): Promise<ForwardResult> => {
  const { url, clock, timeoutMs, signal } = options;
  const begun = clock.now();
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(),
    () => {},
  );
  const result = await post(arrival, options, AbortSignal.any([late.signal, signal])).then(
    (status) => ({ url, status }),
    (error: unknown) => {
      if (late.signal.aborted) return { url, error: `no response in ${timeoutMs / 1000} s` };
      return { url, error: signal.aborted ? 'interrupted' : wordsOf(error) };
    },
  );
  done.abort();
  return { ...result, ms: clock.now() - begun };
};

export const isAccepted = (result: ForwardResult): boolean =>
  'status' in result && result.status >= 200 && result.status < 300;
