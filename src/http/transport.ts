import { pipeline, type Readable } from 'node:stream';
import { UsageError } from '../errors.ts';
import { stringifyJson } from '../json.ts';

/** What travels along the transport chain. Every link takes a request and gives a response; no link knows an operation. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Ordered pairs, not yet percent-encoded. */
export type HttpQuery = readonly (readonly [name: string, value: string])[];

/** By lower-case names. */
export type Headers = Readonly<Record<string, string>>;

export const REQUEST_ID = 'x-request-id';

export interface HttpRequest {
  readonly method: Method;
  /** Absolute root without a trailing slash: `https://host/api/v2`. */
  readonly base: string;
  /** Begins with `/`; each segment is already percent-encoded. */
  readonly path: string;
  readonly query: HttpQuery;
  readonly headers: Headers;
  /** A JSON value, sent as `application/json`. Absent: no body. */
  readonly body?: unknown;
  readonly form?: HttpQuery;
  /** To be done just before it goes out, after all waiting; when it fails, nothing goes out. */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  readonly about?: RequestSubject;
  /** Which request of a run it is, however often it is sent, and since when it has waited, in milliseconds since the epoch. */
  readonly number?: { readonly n: number; attempt: number; since: number };
}

export interface RequestSubject {
  readonly operation: string;
  /** The record: as a write names it, else its id. */
  readonly target?: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Several values are joined with `, `. */
  readonly headers: Headers;
  readonly body: string;
  /** The body as it came, where its type is not JSON. */
  readonly bytes?: Uint8Array;
  /** Set by the dry-run link alone: the request was not sent, and this is what would have gone out. */
  readonly planned?: PlannedRequest;
}

export interface PlannedRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: Headers;
  readonly body: unknown;
}

/** Fails with a `NetworkError` (errors.ts) when there is no whole answer. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** Why a request waits, is sent again or is given up, and what the records showed after a response was lost. */
export interface RequestDecision {
  readonly decision: 'wait' | 'retry' | 'give_up' | 'reconcile';
  /** docs/logs.md has all of them. */
  readonly reason: string;
  readonly ms?: number;
}

export type ReconcileReason = 'done' | 'not_done' | 'unknown';

/** The request that a decision is about; absent where it is about all of them. */
export type DecisionSubject = Partial<Pick<HttpRequest, 'method' | 'path' | 'headers' | 'about' | 'number'>>;

export type Decide = (decision: RequestDecision, subject?: DecisionSubject) => void;

export function isWrite(method: Method): boolean {
  return method !== 'GET';
}

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Headers;
  readonly payload: Buffer | undefined;
}

/** One request under way. The sender sets the marks, which say what a failure means. */
export interface RequestProgress {
  /** Aborted when the request is to be dropped: its time is up, or the run was interrupted. */
  readonly signal: AbortSignal;
  /** From the moment that a byte of the request may have reached the service. */
  sent: boolean;
  /** From the moment that the head of the answer is there. */
  answered: boolean;
}

/** Fails with whatever the platform throws; send.ts explains it. */
export type Exchange = (wire: WireRequest, progress: RequestProgress) => Promise<HttpResponse>;

export function toQueryRecord(query: HttpQuery): Headers {
  const record: Record<string, string> = {};
  for (const [name, value] of query)
    record[name] = Object.hasOwn(record, name) ? `${record[name]},${value}` : value;
  return record;
}

function encodeForm(pairs: HttpQuery): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

export function formatRequestUrl({ base, path, query }: HttpRequest): string {
  return `${base}${path}${query.length === 0 ? '' : `?${encodeForm(query).replaceAll('+', '%20')}`}`;
}

/** @throws UsageError for an address or a header that cannot be sent */
export function encodeRequest(request: HttpRequest, userAgent: string): WireRequest {
  const { method, base, form, body } = request;
  const text = formatRequestUrl(request);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new UsageError(`${base} is not an http or https address`, {
      hint: 'Check base_url of the profile: `ttctl profile show`.',
    });
  const content = form === undefined ? body !== undefined && stringifyJson(body) : encodeForm(form);
  const payload = content === false ? undefined : Buffer.from(content);
  const headers: Headers = {
    accept: 'application/json',
    // Not `deflate`: servers disagree on what it is (with or without the zlib header).
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
    ...(payload && {
      'content-type': form === undefined ? 'application/json' : 'application/x-www-form-urlencoded',
    }),
    ...request.headers,
    ...((payload !== undefined || isWrite(method)) && { 'content-length': String(payload?.byteLength ?? 0) }),
  };
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    // The value may be a secret, so the message names the header only.
    throw new UsageError(`the header ${name} has a character that cannot be sent`, {
      hint: `Check the ${name === 'authorization' ? 'token' : 'value'}: it must be one line of plain characters.`,
    });
  }
  return { method, url, headers, payload };
}

/** Reads an answer whole: a small packed one must not fill the memory. What goes wrong has a code of `FAULTS` (send.ts). */
export async function readResponse(
  status: number,
  received: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Readable,
  maxBytes: number,
): Promise<HttpResponse> {
  const pairs = Object.entries(received).map(([name, value]) => [name, [value].flat().join(', ')]);
  const headers: Headers = Object.fromEntries(pairs);
  const encoding = status === 204 ? '' : (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (!['', 'identity', 'gzip', 'br'].includes(encoding))
    throw createFault('ANSWER_UNREADABLE', `the response has an unknown encoding (${encoding})`);
  let unpacked = body;
  if (encoding === 'gzip' || encoding === 'br') {
    const { createBrotliDecompress, createGunzip } = await import('node:zlib');
    // The outcome is read from the end of the pipe; the callback only keeps an error from going unhandled.
    unpacked = pipeline(body, encoding === 'br' ? createBrotliDecompress() : createGunzip(), () => {});
  }
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of unpacked as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxBytes)
        throw createFault('ANSWER_TOO_LARGE', `the response is larger than ${maxBytes} bytes`);
      parts.push(part);
    }
  } catch (error) {
    // A packed answer that is cut off is no broken one.
    if (!/^(Z_(?!BUF_ERROR)|ERR__)/.test(String(Reflect.get(error as Error, 'code')))) throw error;
    throw createFault('ANSWER_UNREADABLE', 'the response cannot be decompressed', error);
  }
  const bytes = Buffer.concat(parts);
  const isJson = /json/i.test(headers['content-type'] ?? 'application/json');
  return { status, headers, body: new TextDecoder().decode(bytes), ...(!isJson && { bytes }) };
}

function createFault(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

/**
 * How long an answer asks to wait (`Retry-After` in seconds; docs/service.md, Errors), in milliseconds, never less; nothing
 * where it does not say.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const texts = (headers['retry-after'] ?? '').split(',');
  if (!texts.every((text) => /^\s*\d+(\.\d+)?\s*$/.test(text))) return undefined;
  const seconds = texts.map(Number).reduce((longest, one) => Math.max(longest, one));
  return Math.min(Math.ceil(seconds) * 1000, Number.MAX_SAFE_INTEGER);
}

/** What to do about a 429. @param seconds how long the service asks to wait; nothing where it does not say */
export function formatRetryHint(seconds: number | undefined): string {
  const when = seconds === undefined ? 'a minute' : `${Math.max(1, seconds)} s`;
  return `The rate limit is used up. Try again in ${when}, or wait longer with --max-wait.`;
}
