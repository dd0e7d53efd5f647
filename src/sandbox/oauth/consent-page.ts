import type { SandboxResponse } from '../exchange.ts';
import { findActiveMembership, formatFullName, isManager } from '../state.ts';
import type { TokenScope, User, World } from '../world.ts';
import type { AuthorizationRequest } from './authorize.ts';
import { asMarkup, createCardResponse, html, type Markup } from './pages.ts';
import { SCOPE_WORDS } from './scopes.ts';

/** The page on which a person says who they are, sees what is asked, and approves or denies the whole. */

const TICK_ICON = asMarkup(
  '<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="10" cy="10" r="8.25" stroke-width="1.5"/><path d="m6.5 10.3 2.4 2.4 4.6-5.2"/></svg>',
);

/** More than these make a page nobody reads; `--auto-approve` reaches everybody. */
const MAX_SHOWN = 200;

const renderScope = (scope: TokenScope): Markup => {
  const [title, detail] = SCOPE_WORDS[scope];
  return html`<li>${TICK_ICON}<span><b>${title}</b> <code>${scope}</code><span>${detail}</span></span></li>\n`;
};

interface Approver {
  readonly user: User;
  /** `Owner of Lindenhof Studio`. */
  readonly roles: readonly string[];
  readonly isOwner: boolean;
}

const toApprover = (world: World, user: User): Approver => {
  const memberships = Object.values(world.spaces).flatMap((workspace) => {
    const membership = findActiveMembership(workspace, user.id);
    return membership !== undefined && isManager(membership.role)
      ? [{ workspace, role: membership.role }]
      : [];
  });
  return {
    user,
    isOwner: memberships.some(({ role }) => role === 'Owner'),
    roles: memberships.map(({ workspace, role }) =>
      role === 'Owner'
        ? `Owner of ${workspace.workspace_name}`
        : `Executive Manager of ${workspace.workspace_name}`,
    ),
  };
};

const getInitials = (user: User): string =>
  [user.firstname, user.lastname]
    .map((name) => /\p{L}|\p{N}/u.exec(name)?.[0]?.toLocaleUpperCase() ?? '')
    .join('');

const renderApprover = ({ user, roles }: Approver, index: number): Markup => html`<label class="person">
<input type="radio" name="member" value="${user.id}" required${asMarkup(index === 0 ? ' checked' : '')}>
<span class="face" aria-hidden="true">${getInitials(user)}</span>
<span><b><bdi>${formatFullName(user) || user.email}</bdi></b><small><bdi>${roles.join(', ')}</bdi></small><small><bdi>${user.email}</bdi></small></span>
</label>\n`;

const renderApprovers = (world: World, users: readonly User[]): Markup => {
  if (users.length === 0) {
    return html`<section><h2>Who you are</h2><p>Nobody in this sandbox can approve. It has no active Owner or Executive Manager.</p></section>`;
  }
  const rows = users
    .map((user) => toApprover(world, user))
    .sort((a, b) => Number(b.isOwner) - Number(a.isOwner))
    .slice(0, MAX_SHOWN)
    .map(renderApprover);
  const hiddenCount = users.length - rows.length;
  const note =
    hiddenCount > 0
      ? html`<p class="soft">${hiddenCount} more are not shown. See <code>--auto-approve</code>.</p>`
      : html``;
  return html`<fieldset><legend>Who you are</legend><div class="people">\n${rows}</div>${note}</fieldset>`;
};

/**
 * @param users who may approve
 * @param id stands for this request, and is known to this page alone
 */
export const renderConsentPage = (
  world: World,
  authorization: AuthorizationRequest,
  users: readonly User[],
  id: string,
): SandboxResponse => {
  const { app, redirect_uri, scopes } = authorization;
  const approveButton =
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
${scopes.map(renderScope)}</ul>
</section>
${renderApprovers(world, users)}
<div class="choice">
${approveButton}<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
<p class="back">You will return to <code>${redirect_uri}</code></p>`,
  });
};
