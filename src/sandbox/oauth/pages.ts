import { createHash } from 'node:crypto';
import type { SandboxResponse } from '../answer.ts';
import { findActiveMembership, formatFullName, isManager } from '../state.ts';
import type { TokenScope, User, World } from '../world.ts';
import type { AuthorizationRequest } from './token.ts';

/** The look of the pages, light and dark: one style sheet, no outside assets. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f1ec; --card: #fffefb; --line: #dfdad0; --field: #8d8778;
  --ink: #1d2329; --soft: #5b6169; --accent: #0b6b62; --on-accent: #ffffff;
  --wash: #e6f1ee; --warn: #8a4b08; --warn-wash: #fbefdc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101418; --card: #181e24; --line: #2c353e; --field: #75818c;
    --ink: #e8eaec; --soft: #a3adb6; --accent: #63cfc0; --on-accent: #06201d;
    --wash: #17302f; --warn: #f0b562; --warn-wash: #33270f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; padding: 2.5rem 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  display: flex; flex-direction: column; align-items: center; justify-content: center;
}
main {
  width: 100%; max-width: 30rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 1rem; overflow: hidden; box-shadow: 0 1px 2px #0000000d, 0 12px 32px -16px #00000033;
}
.ribbon {
  margin: 0; padding: .55rem 1.75rem; background: var(--warn-wash); color: var(--warn); font-size: .8125rem;
}
.inside { padding: 1.5rem 1.75rem 1.75rem; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2, legend { margin: 0 0 .625rem; padding: 0; font-size: .8125rem; font-weight: 600; color: var(--soft); }
p { margin: .5rem 0 0; }
.soft { color: var(--soft); }
bdi, code, .name, dd { overflow-wrap: anywhere; }
code { font: .8125rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
section, fieldset { margin: 1.5rem 0 0; padding: 0; border: 0; min-width: 0; }
.scopes { margin: 0; padding: 0; list-style: none; display: grid; gap: .75rem; }
.scopes li { display: grid; grid-template-columns: 1.25rem 1fr; gap: .75rem; align-items: start; }
.scopes svg { width: 1.25rem; height: 1.25rem; margin-top: .125rem; color: var(--accent); }
.scopes b, .person b { font-weight: 600; }
.scopes span span, .person small { display: block; font-size: .875rem; line-height: 1.4; color: var(--soft); }
.people { border: 1px solid var(--line); border-radius: .75rem; max-height: 23.75rem; overflow: auto; }
.person {
  display: grid; grid-template-columns: auto 2.25rem 1fr; gap: .75rem; align-items: center;
  padding: .7rem .9rem; cursor: pointer;
}
.person + .person { border-top: 1px solid var(--line); }
.person:hover { background: color-mix(in srgb, var(--wash) 55%, transparent); }
.person:has(:checked) { background: var(--wash); }
.person input { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); }
.face {
  width: 2.25rem; height: 2.25rem; border-radius: 50%; display: grid; place-items: center;
  background: var(--ground); border: 1px solid var(--line); color: var(--soft); font-size: .8125rem; font-weight: 600;
}
.person:has(:checked) .face { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.choice { display: flex; gap: .75rem; margin-top: 1.5rem; }
button {
  flex: 1; font: inherit; font-weight: 600; padding: .7rem 1rem; border-radius: .625rem; cursor: pointer;
  border: 1px solid var(--field); background: transparent; color: var(--ink);
}
button:hover { background: var(--ground); }
button.yes { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.yes:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 55%, transparent); outline-offset: 2px; }
.person:has(:focus-visible) { outline: 3px solid color-mix(in srgb, var(--accent) 55%, transparent); outline-offset: -3px; }
.person input:focus-visible { outline: none; }
.back { margin-top: 1rem; font-size: .8125rem; color: var(--soft); text-align: center; }
dl { margin: 1.25rem 0; padding: .9rem 1rem; background: var(--ground); border-radius: .75rem; }
dt { font-size: .8125rem; font-weight: 600; color: var(--soft); }
dt + dd, dd { margin: 0 0 .75rem; }
dd:last-child { margin-bottom: 0; }
@media (max-width: 30rem) {
  body { padding: 0; justify-content: flex-start; }
  main { border: 0; border-radius: 0; box-shadow: none; min-height: 100vh; }
  .inside, .ribbon { padding-left: 1.25rem; padding-right: 1.25rem; }
}
`;

/** The pages of the OAuth2 host: HTML that is put together safely, and headers that keep everything else out. */

/** The scopes, in words. */
const SCOPE_WORDS: Readonly<Record<TokenScope, readonly [title: string, detail: string]>> = {
  read: ['See your workspaces', 'Members, projects, tasks, timesheets, leave, expenses and webhooks'],
  write: ['Make changes', 'See, create, change and archive all of it; approve and reject'],
  admin: [
    'Let the AI assistant approve',
    'Timesheets, leave requests and time requests; otherwise the same as making changes',
  ],
};

/**
 * The page on which a person says who they are, sees what is asked, and approves or denies the whole.
 * @param approvers who may approve
 * @param id stands for this request, and is known to this page alone
 */
export function createConsentPage(
  world: World,
  { app, redirect_uri, scopes }: AuthorizationRequest,
  approvers: readonly User[],
  id: string,
): SandboxResponse {
  const button = html`<button class="yes" name="decision" value="approve">Approve</button>\n`;
  return createCard(200, {
    title: `Approve ${app.name}`,
    leadsTo: new URL(redirect_uri).origin,
    body: html`<h1><bdi>${app.name}</bdi> wants to use the API on your behalf</h1>
<form method="post" action="/oauth/authorize" autocomplete="off">
<input type="hidden" name="request" value="${id}">
<section><h2>It will be able to</h2>
<ul class="scopes">
${scopes.map(renderScope)}</ul>
</section>
${renderApprovers(world, approvers)}
<div class="choice">
${approvers.length === 0 ? html`` : button}<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
<p class="back">You will return to <code>${redirect_uri}</code></p>`,
  });
}

/**
 * A page that says what is wrong, where nothing else can be done.
 * @param facts what was sent and what was expected, shown as they are
 */
export function createProblemPage(
  status: number,
  reason: string,
  facts: readonly (readonly [name: string, value: string])[],
): SandboxResponse {
  const rows = facts.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`);
  const list = rows.length === 0 ? html`` : html`<dl>${rows}</dl>`;
  return createCard(status, {
    title: 'Authorization failed',
    body: html`<h1>Authorization failed</h1>
<p>${reason}</p>
${list}
<p class="soft">Nothing was approved. List the applications with <code>ttctl sandbox app list</code>.</p>`,
  });
}

function renderScope(scope: TokenScope): Markup {
  const [title, detail] = SCOPE_WORDS[scope];
  return html`<li>${TICK_ICON}<span><b>${title}</b> <code>${scope}</code><span>${detail}</span></span></li>\n`;
}

function renderApprovers(world: World, users: readonly User[]): Markup {
  if (users.length === 0) {
    return html`<section><h2>Who you are</h2><p>Nobody in this sandbox can approve. It has no active Owner or Executive Manager.</p></section>`;
  }
  const rows = users
    .map((user) => ({ user, roles: listRoles(world, user) }))
    .sort((a, b) => Number(hasOwner(b.roles)) - Number(hasOwner(a.roles)))
    .map(({ user, roles }, index) => {
      const isChecked = asMarkup(index === 0 ? ' checked' : '');
      return html`<label class="person">
<input type="radio" name="member" value="${user.id}" required${isChecked}>
<span class="face" aria-hidden="true">${getInitials(user)}</span>
<span><b><bdi>${formatFullName(user) || user.email}</bdi></b><small><bdi>${roles.join(', ')}</bdi></small><small><bdi>${user.email}</bdi></small></span>
</label>\n`;
    });
  return html`<fieldset><legend>Who you are</legend><div class="people">\n${rows}</div></fieldset>`;
}

/** `Owner of Lindenhof Studio` */
function listRoles(world: World, user: User): readonly string[] {
  return Object.values(world.spaces).flatMap((workspace) => {
    const role = findActiveMembership(workspace, user.id)?.role;
    if (role === undefined || !isManager(role)) return [];
    return `${role === 'Owner' ? role : 'Executive Manager'} of ${workspace.workspace_name}`;
  });
}

function hasOwner(roles: readonly string[]): boolean {
  return roles.some((role) => role.startsWith('Owner '));
}

function getInitials({ firstname, lastname }: User): string {
  const initials = [firstname, lastname].map((name) => /\p{L}|\p{N}/u.exec(name)?.[0] ?? '');
  return initials.join('').toLocaleUpperCase();
}

interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What would not be seen, or would steer the order of other text, becomes a visible replacement character. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

function renderPart(part: Part): string {
  if (typeof part === 'string')
    return part.replace(INVISIBLE, '\ufffd').replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** html`<b>${text}</b>` */
function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return asMarkup(literals.map((literal, index) => literal + renderPart(parts[index] ?? '')).join(''));
}

/** Text of the program itself that needs no escaping: a style sheet. */
function asMarkup(markup: string): Markup {
  return { markup };
}

const TICK_ICON = asMarkup(
  '<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="10" cy="10" r="8.25" stroke-width="1.5"/><path d="m6.5 10.3 2.4 2.4 4.6-5.2"/></svg>',
);

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b6b62%22/%3E%3Cpath d=%22M8 4v4l3 2%22 fill=%22none%22 stroke=%22white%22 stroke-width=%221.6%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

interface CardPage {
  readonly title: string;
  readonly body: Markup;
  /** Origin that a form may lead to after this server; browsers apply `form-action` to redirects too. */
  readonly leadsTo?: string;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page that is one card. It is not kept, not framed, runs no script, and loads nothing. */
function createCard(status: number, { title, body, leadsTo }: CardPage): SandboxResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${STYLE_HASH}'`,
        'img-src data:',
        `form-action ${leadsTo === undefined ? "'none'" : `'self' ${leadsTo}`}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
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
<meta name="robots" content="noindex">
<title>${title} · ttctl sandbox</title>
<link rel="icon" href="${asMarkup(ICON)}">
<style>${asMarkup(STYLE)}</style>
</head>
<body>
<main>
<p class="ribbon"><strong>Sandbox.</strong> Practice data on this machine, not the real service.</p>
<div class="inside">
${body}
</div>
</main>
</body>
</html>
`.markup,
  };
}
