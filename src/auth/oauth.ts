import { createHash, randomBytes } from 'node:crypto';
import { EXIT, Failure } from '../errors.ts';
import type { HttpQuery, HttpRequest, HttpResponse } from '../http/transport.ts';
import { isNumber, isRecord, parseJson } from '../json.ts';
import type { Credential } from './credentials.ts';

/** The requests of OAuth2 and what their answers say (docs/service.md, OAuth2; RFC 6749 and 7636). */

/** An application that is registered at the service, as it is stored with its tokens. No secret: a public client. */
export type OAuthClient = Pick<Credential, 'token_url' | 'client_id' | 'client_secret' | 'client_auth'>;

/** How long the token host may take, and how much it may say; `--timeout` is for the API. */
export const TOKEN_HOST = { timeoutMs: 30_000, maxBytes: 64 * 1024 } as const;

/** 256 bits of chance, in characters that need no encoding. */
export function createRandomSecret(): string {
  return randomBytes(32).toString('base64url');
}

export interface AuthorizeParameters {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Absent: the service gives `read`. */
  readonly scopes: readonly string[];
  readonly state: string;
  /** What only this process knows (PKCE). Undefined: none. */
  readonly verifier: string | undefined;
}

export function buildAuthorizeUrl(parameters: AuthorizeParameters): string {
  const { authUrl, clientId, redirectUri, scopes, state, verifier } = parameters;
  const challenge = verifier && createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    state,
    ...(challenge !== undefined && { code_challenge: challenge, code_challenge_method: 'S256' }),
  });
  // Not every server takes "+" for a space.
  return `${authUrl}/oauth/authorize?${query.toString().replaceAll('+', '%20')}`;
}

export interface AuthorizationCode {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string | undefined;
}

function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function buildTokenRequest(client: OAuthClient, grant: HttpQuery): HttpRequest {
  const { token_url: base = '', client_id: id = '', client_secret: secret, client_auth: auth } = client;
  const inHeader = auth === 'basic' && secret !== undefined;
  // RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
  const login = `${encodeFormValue(id)}:${encodeFormValue(secret ?? '')}`;
  const fields: HttpQuery = [
    ['client_id', id],
    ...(secret === undefined ? [] : [['client_secret', secret] as const]),
  ];
  return {
    method: 'POST',
    base,
    path: '/oauth/token',
    query: [],
    headers: inHeader ? { authorization: `Basic ${Buffer.from(login).toString('base64')}` } : {},
    form: inHeader ? grant : [...grant, ...fields],
  };
}

/** The redirect address has to be the one of the authorization, to the letter. */
export function buildCodeRequest(
  client: OAuthClient,
  { code, redirectUri, verifier }: AuthorizationCode,
): HttpRequest {
  return buildTokenRequest(client, [
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', redirectUri],
    ...(verifier === undefined ? [] : [['code_verifier', verifier] as const]),
  ]);
}

/** A refreshed token keeps its scopes. */
export function buildRefreshRequest(client: OAuthClient, refreshToken: string): HttpRequest {
  return buildTokenRequest(client, [
    ['grant_type', 'refresh_token'],
    ['refresh_token', refreshToken],
  ]);
}

export function buildClientCredentialsRequest(client: OAuthClient, scopes: readonly string[]): HttpRequest {
  return buildTokenRequest(client, [
    ['grant_type', 'client_credentials'],
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')] as const]),
  ]);
}

/** Names a token without telling it. */
export function fingerprintToken(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

/** The members of a credential that come from an answer. Laid over those before it: the end of the old token must not stay. */
export type TokenMembers = Pick<Credential, 'access_token' | 'refresh_token' | 'scopes' | 'created_at'> &
  Pick<Credential, 'refresh_expires_at'> & { readonly access_expires_at: string | undefined };

type Fields = Readonly<Record<string, unknown>>;

/** For an answer that cannot be used; what is stored stays as it is. */
function createUnusableFailure(status: number, what: string): Failure {
  return new Failure(`the token host answered with ${what}`, {
    code: 'token_answer',
    exit: EXIT.tryLater,
    reason: `The status was ${status}.`,
    hint: 'The token URL may be wrong, or a proxy answered instead: see `ttctl profile show`.',
    details: { status },
  });
}

function readFields({ status, headers, body }: HttpResponse): Fields {
  if (status >= 300 && status < 400) throw createUnusableFailure(status, 'a redirect, which is not followed');
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!/^application\/([\w.-]+\+)?json$/.test(type))
    throw createUnusableFailure(status, `${type || 'no content type'} instead of JSON`);
  const parsed = parseJson(body);
  if (!('value' in parsed)) throw createUnusableFailure(status, 'broken JSON');
  const { value } = parsed;
  if (!isRecord(value)) throw createUnusableFailure(status, 'JSON that is not an object');
  return { ...value };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const ERROR_HINTS: Readonly<Record<string, string>> = {
  invalid_client: 'The client id or the client secret is wrong.',
  unauthorized_client: 'The application is not registered for this kind of sign-in.',
  unsupported_grant_type: 'The application is not registered for this kind of sign-in.',
  invalid_scope: 'Choose other scopes with --scope.',
};

/** Of RFC 6749, 5.2; any other is told in the message. */
const ERRORS = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope'],
  ...['unauthorized_client', 'unsupported_grant_type'],
] as const satisfies readonly Failure['code'][];

function createRefusalFailure(status: number, fields: Fields): Failure {
  const error = readText(fields.error);
  // The service's own refusals have the envelope, which has a message.
  const message = readText(fields.error_description) ?? readText(fields.message) ?? readText(fields.hint);
  const isTemporary = status === 429 || status >= 500;
  return new Failure(`the token host refused: ${message ?? error ?? `status ${status}`}`, {
    code: isTemporary
      ? 'token_host_unavailable'
      : (ERRORS.find((known) => known === error) ?? 'token_refused'),
    exit: isTemporary ? EXIT.tryLater : EXIT.signedOut,
    hint: isTemporary ? 'Try again later.' : ERROR_HINTS[error ?? ''],
    details: { status, ...(error === undefined ? {} : { error }) },
  });
}

/** What can stand in a header; the service's tokens are of a few hundred to a thousand characters. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);
}

function parseSeconds(value: unknown): number | undefined {
  const isDigits = typeof value === 'string' && /^\d{1,10}$/.test(value);
  const seconds = isDigits || isNumber(value) ? Number(value) : undefined;
  const isValid = Number.isInteger(seconds) && Number(seconds) > 0 && Number(seconds) < 1e10;
  return isValid ? Number(seconds) : undefined;
}

function findResponseViolation(fields: Fields): string | undefined {
  if (!isToken(fields.access_token)) return 'no access token';
  const type = fields.token_type ?? 'bearer';
  if (readText(type)?.toLowerCase() !== 'bearer') return 'a token that is not a Bearer token';
  const refresh = fields.refresh_token ?? undefined;
  if (refresh !== undefined && !isToken(refresh)) return 'an invalid refresh token';
  const expires = fields.expires_in ?? undefined;
  if (expires !== undefined && parseSeconds(expires) === undefined) return 'an invalid lifetime';
  const scope = fields.scope ?? undefined;
  return scope === undefined || typeof scope === 'string' ? undefined : 'invalid scopes';
}

/** 30 days (docs/service.md, Limits); the service does not say it in its answers. */
const REFRESH_LIFE_MS = 30 * 86_400_000;

/**
 * Lenient in what may be missing, since a refused answer to a refresh is a lost sign-in; strict in what is there.
 * @param askedAt when it was asked for: what lives from then on ends no later
 * @throws Failure `invalid_grant`, `invalid_client` … (exit 3), `token_answer` or `token_host_unavailable` (exit 7)
 */
export function parseTokenResponse(response: HttpResponse, askedAt: number): TokenMembers {
  const fields = readFields(response);
  if (response.status < 200 || response.status >= 300) throw createRefusalFailure(response.status, fields);
  const violation = findResponseViolation(fields);
  if (violation !== undefined) throw createUnusableFailure(response.status, violation);
  const { access_token, refresh_token, expires_in, scope } = fields;
  const scopes = readText(scope)?.split(' ').filter(Boolean) ?? [];
  const seconds = parseSeconds(expires_in);
  return {
    access_token: String(access_token),
    created_at: formatIsoTime(askedAt),
    access_expires_at: seconds === undefined ? undefined : formatIsoTime(askedAt + seconds * 1000),
    ...(isToken(refresh_token) && {
      refresh_token,
      refresh_expires_at: formatIsoTime(askedAt + REFRESH_LIFE_MS),
    }),
    ...(scopes.length > 0 && { scopes }),
  };
}

function formatIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
