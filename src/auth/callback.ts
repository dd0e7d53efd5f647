import { createHash, timingSafeEqual } from 'node:crypto';

/** Judges what comes to the redirect address. Pure. */

export type AuthorizationAnswer =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: string; readonly description: string | undefined };

export type CallbackVerdict =
  | AuthorizationAnswer
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

export interface ExpectedCallback {
  readonly redirectUri: string;
  readonly state: string;
}

const refused = (status: number, why: string): CallbackVerdict => ({ kind: 'refused', status, why });

/** In constant time, whatever the lengths. */
const same = (a: string, b: string): boolean => {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
};

const MOST = 4096;

/** The parameters of a redirect. What is there twice, or too long, comes from nobody who means well. */
const judgeQuery = (query: URLSearchParams, { state }: ExpectedCallback): CallbackVerdict => {
  const values = (name: string): readonly string[] => query.getAll(name);
  const twice = ['state', 'code', 'error'].some((name) => values(name).length > 1);
  if (twice) return refused(400, 'It has a parameter twice.');
  const [given] = values('state');
  if (given === undefined || !same(given, state)) return refused(400, 'It belongs to another sign-in.');
  const [[error], [code]] = [values('error'), values('code')];
  if (error !== undefined && error !== '') {
    const description = query.get('error_description') ?? undefined;
    return { kind: 'denied', error: error.slice(0, 200), description: description?.slice(0, 500) };
  }
  if (code === undefined || !/^[\x21-\x7e]+$/.test(code) || code.length > MOST)
    return refused(400, 'It has no code.');
  return { kind: 'code', code };
};

export interface CallbackRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly host: string | undefined;
}

const hostsOf = (redirect: URL): readonly string[] =>
  redirect.port === '' ? [redirect.host, `${redirect.host}:80`] : [redirect.host];

/** A request at the loopback server. */
export const checkCallback = (call: CallbackRequest, expected: ExpectedCallback): CallbackVerdict => {
  const redirect = new URL(expected.redirectUri);
  // A page of another site that resolves its own name to this machine shows that name here.
  if (!hostsOf(redirect).includes(call.host?.toLowerCase() ?? '')) return refused(421, 'Unknown host.');
  if (!call.target.startsWith('/') || !URL.canParse(call.target, redirect.origin))
    return refused(400, 'The address is malformed.');
  const url = new URL(`${redirect.origin}${call.target}`);
  if (url.pathname !== redirect.pathname) return refused(404, 'Nothing here.');
  if (call.method !== 'GET') return refused(405, 'Only GET is allowed.');
  return judgeQuery(url.searchParams, expected);
};

/** The address that the browser ended at, as a person pastes it. */
export const checkPastedAddress = (text: string, expected: ExpectedCallback): CallbackVerdict => {
  const redirect = new URL(expected.redirectUri);
  const plain = text.trim();
  if (plain === '' || !URL.canParse(plain, expected.redirectUri)) return refused(400, 'It is not a URL.');
  const url = new URL(plain, redirect);
  if (url.origin !== redirect.origin || url.pathname !== redirect.pathname)
    return refused(404, `It does not begin with ${expected.redirectUri}.`);
  return judgeQuery(url.searchParams, expected);
};
