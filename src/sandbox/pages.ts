import { createHash } from 'node:crypto';
import type { SandboxResponse } from './answer.ts';
import { formatFullName, listManagerRoles } from './state.ts';
import type { OAuthApp, TokenScope, User, World } from './world.ts';

/** An authorization request that a person may approve or deny, as a whole. */
export interface AuthorizationRequest {
  readonly app: OAuthApp;
  readonly redirect_uri: string;
  readonly scopes: TokenScope[];
  readonly state: string | undefined;
  readonly challenge: string | null;
}

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
  admin: ['Let the AI assistant approve', 'Timesheets, leave and time requests; otherwise as making changes'],
};

/** Where a person says who they are, and approves or denies the whole. @param id stands for this request, here alone */
export function createConsentPage(
  world: World,
  { app, redirect_uri, scopes }: AuthorizationRequest,
  approvers: readonly User[],
  id: string,
): SandboxResponse {
  const people = approvers
    .map((user) => ({ user, roles: listManagerRoles(world, user.id) }))
    .sort((a, b) => Number(b.roles.join().includes('Owner ')) - Number(a.roles.join().includes('Owner ')))
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

export function createProblemPage(status: number, reason: string): SandboxResponse {
  const body = html`<h1>Authorization failed</h1>
<p>${reason}</p>
<p>Nothing was approved. Register an application with <code>ttctl sandbox app create</code>.</p>`;
  return createCard(status, 'Authorization failed', body, "'none'");
}

type Markup = { readonly markup: string };

function html(
  literals: TemplateStringsArray,
  ...parts: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  const texts = parts.map((part) => {
    if (typeof part !== 'object')
      return String(part).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
    const pieces = [part].flat().map(({ markup }) => markup);
    return pieces.join('');
  });
  return asMarkup(literals.map((literal, index) => literal + (texts[index] ?? '')).join(''));
}

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
