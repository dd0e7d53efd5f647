import type { SandboxRequest, SandboxResponse } from '../answer.ts';
import { hash, isSame } from '../basics.ts';
import { createSecret, findRecord } from '../state.ts';
import { addToken, type GrantTime, getOAuth } from '../tokens.ts';
import type { OAuthApp, OAuthCode, OAuthGrant, RefreshToken, TokenScope, World } from '../world.ts';

/** The texts of the usual framework, by error of RFC 6749, sections 4.1.2.1 and 5.2. */
const DESCRIPTIONS = {
  invalid_request:
    'The request is missing a required parameter, includes an invalid parameter value, includes a parameter more than once, or is otherwise malformed.',
  invalid_client: 'Client authentication failed',
  invalid_grant:
    'The provided authorization grant or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  unauthorized_client: 'The client is not authorized to use this grant type.',
  unsupported_grant_type: 'The authorization grant type is not supported by the authorization server.',
  unsupported_response_type: 'The only response_type is code.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  access_denied: 'The resource owner denied the request.',
  server_error: 'The sandbox cannot answer this request.',
};

/** An OAuth2 request that is not granted (docs/service.md, OAuth2). */
export class OAuthRefused extends Error {
  /** `{error, error_description, hint?}` */
  readonly answer: Readonly<Record<string, string>>;

  constructor(error: keyof typeof DESCRIPTIONS, hint?: string) {
    super(DESCRIPTIONS[error]);
    this.name = 'OAuthRefused';
    this.answer = { error, error_description: this.message, ...(hint === undefined ? {} : { hint }) };
  }
}

/** POST /oauth/token (docs/service.md, OAuth2). The world changes only when it is granted, the count of requests aside. */
export function answerToken(world: World, request: SandboxRequest, time: GrantTime): SandboxResponse {
  let [status, value, more]: [number, object, Record<string, string>] = [200, {}, {}];
  try {
    if (request.method === 'POST') value = grantToken(world, request, time);
    else {
      value = { error: 'invalid_request', error_description: 'Request tokens with POST.' };
      [status, more] = [405, { allow: 'POST' }];
    }
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefused)) throw thrown;
    [status, value] = [thrown.answer['error'] === 'invalid_client' ? 401 : 400, thrown.answer];
    if (status === 401 && request.headers['authorization'] !== undefined)
      more = { 'www-authenticate': 'Basic realm="sandbox"' };
  }
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };
  return { status, headers: { ...headers, ...more }, body: JSON.stringify(value) };
}

const GRANTS: Readonly<Record<OAuthGrant, OAuthApp['grant']>> = {
  authorization_code: 'authorization-code',
  refresh_token: 'authorization-code',
  client_credentials: 'client-credentials',
};

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Everything is checked before anything changes. @throws OAuthRefused */
function grantToken(world: World, request: SandboxRequest, time: GrantTime): object {
  const sent = parseForm(request);
  if (sent === undefined) throw new OAuthRefused('invalid_request', `Send ${FORM}`);
  const type = need(sent, 'grant_type') as OAuthGrant;
  if (!Object.hasOwn(GRANTS, type))
    throw new OAuthRefused('unsupported_grant_type', `Known: ${Object.keys(GRANTS).join(', ')}`);
  const { codes, refresh_tokens, requests } = getOAuth(world);
  requests[type] += 1;
  const app = requireClient(world, request, sent);
  if (app.grant !== GRANTS[type])
    throw new OAuthRefused('unauthorized_client', `The application is registered for ${app.grant}`);
  // The token acts as who registered the application (assumed).
  if (type === 'client_credentials')
    return issueAccess(world, app, app.user_id, parseScopes(sent.get('scope')), time);

  if (type === 'authorization_code') {
    const [code, redirect] = [need(sent, 'code'), need(sent, 'redirect_uri')];
    const stored = requireUsable(findRecord(codes, code), app, time.now, 'authorization code');
    if (stored.redirect_uri !== redirect)
      throw new OAuthRefused('invalid_grant', 'The redirect_uri does not match the authorization request');
    const { challenge } = stored;
    const verifier = sent.get('code_verifier');
    if (challenge === null && verifier !== undefined)
      throw new OAuthRefused('invalid_grant', 'No code_challenge was sent for this code');
    // PKCE with S256 (RFC 7636, section 4.6).
    const isProven =
      VERIFIER.test(verifier ?? '') && isSame(hash(verifier ?? '').toString('base64url'), challenge ?? '');
    if (challenge !== null && !isProven)
      throw new OAuthRefused('invalid_grant', 'Failed to verify `code_verifier`');
    stored.spent = true;
    return issuePair(world, app, stored.user_id, stored.scopes, time);
  }

  const token = findRecord(refresh_tokens, need(sent, 'refresh_token'));
  const stored = requireUsable(token, app, time.now, 'refresh token');
  const scopes = sent.has('scope') ? parseScopes(sent.get('scope')) : stored.scopes;
  // A refresh cannot ask for more than was approved.
  const extra = scopes.find((scope) => !stored.scopes.includes(scope));
  if (extra !== undefined) throw new OAuthRefused('invalid_scope', `Check the \`${extra}\` scope`);
  stored.spent = true;
  const old = findRecord(world.tokens, stored.access_token);
  if (old !== undefined) old.revoked = true;
  return issuePair(world, app, stored.user_id, scopes, time);
}

/** The application that authenticates itself; what stands in the body wins over Basic, field by field. @throws OAuthRefused */
function requireClient(
  world: World,
  { headers }: SandboxRequest,
  sent: ReadonlyMap<string, string>,
): OAuthApp {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '';
  const [, ...parts] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  // Both are form-encoded within (RFC 6749, section 2.3.1).
  const [id = '', secret = ''] = parts.map(
    (part) => new URLSearchParams(`_=${part.replaceAll('&', '%26')}`).get('_') ?? '',
  );
  const app = findRecord(getOAuth(world).apps, sent.get('client_id') ?? id);
  if (app !== undefined && isSame(sent.get('client_secret') ?? secret, app.client_secret)) return app;
  throw new OAuthRefused('invalid_client');
}

/** The record while it counts for this application. @throws OAuthRefused (invalid_grant) */
function requireUsable<T extends OAuthCode | RefreshToken>(
  stored: T | undefined,
  app: OAuthApp,
  now: number,
  kind: string,
): T {
  if (stored === undefined || stored.client_id !== app.client_id)
    throw new OAuthRefused('invalid_grant', `The ${kind} is not valid`);
  if (stored.spent) throw new OAuthRefused('invalid_grant', `The ${kind} has been used already`);
  if (now >= stored.expires_ms) throw new OAuthRefused('invalid_grant', `The ${kind} has expired`);
  return stored;
}

/** Assumed: what the usual framework allows. */
const CODE_LIFE_MS = 10 * 60_000;
/** As documented (docs/service.md, Limits). */
const REFRESH_LIFE_MS = 30 * 24 * 3_600_000;
const ACCESS_LIFE_SECONDS = 1_296_000;

export function issueCode(
  world: World,
  details: Omit<OAuthCode, 'expires_ms' | 'spent'>,
  { now, random }: GrantTime,
): string {
  const { codes } = getOAuth(world);
  const code = `sbx_code_${createSecret(random, 43)}`;
  codes[code] = { ...details, expires_ms: now + CODE_LIFE_MS, spent: false };
  return code;
}

function issuePair(world: World, app: OAuthApp, user_id: number, scopes: TokenScope[], time: GrantTime) {
  const answer = issueAccess(world, app, user_id, scopes, time);
  const refresh_token = `sbx_rt_${createSecret(time.random, 43)}`;
  getOAuth(world).refresh_tokens[refresh_token] = {
    ...{ client_id: app.client_id, user_id, scopes: [...scopes], access_token: answer.access_token },
    ...{ expires_ms: time.now + REFRESH_LIFE_MS, spent: false },
  };
  return { ...answer, refresh_token };
}

/** Alone for client credentials, which get no refresh token (docs/service.md, OAuth2). */
function issueAccess(world: World, app: OAuthApp, user_id: number, scopes: TokenScope[], time: GrantTime) {
  const expires_ms = time.now + ACCESS_LIFE_SECONDS * 1000;
  const details = { name: app.name, user_id, scopes: [...scopes], expires_ms, ...time };
  const { token } = addToken(world, { kind: 'access', ...details });
  return { token_type: 'Bearer', expires_in: ACCESS_LIFE_SECONDS, access_token: token };
}

/**
 * The parameters of an OAuth2 request; an empty one counts as absent.
 * @throws OAuthRefused (invalid_request) where one is there twice (RFC 6749, section 3.1)
 */
export function parseParameters(pairs: Iterable<readonly [string, string]>): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (parameters.has(name)) throw new OAuthRefused('invalid_request', `Check the \`${name}\` parameter`);
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

export function need(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value !== undefined) return value;
  throw new OAuthRefused('invalid_request', `Check the \`${name}\` parameter`);
}

const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form; undefined for another body. @throws as `parseParameters` */
export function parseForm({ headers, body }: SandboxRequest): Map<string, string> | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  return type === FORM ? parseParameters(new URLSearchParams(body)) : undefined;
}

const SCOPES: readonly TokenScope[] = ['read', 'write', 'admin'];

/**
 * The scopes that a request names, each once; `read` where it names none (docs/service.md, OAuth2).
 * @throws OAuthRefused (invalid_scope)
 */
export function parseScopes(text = ''): TokenScope[] {
  const words = text.split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknown === undefined)
    return words.length === 0 ? ['read'] : SCOPES.filter((one) => words.includes(one));
  const word = unknown.replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?');
  throw new OAuthRefused('invalid_scope', `Check the \`${word}\` scope`);
}
