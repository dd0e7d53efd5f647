import { createHash } from 'node:crypto';
import type { SandboxRequest, SandboxResponse } from '../answer.ts';
import { createSecret, findRecord, formatFullName, listManagerRoles } from '../state.ts';
import { type GrantTime, getOAuth } from '../tokens.ts';
import type { OAuthApp, TokenScope, User, World } from '../world.ts';
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

/** An authorization request that a person may approve or deny, as a whole. */
interface AuthorizationRequest {
  readonly app: OAuthApp;
  readonly redirect_uri: string;
  readonly scopes: TokenScope[];
  readonly state: string | undefined;
  readonly challenge: string | null;
}

/** Light and dark are the browser's own; no outside assets. */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem 1rem; background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 0 auto; overflow-wrap: anywhere; }
.ribbon { margin: 0 0 1.5rem; padding: .5rem 1rem; background: Mark; color: MarkText; }
h1 { font-size: 1.375rem; line-height: 1.3; }
h2, legend { padding: 0; font-size: 1rem; font-weight: 600; }
section, fieldset { margin: 1.5rem 0 0; padding: 0; border: 0; min-width: 0; }
.scopes { padding-left: 1.25rem; }
.scopes span, small { display: block; }
.person { display: flex; gap: .75rem; padding: .5rem; cursor: pointer; }
.choice { display: flex; gap: .75rem; margin: 1.5rem 0; }
button { flex: 1; font: inherit; padding: .5rem 1rem; cursor: pointer; }
`;

const SCOPE_WORDS: Readonly<Record<TokenScope, readonly [title: string, detail: string]>> = {
  read: ['See your workspaces', 'Members, projects, tasks, timesheets, leave, expenses and webhooks'],
  write: ['Make changes', 'See, create, change and archive all of it; approve and reject'],
  admin: ['Let the AI assistant approve', 'Sheets, leave and time requests; otherwise as making changes'],
};

/**
 * The page on which a person says who they are, sees what is asked, and approves or denies the whole.
 * @param approvers who may approve
 * @param id stands for this request, and is known to this page alone
 */
function createConsentPage(
  world: World,
  { app, redirect_uri, scopes }: AuthorizationRequest,
  approvers: readonly User[],
  id: string,
): SandboxResponse {
  const people = approvers
    .map((user) => ({ user, roles: listManagerRoles(world, user.id) }))
    .sort((a, b) => Number(isOwner(b.roles)) - Number(isOwner(a.roles)))
    .map(
      ({ user, roles }, index) => html`<label class="person">
<input type="radio" name="member" value="${user.id}" required${asMarkup(index === 0 ? ' checked' : '')}>
<span><b><bdi>${formatFullName(user) || user.email}</bdi></b><small><bdi>${roles.join(', ')}</bdi></small><small><bdi>${user.email}</bdi></small></span>
</label>\n`,
    );
  const who =
    people.length === 0
      ? html`<section><h2>Who you are</h2><p>Nobody in this sandbox can approve. It has no active Owner or Executive Manager.</p></section>`
      : html`<fieldset><legend>Who you are</legend>\n${people}</fieldset>`;
  const asked = scopes.map((scope) => {
    const [title, detail] = SCOPE_WORDS[scope];
    return html`<li><b>${title}</b> <code>${scope}</code><span>${detail}</span></li>\n`;
  });
  const body = html`<h1><bdi>${app.name}</bdi> wants to use the API on your behalf</h1>
<form method="post" action="/oauth/authorize" autocomplete="off">
<input type="hidden" name="request" value="${id}">
<section><h2>It will be able to</h2>
<ul class="scopes">
${asked}</ul>
</section>
${who}
<div class="choice">
${people.length === 0 ? [] : html`<button name="decision" value="approve">Approve</button>\n`}<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
<p>You will return to <code>${redirect_uri}</code></p>`;
  // Browsers apply `form-action` to redirects too.
  return createCard(200, `Approve ${app.name}`, body, `'self' ${new URL(redirect_uri).origin}`);
}

function isOwner(roles: readonly string[]): boolean {
  return roles.some((role) => role.startsWith('Owner '));
}

/** A page that says what is wrong, where nothing else can be done. */
function createProblemPage(status: number, reason: string): SandboxResponse {
  const body = html`<h1>Authorization failed</h1>
<p>${reason}</p>
<p>Nothing was approved. Register an application with <code>ttctl sandbox app create</code>.</p>`;
  return createCard(status, 'Authorization failed', body, "'none'");
}

type Markup = { readonly markup: string };

/** What would not be seen, or would steer the order of other text, becomes a visible replacement character. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

function html(
  literals: TemplateStringsArray,
  ...parts: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  const texts = parts.map((part) => {
    if (typeof part !== 'object')
      return String(part)
        .replace(INVISIBLE, '\ufffd')
        .replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
    const pieces = [part].flat().map(({ markup }) => markup);
    return pieces.join('');
  });
  return asMarkup(literals.map((literal, index) => literal + (texts[index] ?? '')).join(''));
}

/** Text of the program itself that needs no escaping: a style sheet. */
function asMarkup(markup: string): Markup {
  return { markup };
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page that is one card. It is not kept, not framed, runs no script, and loads nothing. */
function createCard(status: number, title: string, body: Markup, leadsTo: string): SandboxResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action ${leadsTo}; base-uri 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // With no-referrer a browser would hide the Origin of the form from us.
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
    body: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ttctl sandbox</title>
<link rel="icon" href="data:,">
<style>${asMarkup(STYLE)}</style>
</head>
<body>
<main>
<p class="ribbon"><strong>Sandbox.</strong> Practice data on this machine, not the real service.</p>
${body}
</main>
</body>
</html>
`.markup,
  };
}
