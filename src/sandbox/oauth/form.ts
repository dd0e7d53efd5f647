import type { SandboxRequest } from '../exchange.ts';
import { OAuthRefused } from './refusal.ts';

/** The parameters of an OAuth2 request. None may be there twice (RFC 6749, section 3.1); an empty one counts as absent. */
export interface OAuthParameters {
  /** @throws OAuthRefused (invalid_request) where it is there twice */
  maybe(name: string): string | undefined;
  /** @throws OAuthRefused (invalid_request) where it is missing or there twice */
  need(name: string): string;
}

const createMissingError = (name: string): OAuthRefused =>
  new OAuthRefused(
    'invalid_request',
    'The request is missing a required parameter, includes an invalid parameter value, includes a parameter more than once, or is otherwise malformed.',
    `Check the \`${name}\` parameter`,
  );

export const parseOAuthParameters = (pairs: Iterable<readonly [string, string]>): OAuthParameters => {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  const maybe = (name: string): string | undefined => {
    const [value, second] = values.get(name) ?? [];
    if (second !== undefined) throw createMissingError(name);
    return value === '' ? undefined : value;
  };
  return {
    maybe,
    need: (name) => {
      const value = maybe(name);
      if (value === undefined) throw createMissingError(name);
      return value;
    },
  };
};

const FORM = 'application/x-www-form-urlencoded';

export const isForm = (request: SandboxRequest): boolean =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() === FORM;

export interface BasicCredentials {
  readonly client_id: string;
  readonly client_secret: string;
}

/** Client id and secret of a Basic header; both are form-encoded within (RFC 6749, section 2.3.1). */
export const parseBasicHeader = (authorization: string | undefined): BasicCredentials | undefined => {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  try {
    const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    return { client_id: id ?? '', client_secret: secret ?? '' };
  } catch {
    return undefined;
  }
};
