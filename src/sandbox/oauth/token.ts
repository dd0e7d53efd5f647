import { createHash, timingSafeEqual } from 'node:crypto';
import type { SandboxRequest, SandboxResponse } from '../answer.ts';
import { createSecret, findRecord } from '../state.ts';
import { addToken, findApp, type GrantTime, getOAuth } from '../tokens.ts';
import type { OAuthApp, OAuthCode, OAuthGrant, RefreshToken, TokenScope, World } from '../world.ts';

/** POST /oauth/token (docs/service.md, OAuth2). The world changes only when it is granted, the count of requests aside. */
export function answerToken(world: World, request: SandboxRequest, time: GrantTime): SandboxResponse {
  if (request.method !== 'POST') {
    const body = { error: 'invalid_request', error_description: 'Request tokens with POST.' };
    return createJsonResponse(405, body, { allow: 'POST' });
  }
  try {
    return createJsonResponse(200, grantToken(world, request, time));
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefused)) throw thrown;
    if (thrown.error !== 'invalid_client') return createJsonResponse(400, thrown.answer);
    const isBasic = request.headers['authorization'] !== undefined;
    const headers = isBasic ? { 'www-authenticate': 'Basic realm="sandbox"' } : undefined;
    return createJsonResponse(401, thrown.answer, headers);
  }
}

/** Without `refresh_token` for client credentials (docs/service.md, OAuth2). */
interface TokenAnswer {
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly access_token: string;
  readonly refresh_token?: string;
}

type GrantHandler = (world: World, app: OAuthApp, sent: OAuthParameters, time: GrantTime) => TokenAnswer;

const GRANTS: Readonly<Record<OAuthGrant, readonly [needs: OAuthApp['grant'], run: GrantHandler]>> = {
  authorization_code: ['authorization-code', exchangeCode],
  refresh_token: ['authorization-code', refreshTokens],
  client_credentials: ['client-credentials', grantClientCredentials],
};

/** Everything is checked before anything changes. @throws OAuthRefused */
function grantToken(world: World, request: SandboxRequest, time: GrantTime): TokenAnswer {
  const form = parseForm(request);
  if (form === undefined) {
    throw new OAuthRefused(
      'invalid_request',
      'The body is not a form.',
      'Send application/x-www-form-urlencoded',
    );
  }
  const parameters = new OAuthParameters(form);
  const type = parameters.need('grant_type');
  if (!isGrant(type)) {
    throw new OAuthRefused(
      'unsupported_grant_type',
      'The authorization grant type is not supported by the authorization server.',
      `Known: ${Object.keys(GRANTS).join(', ')}`,
    );
  }
  getOAuth(world).requests[type] += 1;
  const app = requireClient(world, request, parameters);
  const [needs, run] = GRANTS[type];
  if (app.grant !== needs) {
    throw new OAuthRefused(
      'unauthorized_client',
      'The client is not authorized to use this grant type.',
      `The application is registered for ${app.grant}`,
    );
  }
  return run(world, app, parameters, time);
}

function isGrant(text: string): text is OAuthGrant {
  return Object.hasOwn(GRANTS, text);
}

/** The application that authenticates itself; what stands in the body wins over Basic, field by field. */
function requireClient(world: World, { headers }: SandboxRequest, parameters: OAuthParameters): OAuthApp {
  const [basicId, basicSecret] = parseBasicHeader(headers['authorization']);
  const app = findApp(world, parameters.maybe('client_id') ?? basicId);
  const secret = parameters.maybe('client_secret') ?? basicSecret;
  if (app !== undefined && isSameSecret(secret, app.client_secret)) return app;
  throw new OAuthRefused('invalid_client', 'Client authentication failed');
}

/** Client id and secret of a Basic header; both are form-encoded within (RFC 6749, section 2.3.1). */
function parseBasicHeader(authorization = ''): readonly [id: string, secret: string] {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1] ?? '';
  const [, ...parts] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  try {
    const [id = '', secret = ''] = parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return [id, secret];
  } catch {
    return ['', ''];
  }
}

const MINUTE_MS = 60_000;
/** Assumed: what the usual framework allows. */
const CODE_LIFE_MS = 10 * MINUTE_MS;
/** As documented (docs/service.md, Limits). */
const REFRESH_LIFE_MS = 30 * 24 * 60 * MINUTE_MS;
const ACCESS_LIFE_SECONDS = 1_296_000;

/** A code for what was approved. */
export function issueCode(
  world: World,
  details: Omit<OAuthCode, 'expires_ms' | 'spent'>,
  { now, random }: GrantTime,
): string {
  const { codes } = getOAuth(world);
  dropExpired(codes, now);
  const code = `sbx_code_${createSecret(random, 43)}`;
  codes[code] = { ...details, expires_ms: now + CODE_LIFE_MS, spent: false };
  return code;
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** A code for the first pair (docs/service.md, OAuth2). @throws OAuthRefused */
function exchangeCode(world: World, app: OAuthApp, sent: OAuthParameters, time: GrantTime): TokenAnswer {
  const [code, redirect] = [sent.need('code'), sent.need('redirect_uri')];
  const stored = requireUsable(findRecord(getOAuth(world).codes, code), app, time.now, 'authorization code');
  if (stored.redirect_uri !== redirect)
    throw createInvalidGrant('The redirect_uri does not match the authorization request');
  const { challenge } = stored;
  const verifier = sent.maybe('code_verifier');
  if (challenge === null && verifier !== undefined)
    throw createInvalidGrant('No code_challenge was sent for this code');
  if (challenge !== null && (!VERIFIER.test(verifier ?? '') || !matchesChallenge(verifier ?? '', challenge)))
    throw createInvalidGrant('Failed to verify `code_verifier`');
  stored.spent = true;
  return issuePair(world, app, stored, time);
}

/** The old pair ends with the answer. @throws OAuthRefused */
function refreshTokens(world: World, app: OAuthApp, sent: OAuthParameters, time: GrantTime): TokenAnswer {
  const token = findRecord(getOAuth(world).refresh_tokens, sent.need('refresh_token'));
  const stored = requireUsable(token, app, time.now, 'refresh token');
  const text = sent.maybe('scope');
  const scopes = text === undefined ? stored.scopes : parseScopeParameter(text);
  const extraScope = scopes.find((scope) => !stored.scopes.includes(scope));
  if (extraScope !== undefined) {
    throw new OAuthRefused(
      'invalid_scope',
      'A refresh cannot ask for more than was approved.',
      `Check the \`${extraScope}\` scope`,
    );
  }
  stored.spent = true;
  const accessToken = findRecord(world.tokens, stored.access_token);
  if (accessToken !== undefined) accessToken.revoked = true;
  return issuePair(world, app, { user_id: stored.user_id, scopes }, time);
}

/** The token acts as who registered the application (assumed). @throws OAuthRefused (invalid_scope) */
function grantClientCredentials(
  world: World,
  app: OAuthApp,
  sent: OAuthParameters,
  time: GrantTime,
): TokenAnswer {
  return issueAccess(
    world,
    app,
    { user_id: app.user_id, scopes: parseScopeParameter(sent.maybe('scope')) },
    time,
  );
}

/** The record while it counts for this application. @throws OAuthRefused (invalid_grant) */
function requireUsable<T extends OAuthCode | RefreshToken>(
  stored: T | undefined,
  app: OAuthApp,
  now: number,
  kind: string,
): T {
  if (stored === undefined || stored.client_id !== app.client_id)
    throw createInvalidGrant(`The ${kind} is not valid`);
  if (stored.spent) throw createInvalidGrant(`The ${kind} has been used already`);
  if (now >= stored.expires_ms) throw createInvalidGrant(`The ${kind} has expired`);
  return stored;
}

function createInvalidGrant(hint: string): OAuthRefused {
  return new OAuthRefused(
    'invalid_grant',
    'The provided authorization grant or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
    hint,
  );
}

interface Holder {
  readonly user_id: number;
  readonly scopes: readonly TokenScope[];
}

function issuePair(world: World, app: OAuthApp, { user_id, scopes }: Holder, time: GrantTime): TokenAnswer {
  const { refresh_tokens } = getOAuth(world);
  dropExpired(refresh_tokens, time.now);
  const answer = issueAccess(world, app, { user_id, scopes }, time);
  const refresh_token = `sbx_rt_${createSecret(time.random, 43)}`;
  refresh_tokens[refresh_token] = {
    ...{ client_id: app.client_id, user_id, scopes: [...scopes], access_token: answer.access_token },
    ...{ expires_ms: time.now + REFRESH_LIFE_MS, spent: false },
  };
  return { ...answer, refresh_token };
}

function issueAccess(world: World, { name }: OAuthApp, holder: Holder, time: GrantTime): TokenAnswer {
  const { token } = addToken(world, {
    ...{ kind: 'access', name, user_id: holder.user_id, scopes: [...holder.scopes] },
    ...{ ...time, expires_ms: time.now + ACCESS_LIFE_SECONDS * 1000 },
  });
  return { token_type: 'Bearer', expires_in: ACCESS_LIFE_SECONDS, access_token: token };
}

function dropExpired(records: Record<string, { expires_ms: number }>, now: number): void {
  for (const [key, { expires_ms }] of Object.entries(records)) if (now >= expires_ms) delete records[key];
}

function createJsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SandboxResponse {
  const all = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    ...headers,
  };
  return { status, headers: all, body: JSON.stringify(value) };
}

/** What the two addresses of the OAuth2 host have in common: parameters, scopes, secrets, refusals. */

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
