import type { RequestInput } from './input.ts';
import { type Allowance, countRequest, type RequestLimits } from './limits.ts';
import { integerReader } from './read.ts';
import { invalid, Refusal } from './refusal.ts';
import { findActiveMembership, findRecord, isManager, mayCall } from './state.ts';
import { TOKEN_PREFIX } from './tokens.ts';
import type { Membership, Space, Token, User, World } from './world.ts';

/** Who may do what, in the order in which a request is checked (docs/requirements.md, SBX-2). */

const ROLE_MESSAGE = 'Only Owners and Executive Managers of the workspace may use the API.';

const unauthenticated = (why: string): Refusal =>
  new Refusal(401, `${why} Send a valid Bearer token.`, { headers: { 'www-authenticate': 'Bearer' } });

/** @throws Refused (401) for a token that is missing, malformed, foreign, unknown, revoked or expired. */
export const requireToken = (world: World, authorization: string | undefined, now: number): Token => {
  if (authorization === undefined || authorization === '') throw unauthenticated('Unauthenticated.');
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (text === undefined) throw unauthenticated('The Authorization header is malformed.');
  if (!text.startsWith(TOKEN_PREFIX)) {
    throw unauthenticated(
      `This is the sandbox: it accepts only its own tokens, which begin with ${TOKEN_PREFIX}.`,
    );
  }
  const token = findRecord(world.tokens, text);
  if (token === undefined || token.revoked) throw unauthenticated('The token is not valid.');
  if (now >= token.expires_ms) throw unauthenticated('The token has expired.');
  return token;
};

/** @throws Refused (429) with `Retry-After`. */
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
    assumed: 'too-many',
    headers: {
      'retry-after': String(allowance.retryAfter),
      'x-ratelimit-limit': String(allowance.limit),
      'x-ratelimit-remaining': String(allowance.remaining),
    },
  });
};

/** @throws Refused (403) with both lists of scopes in `meta` (docs/service.md, Scopes). */
export const requireScope = (token: Token, write: boolean): void => {
  const accepted = write ? ['write', 'admin'] : ['read', 'write', 'admin'];
  if (token.scopes.some((scope) => accepted.includes(scope))) return;
  const needed = accepted.join(' or ').replace('read or write', 'read, write');
  throw new Refusal(
    403,
    `This action requires the ${needed} scope. The token was granted: ${token.scopes.join(', ')}.`,
    { meta: { required_scope: accepted, granted_scope: token.scopes } },
  );
};

/** The token's user, who must manage some workspace. @param lower every role may @throws Refused (403). */
export const requireUser = (world: World, token: Token, lower: boolean): User => {
  const user = findRecord(world.users, token.user_id);
  if (user === undefined || !mayCall(world, user.id, lower)) throw new Refusal(403, ROLE_MESSAGE);
  return user;
};

/**
 * The workspace that the request names, where the route takes it from.
 * @throws Refused (400) for none, (403) for another's
 */
export const requireSpace = (world: World, input: RequestInput, user: User, place?: 'body'): Space => {
  const id =
    place === 'body'
      ? input.maybe('workspace_id', integerReader())
      : input.either('workspace_id', integerReader());
  if (id === undefined) {
    const where = place === 'body' ? ' in the body' : '';
    throw invalid('workspace_id', `The workspace_id field is required${where}.`);
  }
  const space = findRecord(world.spaces, id);
  if (space === undefined || findActiveMembership(space, user.id) === undefined) {
    throw new Refusal(403, `You have no access to the workspace ${id}.`);
  }
  return space;
};

/** @param lower every role may @throws Refused (403) unless the user is an Owner or Executive Manager there. */
export const requireRole = (space: Space, user: User, lower: boolean): Membership => {
  const membership = findActiveMembership(space, user.id);
  if (membership === undefined || !(lower || isManager(membership.role)))
    throw new Refusal(403, ROLE_MESSAGE);
  return membership;
};
