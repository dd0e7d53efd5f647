import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SandboxRequest } from '../../exchange.ts';

/**
 * Who may act on the page (an adapter: it compares secrets). Everybody on this machine may look. The address that
 * `sandbox start` and `sandbox open` name has a key in it; it is changed for a cookie, and only with that, from this page,
 * and with the word of its forms does anything happen.
 */

const deriveKey = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(`page ${purpose}`).digest('hex').slice(0, 32);

const isSame = (value: string | undefined, expected: string): boolean => {
  const [a, b] = [Buffer.from(value ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
};

export const PAGE_PATH = '/_sandbox/';

/** Whether the path is one of the page, not of the controls in JSON beside it. */
export const isPagePath = (path: string): boolean =>
  path === PAGE_PATH || path.startsWith(`${PAGE_PATH}view/`) || path.startsWith(`${PAGE_PATH}do/`);

/**
 * The address of the page with which its holder may act; without the secret, one to look at it.
 * @param url root of the server
 */
export const buildPageUrl = (url: string, secret: string): string =>
  `${new URL(PAGE_PATH, url).href}${secret === '' ? '' : `?key=${deriveKey(secret, 'key')}`}`;

const getHost = ({ headers }: SandboxRequest): string => headers['host'] ?? '';

/** Cookies know no ports: another sandbox has another name. */
const getCookieName = (request: SandboxRequest): string =>
  `ttctl_sandbox_${/:(\d+)$/.exec(getHost(request))?.[1] ?? '80'}`;

const getCookie = (request: SandboxRequest): string | undefined => {
  const name = `${getCookieName(request)}=`;
  const pairs = (request.headers['cookie'] ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
};

export interface PageAccess {
  /** What a form of the page carries. */
  readonly formWord: string;
  /** A page of another site asks. */
  isForeign(request: SandboxRequest): boolean;
  /** Undefined: the address has no key. `cookie`: the key is the right one. */
  enter(request: SandboxRequest): { readonly cookie: string | undefined } | undefined;
  mayAct(request: SandboxRequest): boolean;
  /** Of a form: why it is refused; undefined: it is not. */
  whyNot(request: SandboxRequest, fields: ReadonlyMap<string, string>): string | undefined;
}

export const createPageAccess = (secret: string): PageAccess => {
  const formWord = deriveKey(secret, 'form');
  const session = deriveKey(secret, 'session');
  const isOwn = (request: SandboxRequest): boolean =>
    request.headers['origin'] === `http://${getHost(request)}`;
  const mayAct = (request: SandboxRequest): boolean => isSame(getCookie(request), session);
  return {
    formWord,
    mayAct,
    isForeign: (request) => request.headers['origin'] !== undefined && !isOwn(request),
    enter(request) {
      const key = new Map(request.query).get('key');
      if (key === undefined) return undefined;
      const flags = `HttpOnly; SameSite=Strict; Path=${PAGE_PATH}`;
      const isValid = isSame(key, deriveKey(secret, 'key'));
      return { cookie: isValid ? `${getCookieName(request)}=${session}; ${flags}` : undefined };
    },
    whyNot(request, fields) {
      if (!isOwn(request)) return 'The form was sent from another site.';
      if (!mayAct(request))
        return 'This page is read-only. To make changes, open it with: ttctl sandbox open';
      if (!isSame(fields.get('word'), formWord))
        return 'The form belongs to another sandbox. Reload the page.';
      return undefined;
    },
  };
};
