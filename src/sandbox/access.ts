import type { RequestInput } from './input.ts';
import { type Allowance, countRequest, type RequestLimits } from './limits.ts';
import { integerReader } from './read.ts';
import { invalid, Refusal } from './refusal.ts';
import { findActiveMembership, findRecord, isManager, managesSomewhere } from './state.ts';
import { TOKEN_PREFIX } from './tokens.ts';
import type { Membership, Token, User, Workspace, World } from './world.ts';

/** Who may do what, in the order in which a request is checked. */

const ROLE_MESSAGE = 'Only Owners and Executive Managers of the workspace may use the API.';

const createUnauthenticatedRefusal = (reason: string): Refusal =>
  new Refusal(401, `${reason} Send a valid Bearer token.`, { headers: { 'www-authenticate': 'Bearer' } });

/** @throws Refusal (401) for a token that is missing, malformed, foreign, unknown, revoked or expired. */
export const requireToken = (world: World, authorization: string | undefined, now: number): Token => {
  if (authorization === undefined || authorization === '')
    throw createUnauthenticatedRefusal('Unauthenticated.');
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (text === undefined) throw createUnauthenticatedRefusal('The Authorization header is malformed.');
  if (!text.startsWith(TOKEN_PREFIX)) {
    throw createUnauthenticatedRefusal(
      `This is the sandbox: it accepts only its own tokens, which begin with ${TOKEN_PREFIX}.`,
    );
  }
  const token = findRecord(world.tokens, text);
  if (token === undefined || token.revoked) throw createUnauthenticatedRefusal('The token is not valid.');
  if (now >= token.expires_ms) throw createUnauthenticatedRefusal('The token has expired.');
  return token;
};

/** @throws Refusal (429) with `Retry-After`. */
export const requireAllowance = (
  world: World,
  token: Token,
  write: boolean,
  now: number,
  limits: RequestLimits,
): Allowance => {
  const allowance = countRequest(world, token, write, now, limits);
  if (allowance.retryAfter === undefined) return allowance;
  throw new Refusal(429, 'Too Many Attempts.', {
    headers: {
      'retry-after': String(allowance.retryAfter),
      'x-ratelimit-limit': String(allowance.limit),
      'x-ratelimit-remaining': String(allowance.remaining),
    },
  });
};

/** @throws Refusal (403) with both lists of scopes in `meta` (docs/service.md, Scopes). */
export const requireScope = (token: Token, write: boolean): void => {
  const accepted = write ? ['write', 'admin'] : ['read', 'write', 'admin'];
  if (token.scopes.some((scope) => accepted.includes(scope))) return;
  const scopeNames = accepted.join(' or ').replace('read or write', 'read, write');
  throw new Refusal(
    403,
    `This action requires the ${scopeNames} scope. The token was granted: ${token.scopes.join(', ')}.`,
    { meta: { required_scope: accepted, granted_scope: token.scopes } },
  );
};

/** The token's user, who must manage some workspace. @throws Refusal (403). */
export const requireUser = (world: World, token: Token): User => {
  const user = findRecord(world.users, token.user_id);
  if (user === undefined || !managesSomewhere(world, user.id)) throw new Refusal(403, ROLE_MESSAGE);
  return user;
};

/**
 * The workspace that the request names, where the route takes it from.
 * @throws Refusal (400) for none, (403) for another's
 */
export const requireWorkspace = (
  world: World,
  input: RequestInput,
  user: User,
  location?: 'body',
): Workspace => {
  const id =
    location === 'body'
      ? input.maybe('workspace_id', integerReader())
      : input.either('workspace_id', integerReader());
  if (id === undefined) {
    const suffix = location === 'body' ? ' in the body' : '';
    throw invalid('workspace_id', `The workspace_id field is required${suffix}.`);
  }
  const workspace = findRecord(world.spaces, id);
  if (workspace === undefined || findActiveMembership(workspace, user.id) === undefined) {
    throw new Refusal(403, `You have no access to the workspace ${id}.`);
  }
  return workspace;
};

/** @throws Refusal (403) unless the user is an Owner or Executive Manager there. */
export const requireRole = (workspace: Workspace, user: User): Membership => {
  const membership = findActiveMembership(workspace, user.id);
  if (membership === undefined || !isManager(membership.role)) throw new Refusal(403, ROLE_MESSAGE);
  return membership;
};
