import type { SandboxRequest, SandboxResponse } from '../answer.ts';
import { createSecret, findRecord, listManagerRoles } from '../state.ts';
import { type GrantTime, getOAuth } from '../tokens.ts';
import type { OAuthApp, User, World } from '../world.ts';
import { type AuthorizationRequest, createConsentPage, createProblemPage } from './pages.ts';
import * as oauth from './token.ts';

interface OpenPage {
  readonly world: World;
  readonly authorization: AuthorizationRequest;
  readonly expires_ms: number;
  /** Where the decision led. A second click on the button leads there too. */
  location?: string;
}

/** The pages that are open now, by what stands for each on the page alone. A sandbox that starts again has none. */
export type OAuthPages = Map<string, OpenPage>;

interface AuthorizeOptions extends GrantTime {
  readonly pages?: OAuthPages;
  readonly autoApprove?: string | undefined;
}

/** Shown as a page and never redirected: it is not certain who asks, or where the answer should go. */
class NotRedirected extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.name = 'NotRedirected';
    this.status = status;
  }
}

/**
 * The OAuth2 host of a sandbox: `/oauth/authorize`, the page on which a person approves or denies, and `/oauth/token`.
 * It asks nothing of the API's own limits and dialects.
 */
export function answerOAuth(
  world: World,
  request: SandboxRequest,
  options: AuthorizeOptions,
): SandboxResponse {
  const { method, path } = request;
  if (path === '/oauth/token') return oauth.answerToken(world, request, options);
  try {
    if (path !== '/oauth/authorize') throw new NotRedirected(`There is nothing at ${path}.`, 404);
    if (method === 'GET') return showPage(world, request, options);
    if (method === 'POST') return decide(world, request, options);
    throw new NotRedirected('Open this page with GET.', 405);
  } catch (thrown) {
    if (thrown instanceof NotRedirected) return createProblemPage(thrown.status, thrown.message);
    if (thrown instanceof oauth.OAuthRefused) return createProblemPage(400, thrown.message);
    throw thrown;
  }
}

const PAGE_LIFE_MS = 10 * 60_000;
/** A SHA-256 digest in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

function showPage(world: World, request: SandboxRequest, options: AuthorizeOptions): SandboxResponse {
  const { pages = new Map(), autoApprove, now } = options;
  const sent = oauth.parseParameters(request.query);
  const { app, redirect_uri } = requireClient(world, sent);
  const state = sent.get('state');
  try {
    if (oauth.need(sent, 'response_type') !== 'code')
      throw new oauth.OAuthRefused('unsupported_response_type');
    const scopes = oauth.parseScopes(sent.get('scope'));
    const [challenge = null, method = null] = [sent.get('code_challenge'), sent.get('code_challenge_method')];
    if ((challenge ?? method) !== null && (method !== 'S256' || !CHALLENGE.test(challenge ?? ''))) {
      const reason = 'A code_challenge is 43 base64url characters, with code_challenge_method=S256.';
      throw new oauth.OAuthRefused('invalid_request', reason);
    }
    const authorization = { app, redirect_uri, state, scopes, challenge };
    const approvers = listApprovers(world);
    if (autoApprove !== undefined) {
      const user = approvers.find(({ email }) => email.toLowerCase() === autoApprove.toLowerCase());
      if (user !== undefined) return approve(world, authorization, user, options);
      const reason = `--auto-approve names ${autoApprove}, who is not an Owner or Executive Manager here.`;
      throw new oauth.OAuthRefused('server_error', reason);
    }
    for (const [id, { expires_ms }] of pages) if (now >= expires_ms) pages.delete(id);
    const id = createSecret(options.random, 43);
    pages.set(id, { world, authorization, expires_ms: now + PAGE_LIFE_MS });
    return createConsentPage(world, authorization, approvers, id);
  } catch (thrown) {
    if (thrown instanceof oauth.OAuthRefused) return redirectBack(redirect_uri, thrown.answer, state);
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
function decide(world: World, request: SandboxRequest, options: AuthorizeOptions): SandboxResponse {
  // Another site's page may show a form to us; a browser then says where it came from.
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if ((origin !== undefined && origin !== `http://${host}`) || site !== 'same-origin')
    throw new NotRedirected('The form was sent from another site.');
  const form = oauth.parseForm(request);
  const page = options.pages?.get(form?.get('request') ?? '');
  if (form === undefined || page === undefined || options.now >= page.expires_ms || page.world !== world)
    throw new NotRedirected('This page has expired or is not valid. Start the sign-in again.');
  if (page.location !== undefined) return redirectTo(page.location);
  const { authorization } = page;
  const decision = form.get('decision');
  const user = listApprovers(world).find(({ id }) => String(id) === form.get('member'));
  let response: SandboxResponse;
  if (decision === 'deny') {
    const { answer } = new oauth.OAuthRefused('access_denied');
    response = redirectBack(authorization.redirect_uri, answer, authorization.state);
  } else if (decision === 'approve' && user !== undefined) {
    response = approve(world, authorization, user, options);
  } else {
    throw new NotRedirected('Only an active Owner or Executive Manager can approve.');
  }
  page.location = response.headers['location'] ?? '';
  return response;
}

function approve(world: World, asked: AuthorizationRequest, user: User, time: GrantTime): SandboxResponse {
  const { app, redirect_uri, scopes, challenge, state } = asked;
  const grant = { client_id: app.client_id, user_id: user.id, scopes, redirect_uri, challenge };
  return redirectBack(redirect_uri, { code: oauth.issueCode(world, grant, time) }, state);
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
