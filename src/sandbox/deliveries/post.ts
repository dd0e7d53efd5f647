import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../clock.ts';

/** Sends one delivery (an adapter: it opens a connection). Redirects are not followed, proxies not asked. */

export interface PostOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything, from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Ends the attempt at once. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface PostResult {
  /** Null: no answer came. */
  readonly status: number | null;
  /** The first 1,024 bytes of the answer as text; null: no answer came. */
  readonly answer: string | null;
  /** Why no answer came. */
  readonly fault: string | null;
  /** `signal` ended it: nothing is known. */
  readonly interrupted: boolean;
}

const MAX_KEPT_BYTES = 1_024;
/** Beyond this the rest of an answer is not waited for. */
const MAX_READ_BYTES = 64 * 1_024;

/** Never rejects. Once a status has come, it is what counts: the rest of an answer is only for show. */
export async function postDelivery(options: PostOptions): Promise<PostResult> {
  const { headers, body, timeoutMs, signal, clock } = options;
  const url = new URL(options.url);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const outgoing = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
    agent: false,
    ...(url.hostname === 'localhost' ? { lookup: lookupLoopback } : {}),
  });
  const chunks: Buffer[] = [];
  let status: number | null = null;
  let fault: string | null = null;
  const exchange = new Promise<void>((resolve) => {
    outgoing.once('response', (incoming) => {
      status = incoming.statusCode ?? null;
      readAnswer(incoming, chunks).then(resolve);
    });
    outgoing.on('error', (error) => {
      fault ??= describeError(error);
      resolve();
    });
  });
  const ended = new AbortController();
  const timeout = clock.sleep(timeoutMs, AbortSignal.any([signal, ended.signal])).then(
    () => {
      fault = `no answer within ${Math.ceil(timeoutMs / 1_000)} s`;
    },
    () => {},
  );
  outgoing.end(body);
  await Promise.race([exchange, timeout]);
  ended.abort();
  outgoing.destroy();
  if (status === null) return { status, answer: null, fault, interrupted: signal.aborted };
  return { status, answer: decodeText(Buffer.concat(chunks)), fault: null, interrupted: false };
}

/** Collects what is kept; resolves at the end of the answer, at the limit, or where the connection is cut. */
function readAnswer(incoming: IncomingMessage, chunks: Buffer[]): Promise<void> {
  let size = 0;
  return new Promise((resolve) => {
    incoming.on('data', (chunk: Buffer) => {
      if (size <= MAX_KEPT_BYTES) chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_READ_BYTES) resolve();
    });
    incoming.on('error', () => resolve());
    incoming.once('close', resolve);
  });
}

/** Whole characters only: the cut may go through one. */
function decodeText(bytes: Buffer): string {
  const isCut = bytes.length > MAX_KEPT_BYTES;
  return new TextDecoder('utf-8').decode(bytes.subarray(0, MAX_KEPT_BYTES), { stream: isCut });
}

/** `localhost` is this machine, whatever a resolver says. */
const lookupLoopback: LookupFunction = (_name, { all, family }, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all === true) return callback(null, addresses);
  const match = addresses.find((address) => address.family === Number(family)) ?? addresses[0];
  callback(null, match?.address ?? '', match?.family);
};

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  EPIPE: 'the connection was closed before a response arrived',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
};

function describeError(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return ERROR_MESSAGES[code] ?? (error.message || code);
}
