const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** `hostname` as `URL` gives it: lower case, IPv4 in four numbers, IPv6 in brackets. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Why a text cannot be the root of a service, as the end of a sentence; `undefined` where it can. */
export function findAddressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return 'is not a web address';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  if (/[?#]/.test(text)) return 'has a "?" or "#" part';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return 'must begin with https://';
  return undefined;
}

/** The root of a service without trailing slashes; for a text without a problem. */
export function normalizeAddress(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Printable ASCII without spaces: a redirect address is compared and repeated to the letter, also in a header. */
const LITERAL = /^[\x21-\x7e]+$/;

function parseRedirectUrl(text: string): URL | undefined {
  return LITERAL.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** Why no browser can be sent back to an address, as the end of a sentence; `undefined` where one can. RFC 6749, 3.1.2 */
export function findRedirectProblem(text: string): string | undefined {
  const url = parseRedirectUrl(text);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return 'is not a web address';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  if (text.includes('#')) return 'has a "#" part';
  return url.port === '0' ? 'needs a fixed port, not 0' : undefined;
}

/** The same of an address at which this machine waits for the browser. */
export function findLoopbackRedirectProblem(text: string): string | undefined {
  const url = parseRedirectUrl(text);
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname)) return 'is not on this machine';
  return findRedirectProblem(text);
}

export const REDIRECT_HINT =
  'Register an address such as http://127.0.0.1:8484/callback (or localhost, or [::1]) at the service, and pass it with --redirect-uri.';
