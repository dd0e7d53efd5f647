import type { SandboxRequest, SandboxResponse } from '../answer.ts';
import type { LogEntry } from '../app.ts';
import { answerWithFault, describeFault, getSeenStatus, refuseAsOAuth, takeFault } from '../faults.ts';
import { createSecret, findRecord, findUserByEmail, managesSomewhere } from '../state.ts';
import { findApp, type GrantTime } from '../tokens.ts';
import type { OAuthApp, User, World } from '../world.ts';
import { createConsentPage, createProblemPage } from './pages.ts';
import {
  type AuthorizationRequest,
  answerToken,
  issueCode,
  OAuthParameters,
  OAuthRefused,
  parseForm,
  parseScopeParameter,
} from './token.ts';

/**
 * The OAuth2 host of a sandbox, as a function of one request: `/oauth/authorize` and `/oauth/token` on the root
 * of the server. It changes `world` in place, and asks nothing of the API's own limits and dialects.
 */
export function answerOAuth(
  world: World,
  request: SandboxRequest,
  time: GrantTime,
  options: AuthorizeOptions,
): { readonly response: SandboxResponse; readonly entry: LogEntry; readonly changed: 'state' | false } {
  const route = `${request.method} ${request.path}`;
  const work = (): SandboxResponse => {
    if (request.path === '/oauth/token') return answerToken(world, request, time);
    if (request.path === '/oauth/authorize') return answerAuthorize(world, request, time, options);
    return createProblemPage(404, 'There is nothing here.', [['Path', request.path]]);
  };
  const fault = takeFault(world, route);
  const response = fault === undefined ? work() : answerWithFault(fault, work, refuseAsOAuth);
  const entry: LogEntry = {
    ...{ request, route, member: undefined, remaining: undefined, unread: [], at_ms: time.now },
    status: getSeenStatus(response),
    fault: fault && describeFault(fault),
  };
  // A code is in a redirect; whatever came to the token address was counted.
  const isChange = response.status === 302 || request.method === 'POST' || response.fault !== undefined;
  return { response, entry, changed: isChange && 'state' };
}

/** GET and POST /oauth/authorize: the page on which a person approves or denies (docs/service.md, OAuth2). */

interface OpenPage {
  readonly world: World;
  readonly authorization: AuthorizationRequest;
  readonly expires_ms: number;
  /** Where the decision led. A second click on the button leads there too. */
  location?: string;
}

/** The pages that are open now, by what stands for each on the page alone. A sandbox that starts again has none. */
export type OAuthPages = Map<string, OpenPage>;

export interface AuthorizeOptions {
  readonly pages: OAuthPages;
  /** E-mail address of who approves every request at once, with no page. */
  readonly autoApprove?: string | undefined;
}

/** Shown as a page and never redirected: it is not certain who asks, or where the answer should go. */
class NotRedirected extends Error {
  readonly facts: readonly (readonly [name: string, value: string])[];

  constructor(message: string, facts: NotRedirected['facts'] = []) {
    super(message);
    this.name = 'NotRedirected';
    this.facts = facts;
  }
}

/** `world` gets a code where something is approved. */
export function answerAuthorize(
  world: World,
  request: SandboxRequest,
  time: GrantTime,
  options: AuthorizeOptions,
): SandboxResponse {
  try {
    if (request.method === 'GET') return showPage(world, request, time, options);
    if (request.method === 'POST') return decide(world, request, time, options.pages);
    return createProblemPage(405, 'Open this page with GET.', []);
  } catch (thrown) {
    if (thrown instanceof NotRedirected) return createProblemPage(400, thrown.message, thrown.facts);
    throw thrown;
  }
}

const PAGE_LIFE_MS = 10 * 60_000;
const MAX_PAGES = 1000;

function showPage(
  world: World,
  request: SandboxRequest,
  time: GrantTime,
  { pages, autoApprove }: AuthorizeOptions,
): SandboxResponse {
  const parameters = new OAuthParameters(request.query);
  const { app, redirect_uri } = requireOrigin(world, parameters);
  const refuse = (refused: OAuthRefused, state: string | undefined) =>
    createRedirect(redirect_uri, refused.answer, state);
  let authorization: AuthorizationRequest;
  try {
    authorization = { app, redirect_uri, ...readRequest(parameters) };
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefused)) throw thrown;
    return refuse(thrown, readState(parameters));
  }
  const approvers = listApprovers(world);
  if (autoApprove !== undefined) {
    const user = findUserByEmail(world, autoApprove);
    if (user !== undefined && approvers.includes(user)) return approve(world, authorization, user, time);
    const reason = `--auto-approve names ${autoApprove}, who is not an Owner or Executive Manager here.`;
    return refuse(new OAuthRefused('server_error', reason), authorization.state);
  }
  for (const [id, { expires_ms }] of pages) if (time.now >= expires_ms) pages.delete(id);
  const [oldest] = pages.keys();
  if (pages.size >= MAX_PAGES && oldest !== undefined) pages.delete(oldest);
  const id = createSecret(time.random, 43);
  pages.set(id, { world, authorization, expires_ms: time.now + PAGE_LIFE_MS });
  return createConsentPage(world, authorization, approvers, id);
}

/** The decision of a person. @throws NotRedirected for none, and for who may not approve */
function decide(world: World, request: SandboxRequest, time: GrantTime, pages: OAuthPages): SandboxResponse {
  requireSameOrigin(request);
  const form = parseForm(request) ?? new URLSearchParams();
  const page = pages.get(form.get('request') ?? '');
  if (page === undefined || time.now >= page.expires_ms || page.world !== world)
    throw new NotRedirected('This page has expired or is not valid. Start the sign-in again.');
  page.location ??= applyDecision(world, page.authorization, form, time).headers['location'] ?? '';
  return redirectTo(page.location);
}

function applyDecision(
  world: World,
  authorization: AuthorizationRequest,
  form: URLSearchParams,
  time: GrantTime,
): SandboxResponse {
  const decision = form.get('decision');
  if (decision === 'deny') {
    const { answer } = new OAuthRefused('access_denied', 'The resource owner denied the request.');
    return createRedirect(authorization.redirect_uri, answer, authorization.state);
  }
  const user = findRecord(world.users, form.get('member') ?? '');
  if (decision === 'approve' && user !== undefined && listApprovers(world).includes(user))
    return approve(world, authorization, user, time);
  throw new NotRedirected('Only an active Owner or Executive Manager can approve.');
}

function approve(world: World, asked: AuthorizationRequest, user: User, time: GrantTime): SandboxResponse {
  const { app, redirect_uri, scopes, challenge, state } = asked;
  const grant = { client_id: app.client_id, user_id: user.id, scopes: [...scopes] };
  return createRedirect(
    redirect_uri,
    { code: issueCode(world, { ...grant, redirect_uri, challenge }, time) },
    state,
  );
}

/** Another site's page may show a form to us; a browser then says where it came from. @throws NotRedirected */
function requireSameOrigin({ headers }: SandboxRequest): void {
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = headers;
  const isForeign = (origin !== undefined && origin !== `http://${host}`) || site !== 'same-origin';
  if (isForeign) throw new NotRedirected('The form was sent from another site.');
}

/** Those who may approve: active Owners and Executive Managers of some workspace. */
function listApprovers(world: World): readonly User[] {
  const ids = Object.values(world.spaces).flatMap((workspace) => Object.keys(workspace.members));
  return [...new Set(ids)].flatMap((id) => {
    const user = findRecord(world.users, id);
    return user !== undefined && managesSomewhere(world, user.id) ? [user] : [];
  });
}

/** Who asks, and where the answer goes. @throws NotRedirected */
function requireOrigin(world: World, parameters: OAuthParameters): { app: OAuthApp; redirect_uri: string } {
  const [client, redirect] = [readOnce(parameters, 'client_id'), readOnce(parameters, 'redirect_uri')];
  if (client === undefined) throw new NotRedirected('The address names no client_id.');
  const app = findApp(world, client);
  if (app === undefined)
    throw new NotRedirected('No application has this client_id.', [['client_id', client]]);
  if (app.grant !== 'authorization-code' || app.redirect_uri === null) {
    throw new NotRedirected('This application is registered for client credentials: it needs no approval.', [
      ['client_id', app.client_id],
    ]);
  }
  if (redirect !== app.redirect_uri) {
    throw new NotRedirected('The redirect_uri is not the registered one. They must match exactly.', [
      ['Sent', redirect ?? 'nothing'],
      ['Registered', app.redirect_uri],
    ]);
  }
  return { app, redirect_uri: redirect };
}

function readOnce(parameters: OAuthParameters, name: string): string | undefined {
  try {
    return parameters.maybe(name);
  } catch {
    throw new NotRedirected(`The address has ${name} more than once.`);
  }
}

/** A SHA-256 digest in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** @throws OAuthRefused */
function readRequest(
  parameters: OAuthParameters,
): Pick<AuthorizationRequest, 'state' | 'scopes' | 'challenge'> {
  const state = parameters.maybe('state');
  if (parameters.need('response_type') !== 'code')
    throw new OAuthRefused('unsupported_response_type', 'The only response_type is code.');
  const scopes = parseScopeParameter(parameters.maybe('scope'));
  const [challenge, method] = [parameters.maybe('code_challenge'), parameters.maybe('code_challenge_method')];
  if (challenge === undefined && method === undefined) return { state, scopes, challenge: null };
  if (method === 'S256' && challenge !== undefined && CHALLENGE.test(challenge))
    return { state, scopes, challenge };
  const reason = 'A code_challenge is 43 base64url characters, with code_challenge_method=S256.';
  throw new OAuthRefused('invalid_request', reason);
}

function readState(parameters: OAuthParameters): string | undefined {
  try {
    return parameters.maybe('state');
  } catch {
    return undefined;
  }
}

/** Back to the application: its address, to the letter, with the answer and the state added to its query. */
function createRedirect(
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
