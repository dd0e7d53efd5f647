import { createHash, timingSafeEqual } from 'node:crypto';
import type { SandboxRequest } from '../exchange.ts';
import type { OAuthApp, TokenScope } from '../world.ts';

/** What the two addresses of the OAuth2 host have in common: parameters, scopes, secrets, refusals. */

export interface GrantTime {
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly random: () => number;
}

/** An authorization request that a person may approve or deny, as a whole. */
export interface AuthorizationRequest {
  readonly app: OAuthApp;
  /** That of the application, to the letter. */
  readonly redirect_uri: string;
  readonly scopes: readonly TokenScope[];
  readonly state: string | undefined;
  readonly challenge: string | null;
}

/** `error` of RFC 6749, sections 4.1.2.1 and 5.2. */
type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'server_error';

/** An OAuth2 request that is not granted (docs/service.md, OAuth2). */
export class OAuthRefused extends Error {
  readonly error: OAuthError;
  /** `{error, error_description, hint?}` */
  readonly answer: Readonly<Record<string, string>>;

  constructor(error: OAuthError, description: string, hint?: string) {
    super(description);
    this.name = 'OAuthRefused';
    this.error = error;
    this.answer = { error, error_description: description, ...(hint === undefined ? {} : { hint }) };
  }
}

/** The parameters of an OAuth2 request. None may be there twice (RFC 6749, section 3.1); an empty one counts as absent. */
export class OAuthParameters {
  private readonly pairs: readonly (readonly [string, string])[];

  constructor(pairs: Iterable<readonly [string, string]>) {
    this.pairs = [...pairs];
  }

  /** @throws OAuthRefused (invalid_request) where it is there twice */
  maybe(name: string): string | undefined {
    const values = this.pairs.filter(([key]) => key === name);
    if (values.length > 1) throw createParameterError(name);
    return values[0]?.[1] || undefined;
  }

  /** @throws OAuthRefused (invalid_request) where it is missing or there twice */
  need(name: string): string {
    const value = this.maybe(name);
    if (value === undefined) throw createParameterError(name);
    return value;
  }
}

function createParameterError(name: string): OAuthRefused {
  return new OAuthRefused(
    'invalid_request',
    'The request is missing a required parameter, includes an invalid parameter value, includes a parameter more than once, or is otherwise malformed.',
    `Check the \`${name}\` parameter`,
  );
}

const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form; undefined for another body. */
export function parseForm({ headers, body }: SandboxRequest): URLSearchParams | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  return type === FORM ? new URLSearchParams(body) : undefined;
}

const SCOPES: readonly TokenScope[] = ['read', 'write', 'admin'];

/**
 * The scopes that a request names, each once; `read` where it names none (docs/service.md, OAuth2).
 * @throws OAuthRefused (invalid_scope)
 */
export function parseScopeParameter(text = ''): TokenScope[] {
  const words = text.split(' ').filter((word) => word !== '');
  const unknownScope = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknownScope !== undefined) {
    throw new OAuthRefused(
      'invalid_scope',
      'The requested scope is invalid, unknown, or malformed.',
      `Check the \`${unknownScope.replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?')}\` scope`,
    );
  }
  return words.length === 0 ? ['read'] : SCOPES.filter((scope) => words.includes(scope));
}

/** A comparison that takes the same time whatever differs. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash(a), hash(b));
}

/** Whether a PKCE verifier belongs to a challenge of the method S256 (RFC 7636, section 4.6). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  return isSameSecret(hash(verifier).toString('base64url'), challenge);
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
