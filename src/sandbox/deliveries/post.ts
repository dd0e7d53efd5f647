import type { IncomingMessage, RequestOptions } from 'node:http';
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

const ANSWER_KEPT = 1_024;
/** Beyond this the rest of an answer is not waited for. */
const ANSWER_READ = 64 * 1_024;

/** `localhost` is this machine, whatever a resolver says. */
const lookupLoopback: LookupFunction = (_name, { all, family }, done) => {
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all === true) return done(null, both);
  const one = both.find((place) => place.family === Number(family)) ?? both[0];
  done(null, one?.address ?? '', one?.family);
};

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  EPIPE: 'the connection was closed before a response arrived',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
};

const faultOf = (error: Error): string => {
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return FAULTS[code] ?? (error.message || code);
};

/** Whole characters only: the cut may go through one. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder('utf-8').decode(bytes.subarray(0, ANSWER_KEPT), { stream: bytes.length > ANSWER_KEPT });

/** Collects what is kept of an answer; resolves at its end, at the limit, or where the connection is cut. */
const readAnswer = (incoming: IncomingMessage): { done: Promise<void>; text(): string } => {
  const chunks: Buffer[] = [];
  let size = 0;
  const done = new Promise<void>((resolve) => {
    incoming.on('data', (chunk: Buffer) => {
      if (size <= ANSWER_KEPT) chunks.push(chunk);
      size += chunk.length;
      if (size > ANSWER_READ) resolve();
    });
    incoming.on('error', () => resolve());
    incoming.once('end', resolve).once('close', resolve);
  });
  return { done, text: () => textOf(Buffer.concat(chunks)) };
};

const optionsOf = ({ url, headers, body }: PostOptions): RequestOptions => ({
  method: 'POST',
  headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
  agent: false,
  ...(new URL(url).hostname === 'localhost' ? { lookup: lookupLoopback } : {}),
});

/** Never rejects. Once a status has come, it is what counts: the rest of an answer is only for show. */
export const postDelivery = async (wish: PostOptions): Promise<PostResult> => {
  const { request } = wish.url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const over = new AbortController();
  const outgoing = request(new URL(wish.url), optionsOf(wish));
  let answer: IncomingMessage | undefined;
  let kept: ReturnType<typeof readAnswer> | undefined;
  let fault: string | null = null;
  const sent = new Promise<void>((resolve) => {
    outgoing.once('response', (incoming) => {
      answer = incoming;
      kept = readAnswer(incoming);
      kept.done.then(resolve);
    });
    outgoing.on('error', (error) => {
      fault ??= faultOf(error);
      resolve();
    });
  });
  const timeout = wish.clock.sleep(wish.timeoutMs, AbortSignal.any([wish.signal, over.signal])).then(
    () => {
      fault = `no answer within ${Math.ceil(wish.timeoutMs / 1_000)} s`;
    },
    () => {},
  );
  outgoing.end(wish.body);
  await Promise.race([sent, timeout]);
  over.abort();
  outgoing.destroy();
  const status = answer?.statusCode ?? null;
  const interrupted = wish.signal.aborted && status === null;
  return { status, answer: kept?.text() ?? null, fault: status === null ? fault : null, interrupted };
};
