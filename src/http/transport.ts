import type { Readable, Transform } from 'node:stream';
import { UsageError } from '../errors.ts';
import { stringifyJson } from '../json.ts';

/**
 * The records that travel along the transport chain. Every link takes a request and gives a response;
 * no link knows an operation.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Ordered pairs, not yet percent-encoded. */
export type HttpQuery = readonly (readonly [name: string, value: string])[];

/** Which request of a run it is; the same however often it is sent. Counted where it goes out. */
export interface RequestNumber {
  readonly n: number;
  attempt: number;
  /** Since when it has waited: milliseconds since the epoch. */
  since: number;
}

/** Why a request waits, is sent again or is given up, and what the records showed after a response was lost. */
export interface RequestDecision {
  readonly decision: 'wait' | 'retry' | 'give_up' | 'reconcile';
  readonly reason: DecisionReason;
  readonly ms?: number;
}

/** The request that a decision is about; absent where it is about all of them. */
export type DecisionSubject = Partial<Pick<HttpRequest, 'method' | 'path' | 'headers' | 'about' | 'number'>>;

export type Decide = (decision: RequestDecision, subject?: DecisionSubject) => void;

export const REQUEST_ID = 'x-request-id';

export type DecisionReason =
  | 'rate_limit'
  | 'rate_limited'
  | 'not_sent'
  | 'fault'
  | 'token_renewed'
  | 'max_wait'
  | 'retries'
  | 'service_down'
  | 'unknown_outcome'
  | ReconcileReason;

type ReconcileReason = 'done' | 'not_done' | 'unknown';

/** Told what the records showed of a write whose response was lost. */
export type TellReconciled = (write: RequestSubject, reason: ReconcileReason, requestId?: string) => void;

export interface HttpRequest {
  readonly method: Method;
  /** Absolute root without a trailing slash: `https://host/api/v2`. */
  readonly base: string;
  /** Begins with `/`; each segment is already percent-encoded. */
  readonly path: string;
  readonly query: HttpQuery;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value, sent as `application/json`. Absent: no body. */
  readonly body?: unknown;
  /** Sent as `application/x-www-form-urlencoded` in place of `body`. */
  readonly form?: HttpQuery;
  /** To be done just before it goes out, after all waiting; when it fails, nothing goes out. */
  readonly beforeSend?: () => Promise<void>;
  /** What logs say it is about. */
  readonly about?: RequestSubject;
  readonly number?: RequestNumber;
}

export interface RequestSubject {
  /** `timesheets.approve` */
  readonly operation: string;
  /** The record: as a write names it, else its id. */
  readonly target?: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; several values are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8. */
  readonly body: string;
  /** The body as it came, where its type is not JSON. */
  readonly bytes?: Uint8Array;
  /** Set by the dry-run link alone: the request was not sent, and this is what would have gone out. */
  readonly planned?: PlannedRequest;
}

export interface PlannedRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Fails with a `NetworkError` (errors.ts) when there is no whole answer. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** Anything but GET may change something at the service. */
export function isWrite(method: Method): boolean {
  return method !== 'GET';
}

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  /** Lower-case names; `host` and `connection` are left to the sender. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | undefined;
}

// Not `deflate`: servers disagree on what it is (with or without the zlib header).
const ACCEPTED_CODINGS = 'gzip, br';

/** One request under way. The exchange sets the marks; they say what a failure means. */
export interface RequestProgress {
  /** Aborted when the request is to be dropped: its time is up, or the run was interrupted. */
  readonly signal: AbortSignal;
  /** From the moment that a byte of the request may have reached the service. */
  sent: boolean;
  /** From the moment that the head of the answer is there. */
  answered: boolean;
}

/** Sends one request and reads its answer whole. Fails with whatever the platform throws; `faults.ts` explains it. */
export type Exchange = (wire: WireRequest, progress: RequestProgress) => Promise<HttpResponse>;

/** The connections that requests of one way go over: straight on (send.ts), or through a proxy (proxy.ts). */
export interface Connections {
  readonly exchange: Exchange;
  close(): void | Promise<void>;
}

/** Percent-encoded, spaces as `%20`: `a=1&b=x%20y`. */
function encodeQuery(query: HttpQuery): string {
  return encodeForm(query).replaceAll('+', '%20');
}

function encodeForm(pairs: HttpQuery): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

/** The address of a request, as text. */
export function formatRequestUrl(request: HttpRequest): string {
  const query = encodeQuery(request.query);
  return `${request.base}${request.path}${query === '' ? '' : `?${query}`}`;
}

/** Encodes a request. Fails with a `UsageError` for an address or a header that cannot be sent. */
export function encodeRequest(request: HttpRequest, userAgent: string): WireRequest {
  const payload = encodePayload(request);
  const length = payload?.byteLength ?? (isWrite(request.method) ? 0 : undefined);
  const headers = {
    accept: 'application/json',
    'accept-encoding': ACCEPTED_CODINGS,
    'user-agent': userAgent,
    ...(payload === undefined ? {} : { 'content-type': getContentType(request) }),
    ...request.headers,
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  };
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  return { method: request.method, url: parseRequestUrl(request), headers, payload };
}

function getContentType(request: HttpRequest): string {
  return request.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
}

function encodePayload(request: HttpRequest): Buffer | undefined {
  if (request.form !== undefined) {
    return Buffer.from(encodeForm(request.form));
  }
  return request.body === undefined ? undefined : Buffer.from(stringifyJson(request.body));
}

function parseRequestUrl(request: HttpRequest): URL {
  const text = formatRequestUrl(request);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new UsageError(`${request.base} is not an http or https address`, {
    hint: 'Check base_url of the profile: `ttctl profile show`.',
  });
}

// The value may be a secret, so the message names the header only.
function checkHeader(name: string, value: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return;
  const hint = name === 'authorization' ? 'Check the token' : 'Check the value';
  throw new UsageError(`the header ${name} has a character that cannot be sent`, {
    hint: `${hint}: it must be one line of plain characters.`,
  });
}

/** Why an answer that was coming in is given up. `faults.ts` turns the code into a `NetworkError`. */
type AnswerFault = 'ANSWER_TOO_LARGE' | 'ANSWER_UNREADABLE';

function createFault(code: AnswerFault, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

/**
 * Reads a body whole, unpacks it and decodes it as UTF-8 (a BOM is dropped). What is not JSON is kept as bytes too.
 * The limit is on the unpacked bytes, so that a small packed answer cannot fill the memory.
 */
export async function readResponseBody(
  body: Readable,
  response: {
    readonly status: number;
    readonly encoding: string | undefined;
    readonly type: string | undefined;
  },
  maxBytes: number,
): Promise<Pick<HttpResponse, 'body' | 'bytes'>> {
  const empty = response.status === 204 || response.status === 304;
  const decompressor = empty ? undefined : await createDecompressor(response.encoding);
  const { pipeline } = decompressor === undefined ? {} : await import('node:stream');
  // The outcome is read from the end of the pipe; the callback only keeps an error from going unhandled.
  const unpacked = decompressor === undefined ? body : (pipeline?.(body, decompressor, () => {}) ?? body);
  if (/json/i.test(response.type ?? 'application/json')) {
    // Decoded as it comes, so that a long answer is not held as bytes and as text at once.
    unpacked.setEncoding('utf8');
    let text = '';
    await readParts(unpacked, maxBytes, (part) => {
      text += part;
    });
    return { body: dropMark(text) };
  }
  const parts: Uint8Array[] = [];
  await readParts(unpacked, maxBytes, (part) => {
    parts.push(Buffer.from(part));
  });
  const bytes = Buffer.concat(parts);
  return { body: dropMark(bytes.toString()), bytes };
}

function dropMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** By events: an iterator over the stream would cost a short command more than the answer itself. */
function readParts(
  body: Readable,
  maxBytes: number,
  add: (part: string | Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    const fail = (error: Error): void => {
      reject(
        isDecompressionError(error)
          ? createFault('ANSWER_UNREADABLE', 'the response cannot be decompressed', error)
          : error,
      );
    };
    body.on('error', fail);
    body.on('data', (chunk: string | Uint8Array) => {
      size += Buffer.byteLength(chunk);
      if (size > maxBytes)
        body.destroy(createFault('ANSWER_TOO_LARGE', `the response is larger than ${maxBytes} bytes`));
      else add(chunk);
    });
    body.on('end', () => resolve());
    // After an error or the end this says nothing new.
    body.on('close', () => fail(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
  });
}

function isDecompressionError(error: unknown): boolean {
  return error instanceof Error && /^(Z_(?!BUF_ERROR)|ERR__)/.test(String(Reflect.get(error, 'code')));
}

async function createDecompressor(encoding: string | undefined): Promise<Transform | undefined> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  const zlib = await import('node:zlib');
  if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip();
  if (name === 'br') return zlib.createBrotliDecompress();
  if (name === 'deflate') return zlib.createInflate();
  throw createFault('ANSWER_UNREADABLE', `the response has an unknown encoding (${name})`);
}

/**
 * How long a `Retry-After` header asks to wait, in milliseconds from `now`; 0 for a time gone by. Nothing when the
 * header is missing, says nothing that RFC 9110 allows (a fraction of a second is rounded up), or gives a date and `now` is not known. Of several values the longest counts, so that none is
 * undercut. Source: docs/service.md, Errors (seconds); RFC 9110, 10.2.3 (seconds or a date).
 */
export function parseRetryAfter(value: string | undefined, now: number | undefined): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)*$/.test(text)) {
    const seconds = text.split(',').reduce((longest, one) => Math.max(longest, Math.ceil(Number(one))), 0);
    return Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);
  }
  const at = parseHttpDate(text);
  return at === undefined || now === undefined ? undefined : Math.max(0, at - now);
}

/**
 * The time in an answer's own words where it tells (`date`), so that a wrong clock here does not shorten a wait that
 * is given as a date.
 */
export function readServerTime(headers: Readonly<Record<string, string>>): number | undefined {
  return parseHttpDate(headers['date'] ?? '');
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that RFC 9110 lets servers write. */
const HTTP_DATE = /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/i;

function parseHttpDate(text: string): number | undefined {
  const ms = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whole seconds, never fewer than were asked for. */
export function toWaitSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/** What to do about a 429. @param ms how long the service asks to wait; nothing where it does not say */
export function formatRetryHint(ms: number | undefined): string {
  const when = ms === undefined ? 'a minute' : `${Math.max(1, toWaitSeconds(ms))} s`;
  return `The rate limit is used up. Try again in ${when}, or wait longer with --max-wait.`;
}
