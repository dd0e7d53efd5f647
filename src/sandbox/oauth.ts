import { createHash, timingSafeEqual } from 'node:crypto';
import type { SandboxRequest, SandboxResponse } from './answer.ts';
import { type AuthorizationRequest, createConsentPage, createProblemPage } from './pages.ts';
import { createSecret, findRecord, listManagerRoles } from './state.ts';
import { addToken, type GrantTime, getOAuth } from './tokens.ts';
import type { OAuthApp, OAuthCode, RefreshToken, TokenScope, User, World } from './world.ts';

/** The OAuth2 host of a sandbox. It asks nothing of the API's own limits and dialects. */

interface OpenPage {
  readonly world: World;
  readonly authorization: AuthorizationRequest;
  readonly expires_ms: number;
  /** Where the decision led. A second click on the button leads there too. */
  location?: string;
}

/** The pages that are open now, by what stands for each on the page alone. A sandbox that starts again has none. */
type Pages = Map<string, OpenPage>;

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
class OAuthRefused extends Error {
  /** `{error, error_description, hint?}` */
  readonly answer: Readonly<Record<string, string>>;

  constructor(error: keyof typeof DESCRIPTIONS, hint?: string) {
    super(DESCRIPTIONS[error]);
    this.name = 'OAuthRefused';
    this.answer = { error, error_description: this.message, ...(hint === undefined ? {} : { hint }) };
  }
}

/** Shown as a page and never redirected: it is not certain who asks, or where the answer should go. */
class NotRedirected extends Error {
  override readonly name = 'NotRedirected';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/**
 * `/oauth/authorize`, the page on which a person approves or denies, and `/oauth/token`.
 * @param autoApprove e-mail address of who approves every request, without a page
 */
export function createOAuthHost(autoApprove?: string) {
  const pages: Pages = new Map();
  return (world: World, request: SandboxRequest, time: GrantTime): SandboxResponse => {
    const { method, path } = request;
    if (path === '/oauth/token') return answerToken(world, request, time);
    try {
      if (path !== '/oauth/authorize') throw new NotRedirected(`There is nothing at ${path}.`, 404);
      if (method === 'GET') return showPage(world, request, time, pages, autoApprove);
      if (method === 'POST') return decide(world, request, time, pages);
      throw new NotRedirected('Open this page with GET.', 405);
    } catch (thrown) {
      const status = thrown instanceof NotRedirected ? thrown.status : 400;
      if (status === 400 && !(thrown instanceof NotRedirected || thrown instanceof OAuthRefused))
        throw thrown;
      return createProblemPage(status, (thrown as Error).message);
    }
  };
}

/** POST /oauth/token (docs/service.md, OAuth2). The world changes only when it is granted. */
function answerToken(world: World, request: SandboxRequest, time: GrantTime): SandboxResponse {
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

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A comparison that takes the same time whatever differs. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other));
}

const GRANTS: Readonly<Record<string, OAuthApp['grant']>> = {
  authorization_code: 'authorization-code',
  refresh_token: 'authorization-code',
  client_credentials: 'client-credentials',
};

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Everything is checked before anything changes. @throws OAuthRefused */
function grantToken(world: World, request: SandboxRequest, time: GrantTime): object {
  const sent = parseForm(request);
  if (sent === undefined) throw new OAuthRefused('invalid_request', `Send ${FORM}`);
  const type = need(sent, 'grant_type');
  if (!Object.hasOwn(GRANTS, type))
    throw new OAuthRefused('unsupported_grant_type', `Known: ${Object.keys(GRANTS).join(', ')}`);
  const { codes, refresh_tokens } = getOAuth(world);
  const app = requireApp(world, request, sent);
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
function requireApp(world: World, { headers }: SandboxRequest, sent: ReadonlyMap<string, string>): OAuthApp {
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

function issueCode(
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
function parseParameters(pairs: Iterable<readonly [string, string]>): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (parameters.has(name)) throw new OAuthRefused('invalid_request', `Check the \`${name}\` parameter`);
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

function need(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value !== undefined) return value;
  throw new OAuthRefused('invalid_request', `Check the \`${name}\` parameter`);
}

const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form; undefined for another body. @throws as `parseParameters` */
function parseForm({ headers, body }: SandboxRequest): Map<string, string> | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  return type === FORM ? parseParameters(new URLSearchParams(body)) : undefined;
}

const SCOPES: readonly TokenScope[] = ['read', 'write', 'admin'];

/**
 * The scopes that a request names, each once; `read` where it names none (docs/service.md, OAuth2).
 * @throws OAuthRefused (invalid_scope)
 */
function parseScopes(text = ''): TokenScope[] {
  const words = text.split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknown === undefined)
    return words.length === 0 ? ['read'] : SCOPES.filter((one) => words.includes(one));
  const word = unknown.replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?');
  throw new OAuthRefused('invalid_scope', `Check the \`${word}\` scope`);
}

const PAGE_LIFE_MS = 10 * 60_000;
/** A SHA-256 digest in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

function showPage(
  world: World,
  request: SandboxRequest,
  time: GrantTime,
  pages: Pages,
  autoApprove: string | undefined,
): SandboxResponse {
  const { now } = time;
  const sent = parseParameters(request.query);
  const { app, redirect_uri } = requireClient(world, sent);
  const state = sent.get('state');
  try {
    if (need(sent, 'response_type') !== 'code') throw new OAuthRefused('unsupported_response_type');
    const scopes = parseScopes(sent.get('scope'));
    const [challenge = null, method = null] = [sent.get('code_challenge'), sent.get('code_challenge_method')];
    if ((challenge ?? method) !== null && (method !== 'S256' || !CHALLENGE.test(challenge ?? ''))) {
      const reason = 'A code_challenge is 43 base64url characters, with code_challenge_method=S256.';
      throw new OAuthRefused('invalid_request', reason);
    }
    const authorization = { app, redirect_uri, state, scopes, challenge };
    const approvers = listApprovers(world);
    if (autoApprove !== undefined) {
      const user = approvers.find(({ email }) => email.toLowerCase() === autoApprove.toLowerCase());
      if (user !== undefined) return approve(world, authorization, user, time);
      const reason = `--auto-approve names ${autoApprove}, who is not an Owner or Executive Manager here.`;
      throw new OAuthRefused('server_error', reason);
    }
    for (const [id, { expires_ms }] of pages) if (now >= expires_ms) pages.delete(id);
    const id = createSecret(time.random, 43);
    pages.set(id, { world, authorization, expires_ms: now + PAGE_LIFE_MS });
    return createConsentPage(world, authorization, approvers, id);
  } catch (thrown) {
    if (thrown instanceof OAuthRefused) return redirectBack(redirect_uri, thrown.answer, state);
    throw thrown;
  }
}

function requireClient(
  world: World,
  sent: ReadonlyMap<string, string>,
): { app: OAuthApp; redirect_uri: string } {
  const [client = 'nothing', redirect = 'nothing'] = [sent.get('client_id'), sent.get('redirect_uri')];
  const app = findRecord(getOAuth(world).apps, client);
  if (app === undefined) throw new NotRedirected(`No application has the client_id ${client}.`);
  const { redirect_uri } = app;
  if (redirect_uri === null)
    throw new NotRedirected('This application is registered for client credentials: it needs no approval.');
  if (redirect === redirect_uri) return { app, redirect_uri };
  throw new NotRedirected(
    `The redirect_uri ${redirect} is not the registered one, ${redirect_uri}. They must match exactly.`,
  );
}

/** The decision of a person. @throws NotRedirected for none, and for who may not approve */
function decide(world: World, request: SandboxRequest, time: GrantTime, pages: Pages): SandboxResponse {
  // Another site's page may show a form to us; a browser then says where it came from.
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if ((origin !== undefined && origin !== `http://${host}`) || site !== 'same-origin')
    throw new NotRedirected('The form was sent from another site.');
  const form = parseForm(request);
  const page = pages.get(form?.get('request') ?? '');
  if (form === undefined || page === undefined || time.now >= page.expires_ms || page.world !== world)
    throw new NotRedirected('This page has expired or is not valid. Start the sign-in again.');
  if (page.location !== undefined) return redirectTo(page.location);
  const { authorization } = page;
  const decision = form.get('decision');
  const user = listApprovers(world).find(({ id }) => String(id) === form.get('member'));
  let response: SandboxResponse;
  if (decision === 'deny') {
    const { answer } = new OAuthRefused('access_denied');
    response = redirectBack(authorization.redirect_uri, answer, authorization.state);
  } else if (decision === 'approve' && user !== undefined) {
    response = approve(world, authorization, user, time);
  } else {
    throw new NotRedirected('Only an active Owner or Executive Manager can approve.');
  }
  page.location = response.headers['location'] ?? '';
  return response;
}

function approve(world: World, asked: AuthorizationRequest, user: User, time: GrantTime): SandboxResponse {
  const { app, redirect_uri, scopes, challenge, state } = asked;
  const grant = { client_id: app.client_id, user_id: user.id, scopes, redirect_uri, challenge };
  return redirectBack(redirect_uri, { code: issueCode(world, grant, time) }, state);
}

/** Those who may approve: active Owners and Executive Managers of some workspace. */
function listApprovers(world: World): readonly User[] {
  return Object.values(world.users).filter(({ id }) => listManagerRoles(world, id).length > 0);
}

/** Back to the application: its address, to the letter, with the answer and the state added to its query. */
function redirectBack(
  redirect: string,
  answer: Readonly<Record<string, string>>,
  state: string | undefined,
): SandboxResponse {
  const query = new URLSearchParams({ ...answer, ...(state === undefined ? {} : { state }) });
  return redirectTo(`${redirect}${redirect.includes('?') ? '&' : '?'}${query}`);
}

function redirectTo(location: string): SandboxResponse {
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 302, headers, body: '' };
}
