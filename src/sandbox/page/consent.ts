import type { SandboxResponse } from '../exchange.ts';
import type { AuthorizationRequest } from '../oauth/authorize.ts';
import { SCOPE_WORDS } from '../oauth/scopes.ts';
import { findActiveMembership, formatFullName, isManager } from '../state.ts';
import type { TokenScope, User, World } from '../world.ts';
import { createCardResponse } from './frame.ts';
import { asMarkup, html, type Markup } from './html.ts';

/** The page on which a person says who they are, sees what is asked, and approves or denies the whole. */

const TICK = asMarkup(
  '<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="10" cy="10" r="8.25" stroke-width="1.5"/><path d="m6.5 10.3 2.4 2.4 4.6-5.2"/></svg>',
);

/** More than these make a page nobody reads; `--auto-approve` reaches everybody. */
const MOST_SHOWN = 200;

const scopeItem = (scope: TokenScope): Markup => {
  const [title, detail] = SCOPE_WORDS[scope];
  return html`<li>${TICK}<span><b>${title}</b> <code>${scope}</code><span>${detail}</span></span></li>\n`;
};

interface Standing {
  readonly user: User;
  /** `Owner of Lindenhof Studio`. */
  readonly roles: readonly string[];
  readonly owner: boolean;
}

const standingOf = (world: World, user: User): Standing => {
  const managed = Object.values(world.spaces).flatMap((space) => {
    const membership = findActiveMembership(space, user.id);
    return membership !== undefined && isManager(membership.role) ? [{ space, role: membership.role }] : [];
  });
  return {
    user,
    owner: managed.some(({ role }) => role === 'Owner'),
    roles: managed.map(({ space, role }) =>
      role === 'Owner' ? `Owner of ${space.workspace_name}` : `Executive Manager of ${space.workspace_name}`,
    ),
  };
};

const initials = (user: User): string =>
  [user.firstname, user.lastname]
    .map((name) => /\p{L}|\p{N}/u.exec(name)?.[0]?.toLocaleUpperCase() ?? '')
    .join('');

const personRow = ({ user, roles }: Standing, index: number): Markup => html`<label class="person">
<input type="radio" name="member" value="${user.id}" required${asMarkup(index === 0 ? ' checked' : '')}>
<span class="face" aria-hidden="true">${initials(user)}</span>
<span><b><bdi>${formatFullName(user) || user.email}</bdi></b><small><bdi>${roles.join(', ')}</bdi></small><small><bdi>${user.email}</bdi></small></span>
</label>\n`;

const people = (world: World, users: readonly User[]): Markup => {
  if (users.length === 0) {
    return html`<section><h2>Who you are</h2><p>Nobody in this sandbox can approve. It has no active Owner or Executive Manager.</p></section>`;
  }
  const rows = users
    .map((user) => standingOf(world, user))
    .sort((a, b) => Number(b.owner) - Number(a.owner))
    .slice(0, MOST_SHOWN)
    .map(personRow);
  const left = users.length - rows.length;
  const more =
    left > 0
      ? html`<p class="soft">${left} more are not shown. See <code>--auto-approve</code>.</p>`
      : html``;
  return html`<fieldset><legend>Who you are</legend><div class="people">\n${rows}</div>${more}</fieldset>`;
};

/**
 * @param users who may approve
 * @param id stands for this request, and is known to this page alone
 */
export const renderConsentPage = (
  world: World,
  ask: AuthorizationRequest,
  users: readonly User[],
  id: string,
): SandboxResponse => {
  const { app, redirect_uri, scopes } = ask;
  const yes =
    users.length === 0
      ? html``
      : html`<button class="yes" name="decision" value="approve">Approve</button>\n`;
  return createCardResponse(200, {
    title: `Approve ${app.name}`,
    leadsTo: new URL(redirect_uri).origin,
    body: html`<h1><bdi>${app.name}</bdi> wants to use the API on your behalf</h1>
<form method="post" action="/oauth/authorize" autocomplete="off">
<input type="hidden" name="request" value="${id}">
<section><h2>It will be able to</h2>
<ul class="scopes">
${scopes.map(scopeItem)}</ul>
</section>
${people(world, users)}
<div class="choice">
${yes}<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
<p class="back">You will return to <code>${redirect_uri}</code></p>`,
  });
};
