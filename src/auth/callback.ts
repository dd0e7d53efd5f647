import { createHash, timingSafeEqual } from 'node:crypto';

/** Checks the requests to the redirect address. Pure. */

export type AuthorizationAnswer =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: string; readonly description: string | undefined };

export type CallbackVerdict =
  | AuthorizationAnswer
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string };

export interface ExpectedCallback {
  readonly redirectUri: string;
  readonly state: string;
}

const createRefusal = (status: number, reason: string): CallbackVerdict => ({
  kind: 'refused',
  status,
  reason,
});

/** In constant time, whatever the lengths. */
const isSameText = (a: string, b: string): boolean => {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
};

const MAX_CODE_LENGTH = 4096;

/** Checks the parameters of a redirect. A parameter that occurs twice and a code that is too long are refused. */
const checkQuery = (query: URLSearchParams, { state }: ExpectedCallback): CallbackVerdict => {
  const values = (name: string): readonly string[] => query.getAll(name);
  const hasDuplicate = ['state', 'code', 'error'].some((name) => values(name).length > 1);
  if (hasDuplicate) return createRefusal(400, 'It has a parameter twice.');
  const [received] = values('state');
  if (received === undefined || !isSameText(received, state))
    return createRefusal(400, 'It belongs to another sign-in.');
  const [[error], [code]] = [values('error'), values('code')];
  if (error !== undefined && error !== '') {
    const description = query.get('error_description') ?? undefined;
    return { kind: 'denied', error: error.slice(0, 200), description: description?.slice(0, 500) };
  }
  if (code === undefined || !/^[\x21-\x7e]+$/.test(code) || code.length > MAX_CODE_LENGTH)
    return createRefusal(400, 'It has no code.');
  return { kind: 'code', code };
};

export interface CallbackRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly host: string | undefined;
}

const listAllowedHosts = (redirect: URL): readonly string[] =>
  redirect.port === '' ? [redirect.host, `${redirect.host}:80`] : [redirect.host];

/** A request at the loopback server. */
export const checkCallback = (request: CallbackRequest, expected: ExpectedCallback): CallbackVerdict => {
  const redirect = new URL(expected.redirectUri);
  // A page of another site that resolves its own name to this machine shows that name here.
  if (!listAllowedHosts(redirect).includes(request.host?.toLowerCase() ?? ''))
    return createRefusal(421, 'Unknown host.');
  if (!request.target.startsWith('/') || !URL.canParse(request.target, redirect.origin))
    return createRefusal(400, 'The address is malformed.');
  const url = new URL(`${redirect.origin}${request.target}`);
  if (url.pathname !== redirect.pathname) return createRefusal(404, 'Nothing here.');
  if (request.method !== 'GET') return createRefusal(405, 'Only GET is allowed.');
  return checkQuery(url.searchParams, expected);
};

/** The address that the browser ended at, as a person pastes it. */
export const checkPastedAddress = (text: string, expected: ExpectedCallback): CallbackVerdict => {
  const redirect = new URL(expected.redirectUri);
  const trimmed = text.trim();
  if (trimmed === '' || !URL.canParse(trimmed, expected.redirectUri))
    return createRefusal(400, 'It is not a URL.');
  const url = new URL(trimmed, redirect);
  if (url.origin !== redirect.origin || url.pathname !== redirect.pathname)
    return createRefusal(404, `It does not begin with ${expected.redirectUri}.`);
  return checkQuery(url.searchParams, expected);
};
