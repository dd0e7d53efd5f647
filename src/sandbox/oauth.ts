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

/** An OAuth2 request that is not granted (docs/service.md, OAuth2). @param error of RFC 6749, sections 4.1.2.1 and 5.2 */
class OAuthRefused extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
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
      if (path !== '/oauth/authorize') throw refuse(`There is nothing at ${path}.`, 404);
      if (method === 'GET') return showPage(world, request, time, pages, autoApprove);
      if (method === 'POST') return decide(world, request, time, pages);
      throw refuse('Open this page with GET.', 405);
    } catch (thrown) {
      if (thrown instanceof OAuthRefused) return createProblemPage(thrown.status, thrown.message);
      throw thrown;
    }
  };
}

function refuse(description: string, status?: number): OAuthRefused {
  return new OAuthRefused('invalid_request', description, status);
}

function answerToken(world: World, request: SandboxRequest, time: GrantTime): SandboxResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };
  try {
    if (request.method !== 'POST') throw refuse('Request tokens with POST', 405);
    return { status: 200, headers, body: JSON.stringify(grantToken(world, request, time)) };
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefused)) throw thrown;
    const { error, status, message: error_description } = thrown;
    const isBasic = status === 401 && request.headers.authorization !== undefined;
    const more = { ...(status === 405 && { allow: 'POST' }), ...(isBasic && BASIC) };
    return { status, headers: { ...headers, ...more }, body: JSON.stringify({ error, error_description }) };
  }
}

const BASIC = { 'www-authenticate': 'Basic realm="sandbox"' };

const GRANTS: Readonly<Record<string, OAuthApp['grant']>> = {
  authorization_code: 'authorization-code',
  refresh_token: 'authorization-code',
  client_credentials: 'client-credentials',
};

function grantToken(world: World, request: SandboxRequest, time: GrantTime): object {
  const sent = parseForm(request);
  const type = need(sent, 'grant_type');
  if (!Object.hasOwn(GRANTS, type))
    throw new OAuthRefused('unsupported_grant_type', `Known: ${Object.keys(GRANTS).join(', ')}`);
  const { codes, refresh_tokens } = getOAuth(world);
  const app = authenticate(world, request, sent);
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
    const verifier = sent.get('code_verifier');
    if (stored.challenge === null && verifier !== undefined)
      throw new OAuthRefused('invalid_grant', 'No code_challenge was sent for this code');
    if (stored.challenge !== null && !proves(verifier, stored.challenge))
      throw new OAuthRefused('invalid_grant', 'Failed to verify `code_verifier`');
    stored.spent = true;
    return issuePair(world, app, stored, stored.scopes, time);
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
  return issuePair(world, app, stored, scopes, time);
}

function proves(verifier = '', challenge: string): boolean {
  return (
    /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && isSame(hash(verifier).toString('base64url'), challenge)
  );
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other));
}

/** The application that authenticates itself; what stands in the body wins over Basic, field by field. @throws OAuthRefused */
function authenticate(
  world: World,
  { headers }: SandboxRequest,
  sent: ReadonlyMap<string, string>,
): OAuthApp {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const [, ...parts] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  // Both are form-encoded within (RFC 6749, section 2.3.1).
  const [id = '', secret = ''] = parts.map(
    (part) => new URLSearchParams(`_=${part.replaceAll('&', '%26')}`).get('_') ?? '',
  );
  const app = findRecord(getOAuth(world).apps, sent.get('client_id') ?? id);
  if (app !== undefined && isSame(sent.get('client_secret') ?? secret, app.client_secret)) return app;
  throw new OAuthRefused('invalid_client', 'Client authentication failed', 401);
}

function requireUsable<T extends OAuthCode | RefreshToken>(
  stored: T | undefined,
  app: OAuthApp,
  now: number,
  kind: string,
): T {
  let problem: string | undefined;
  if (stored === undefined || stored.client_id !== app.client_id) problem = 'is not valid';
  else if (stored.spent) problem = 'has been used already';
  else if (now >= stored.expires_ms) problem = 'has expired';
  if (stored !== undefined && problem === undefined) return stored;
  throw new OAuthRefused('invalid_grant', `The ${kind} ${problem}`);
}

/** Assumed: what the usual framework allows. */
const CODE_LIFE_MS = 10 * 60_000;
/** As documented (docs/service.md, Limits). */
const REFRESH_LIFE_MS = 30 * 24 * 3_600_000;
const ACCESS_LIFE_SECONDS = 1_296_000;

function issuePair(
  world: World,
  app: OAuthApp,
  { user_id }: OAuthCode | RefreshToken,
  scopes: TokenScope[],
  time: GrantTime,
) {
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
    if (parameters.has(name)) throw refuse(`Check the \`${name}\` parameter`);
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

function need(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw refuse(`Check the \`${name}\` parameter`);
  return value;
}

function parseForm({ headers, body }: SandboxRequest): Map<string, string> {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return parseParameters(new URLSearchParams(body));
  throw refuse('Send application/x-www-form-urlencoded');
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
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

function showPage(
  world: World,
  request: SandboxRequest,
  time: GrantTime,
  pages: Pages,
  autoApprove: string | undefined,
): SandboxResponse {
  const sent = parseParameters(request.query);
  const [client = 'nothing', redirect = 'nothing'] = [sent.get('client_id'), sent.get('redirect_uri')];
  const app = findRecord(getOAuth(world).apps, client);
  // Shown as a page: it is not certain who asks, or where the answer should go.
  if (app === undefined) throw refuse(`No application has the client_id ${client}.`);
  const { redirect_uri } = app;
  if (redirect_uri === null)
    throw refuse('This application is registered for client credentials: it needs no approval.');
  if (redirect !== redirect_uri)
    throw refuse(
      `The redirect_uri ${redirect} is not the registered one, ${redirect_uri}. They must match exactly.`,
    );
  const state = sent.get('state');
  try {
    if (need(sent, 'response_type') !== 'code')
      throw new OAuthRefused('unsupported_response_type', 'The only response_type is code');
    const scopes = parseScopes(sent.get('scope'));
    const [challenge = null, method = null] = [sent.get('code_challenge'), sent.get('code_challenge_method')];
    if ((challenge ?? method) !== null && (method !== 'S256' || !CHALLENGE.test(challenge ?? '')))
      throw refuse('A code_challenge is 43 base64url characters, with code_challenge_method=S256.');
    const authorization = { app, redirect_uri, state, scopes, challenge };
    const approvers = listApprovers(world);
    if (autoApprove !== undefined) {
      const user = approvers.find(({ email }) => email.toLowerCase() === autoApprove.toLowerCase());
      if (user !== undefined) return approve(world, authorization, user, time);
      const reason = `--auto-approve names ${autoApprove}, who is not an Owner or Executive Manager here.`;
      throw new OAuthRefused('server_error', reason);
    }
    for (const [id, { expires_ms }] of pages) if (time.now >= expires_ms) pages.delete(id);
    const id = createSecret(time.random, 43);
    pages.set(id, { world, authorization, expires_ms: time.now + PAGE_LIFE_MS });
    return createConsentPage(world, authorization, approvers, id);
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefused)) throw thrown;
    return redirectBack(redirect_uri, { error: thrown.error, error_description: thrown.message }, state);
  }
}

function decide(world: World, request: SandboxRequest, time: GrantTime, pages: Pages): SandboxResponse {
  // Another site's page may show a form to us; a browser then says where it came from.
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if ((origin !== undefined && origin !== `http://${host}`) || site !== 'same-origin')
    throw refuse('The form was sent from another site.');
  const form = parseForm(request);
  const page = pages.get(form.get('request') ?? '');
  if (page === undefined || time.now >= page.expires_ms || page.world !== world)
    throw refuse('This page has expired or is not valid. Start the sign-in again.');
  const { redirect_uri, state } = page.authorization;
  const user = listApprovers(world).find(({ id }) => String(id) === form.get('member'));
  let response: SandboxResponse;
  if (page.location !== undefined) response = redirectTo(page.location);
  else if (form.get('decision') === 'deny') {
    const answer = { error: 'access_denied', error_description: 'The resource owner denied the request.' };
    response = redirectBack(redirect_uri, answer, state);
  } else if (form.get('decision') === 'approve' && user !== undefined) {
    response = approve(world, page.authorization, user, time);
  } else throw refuse('Only an active Owner or Executive Manager can approve.');
  page.location = response.headers.location ?? '';
  return response;
}

function approve(world: World, asked: AuthorizationRequest, user: User, time: GrantTime): SandboxResponse {
  const { app, redirect_uri, scopes, challenge, state } = asked;
  const code = `sbx_code_${createSecret(time.random, 43)}`;
  getOAuth(world).codes[code] = {
    ...{ client_id: app.client_id, user_id: user.id, scopes, redirect_uri, challenge },
    ...{ expires_ms: time.now + CODE_LIFE_MS, spent: false },
  };
  return redirectBack(redirect_uri, { code }, state);
}

function listApprovers(world: World): readonly User[] {
  return Object.values(world.users).filter(({ id }) => listManagerRoles(world, id).length > 0);
}

/** Back to the application: its address, to the letter, with the answer and the state added to its query. */
function redirectBack(redirect: string, answer: Readonly<Record<string, string>>, state: string | undefined) {
  const query = new URLSearchParams({ ...answer, ...(state === undefined ? {} : { state }) });
  return redirectTo(`${redirect}${redirect.includes('?') ? '&' : '?'}${query}`);
}

function redirectTo(location: string): SandboxResponse {
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 302, headers, body: '' };
}
