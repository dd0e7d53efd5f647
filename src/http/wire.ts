import { stringifyJson } from '../json/stringify.ts';
import { UsageError } from '../outcome.ts';
import { type HttpQuery, type HttpRequest, type HttpResponse, isWrite, type Method } from './transport.ts';

/** A request as it goes over the wire. */
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

/** Sends one request and reads its answer whole. Fails with whatever the platform throws; `network-failure.ts` explains it. */
export type Exchange = (wire: WireRequest, flight: RequestProgress) => Promise<HttpResponse>;

/** Percent-encoded, spaces as `%20`: `a=1&b=x%20y`. */
export const encodeQuery = (query: HttpQuery): string => formOf(query).replaceAll('+', '%20');

const formOf = (pairs: HttpQuery): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();

/** The address of a request, as text. */
export const formatRequestUrl = (request: HttpRequest): string => {
  const query = encodeQuery(request.query);
  return `${request.base}${request.path}${query === '' ? '' : `?${query}`}`;
};

/** Encodes a request. Fails with a `UsageError` for an address or a header that cannot be sent. */
export const encodeRequest = (request: HttpRequest, userAgent: string): WireRequest => {
  const payload = payloadOf(request);
  const length = payload?.byteLength ?? (isWrite(request.method) ? 0 : undefined);
  const headers = {
    accept: 'application/json',
    'accept-encoding': ACCEPTED_CODINGS,
    'user-agent': userAgent,
    ...(payload === undefined ? {} : { 'content-type': contentType(request) }),
    ...request.headers,
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  };
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  return { method: request.method, url: urlOf(request), headers, payload };
};

const contentType = (request: HttpRequest): string =>
  request.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';

const payloadOf = (request: HttpRequest): Buffer | undefined => {
  if (request.form !== undefined) {
    return Buffer.from(formOf(request.form));
  }
  return request.body === undefined ? undefined : Buffer.from(stringifyJson(request.body));
};

const urlOf = (request: HttpRequest): URL => {
  const address = formatRequestUrl(request);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new UsageError(`${request.base} is not an http or https address`, {
    hint: 'Check base_url of the profile: `ttctl profile show`.',
  });
};

// The value may be a secret, so the message names the header only.
const checkHeader = (name: string, value: string): void => {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return;
  const hint = name === 'authorization' ? 'Check the token' : 'Check the value';
  throw new UsageError(`the header ${name} has a character that cannot be sent`, {
    hint: `${hint}: it must be one line of plain characters.`,
  });
};
