import { createHash, randomBytes } from 'node:crypto';
import { EXIT, Failure } from '../errors.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { isRecord, parseJsonValue } from '../json.ts';
import type { Credential } from './credentials.ts';

/** The requests of OAuth2 and what their answers say (docs/service.md, OAuth2; RFC 6749 and 7636). */

/** Fields of a token request; those that are undefined are not sent. */
export type Grant = Readonly<Record<string, string | undefined>>;

/** How long the token host may take, and how much it may say; `--timeout` is for the API. */
export const TOKEN_HOST = { timeoutMs: 30_000, maxBytes: 64 * 1024 } as const;

export function createRandomSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function fingerprintToken(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

export function buildClientGrant(scopes: readonly string[]): Grant {
  return { grant_type: 'client_credentials', scope: scopes.join(' ') || undefined };
}

/**
 * Asks for tokens. Nothing shows what is sent or answered.
 * @param client the application, as it is stored with its tokens. No secret: a public client
 * @throws Failure `invalid_grant`, `invalid_client` … (exit 3), `token_answer` or `token_host_unavailable` (exit 7)
 */
export async function requestTokens(
  client: Pick<Credential, 'token_url' | 'client_id' | 'client_secret' | 'client_auth'>,
  grant: Grant,
  transport: Transport,
  { clock, redactor }: { clock: { now(): number }; redactor: { register(secret: string): void } },
) {
  const { token_url: base = '', client_id: id = '', client_secret: secret, client_auth: auth } = client;
  if (secret !== undefined) redactor.register(secret);
  const inHeader = auth === 'basic' && secret !== undefined;
  // RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
  const login = [id, secret ?? ''].map((text) => new URLSearchParams([['', text]]).toString().slice(1));
  const fields = inHeader ? grant : { ...grant, client_id: id, client_secret: secret };
  const request: HttpRequest = {
    method: 'POST',
    base,
    path: '/oauth/token',
    query: [],
    headers: inHeader ? { authorization: `Basic ${Buffer.from(login.join(':')).toString('base64')}` } : {},
    form: Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  };
  const askedAt = clock.now();
  const tokens = parseTokenResponse(await transport(request), askedAt);
  redactor.register(tokens.access_token);
  if (tokens.refresh_token !== undefined) redactor.register(tokens.refresh_token);
  return tokens;
}

/** 30 days (docs/service.md, Limits); the service does not say it in its answers. */
const REFRESH_LIFE_MS = 30 * 86_400_000;

/**
 * The members of a credential that come from an answer, to be laid over those before it. Lenient in what may be missing,
 * since a refused answer to a refresh is a lost sign-in; strict in what is there.
 * @param askedAt when it was asked for: what lives from then on ends no later
 */
export function parseTokenResponse(response: HttpResponse, askedAt: number) {
  const { status, headers, body } = response;
  const type = (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
  if (!/^application\/([\w.-]+\+)?json$/.test(type))
    throw createUnusableFailure(status, `${type || 'no content type'} instead of JSON`);
  const fields = parseJsonValue(body);
  if (!isRecord(fields)) throw createUnusableFailure(status, 'something that is not one JSON object');
  if (status < 200 || status >= 300) throw createRefusalFailure(status, fields);
  const { access_token: access, refresh_token: refresh, expires_in: life, token_type: kind, scope } = fields;
  const seconds = typeof life === 'string' || typeof life === 'number' ? Number(life) : Number.NaN;
  const violations = {
    'no access token': !isToken(access),
    'a token that is not a Bearer token': kind != null && String(kind).toLowerCase() !== 'bearer',
    'an invalid refresh token': refresh != null && !isToken(refresh),
    'an invalid lifetime': life != null && !(Number.isInteger(seconds) && seconds > 0 && seconds < 1e10),
    'invalid scopes': scope != null && typeof scope !== 'string',
  };
  for (const [what, isThere] of Object.entries(violations))
    if (isThere) throw createUnusableFailure(status, what);
  const scopes = String(scope ?? '')
    .split(' ')
    .filter(Boolean);
  return {
    access_token: String(access),
    created_at: new Date(askedAt).toISOString(),
    // The end of the old token must not stay.
    access_expires_at: life == null ? undefined : new Date(askedAt + seconds * 1000).toISOString(),
    ...(isToken(refresh) && {
      refresh_token: refresh,
      refresh_expires_at: new Date(askedAt + REFRESH_LIFE_MS).toISOString(),
    }),
    ...(scopes.length > 0 && { scopes }),
  };
}

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);
}

function createUnusableFailure(status: number, what: string): Failure {
  return new Failure(`the token host answered with ${what}`, {
    code: 'token_answer',
    exit: EXIT.tryLater,
    reason: `The status was ${status}.`,
    hint: 'The token URL may be wrong, or a proxy answered instead: see `ttctl profile show`.',
    details: { status },
  });
}

/** Errors of RFC 6749, 5.2, with what to do; any other is told in the message. */
const REFUSALS = {
  invalid_request: undefined,
  invalid_grant: undefined,
  invalid_client: 'The client id or the client secret is wrong.',
  invalid_scope: 'Choose other scopes with --scope.',
  unauthorized_client: 'The application is not registered for this kind of sign-in.',
  unsupported_grant_type: 'The application is not registered for this kind of sign-in.',
};

function createRefusalFailure(status: number, fields: Readonly<Record<string, unknown>>): Failure {
  // The service's own refusals have the envelope, which has a message.
  const { error, error_description: description, message, hint: advice } = fields;
  const said = [description, message, advice, error].find((text) => typeof text === 'string');
  const isTemporary = status === 429 || status >= 500 || status < 400;
  const known = Object.hasOwn(REFUSALS, String(error)) ? (error as keyof typeof REFUSALS) : undefined;
  return new Failure(`the token host refused: ${said ?? `status ${status}`}`, {
    ...(isTemporary
      ? { code: 'token_host_unavailable', exit: EXIT.tryLater, hint: 'Try again later.' }
      : { code: known ?? 'token_refused', exit: EXIT.signedOut, hint: known && REFUSALS[known] }),
    details: { status, ...(typeof error === 'string' && { error }) },
  });
}
