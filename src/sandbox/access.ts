import { invalid, Refusal } from './answer.ts';
import { type Call, type RequestInput, type Route, wholeNumber } from './input.ts';
import { findActiveMembership, findRecord, isManager, listManagerRoles } from './state.ts';
import { TOKEN_PREFIX } from './tokens.ts';
import type { Token, User, World } from './world.ts';

/** As documented (docs/service.md, Limits): of each token, over sliding windows. */
export const LIMITS = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
export const RATE_LIMIT = '150/60,20/1';

const ROLE_MESSAGE = 'Only Owners and Executive Managers of the workspace may use the API.';

/** @throws Refusal (401) for a token that is missing, malformed, foreign, unknown, revoked or expired. */
export function requireToken(world: World, authorization: string | undefined, now: number): Token {
  const refuse = (reason: string): Refusal =>
    new Refusal(401, `${reason} Send a valid Bearer token.`, { headers: { 'www-authenticate': 'Bearer' } });
  if (authorization === undefined || authorization === '') throw refuse('Unauthenticated.');
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (text === undefined) throw refuse('The Authorization header is malformed.');
  if (!text.startsWith(TOKEN_PREFIX))
    throw refuse(`This is the sandbox: it accepts only its own tokens, which begin with ${TOKEN_PREFIX}.`);
  const token = findRecord(world.tokens, text);
  if (token === undefined || token.revoked) throw refuse('The token is not valid.');
  if (now >= token.expires_ms) throw refuse('The token has expired.');
  return token;
}

/**
 * Counts a request of a token in sliding windows; a refused one is not counted. @returns how many are left
 * @throws Refusal (429): `Retry-After` is the length of the window that is full (docs/service.md, Errors)
 */
export function requireAllowance(world: World, token: Token, isWrite: boolean, now: number): number {
  // Moments count that are younger than the window, and not after now: a clock may be set back.
  const listRecent = (times: readonly number[] = [], seconds: number) =>
    times.filter((time) => time > now - seconds * 1000 && time <= now);
  const requests = listRecent(world.windows[token.id]?.requests, LIMITS.perSeconds);
  const writes = listRecent(world.windows[token.id]?.writes, LIMITS.writesPerSeconds);
  world.windows[token.id] = { requests, writes };
  const left = LIMITS.requests - requests.length;
  if (left <= 0 || (isWrite && writes.length >= LIMITS.writes)) {
    const seconds = left <= 0 ? LIMITS.perSeconds : LIMITS.writesPerSeconds;
    const headers = { 'retry-after': String(seconds), ...createLimitHeaders(Math.max(0, left)) };
    throw new Refusal(429, 'Too Many Attempts.', { headers });
  }
  requests.push(now);
  if (isWrite) writes.push(now);
  return left - 1;
}

export function createLimitHeaders(remaining: number) {
  return { 'x-ratelimit-limit': String(LIMITS.requests), 'x-ratelimit-remaining': String(remaining) };
}

export function requireUser(world: World, token: Token, isWrite: boolean): User {
  const accepted = isWrite ? ['write', 'admin'] : ['read', 'write', 'admin'];
  if (!token.scopes.some((scope) => accepted.includes(scope))) {
    const names = isWrite ? 'write or admin' : 'read, write or admin';
    const meta = { required_scope: accepted, granted_scope: token.scopes };
    const message = `This action requires the ${names} scope. The token was granted: ${token.scopes.join(', ')}.`;
    throw new Refusal(403, message, { meta });
  }
  const user = findRecord(world.users, token.user_id);
  if (user !== undefined && listManagerRoles(world, user.id).length > 0) return user;
  throw new Refusal(403, ROLE_MESSAGE);
}

/**
 * The workspace that the request names, where the route takes it from, and the user's membership in it.
 * @throws Refusal (400) for none, (403) for another's, and unless the user is an Owner or Executive Manager there
 */
export function requireWorkspace(
  world: World,
  input: RequestInput,
  user: User,
  location: Route['workspace'],
): Pick<Call, 'workspace' | 'me'> {
  const isInBody = location === 'body';
  const id = input[isInBody ? 'maybe' : 'either']('workspace_id', wholeNumber());
  if (id === undefined)
    throw invalid('workspace_id', `The workspace_id field is required${isInBody ? ' in the body' : ''}.`);
  const workspace = findRecord(world.spaces, id);
  const me = workspace && findActiveMembership(workspace, user.id);
  if (workspace === undefined || me === undefined)
    throw new Refusal(403, `You have no access to the workspace ${id}.`);
  if (!isManager(me.role)) throw new Refusal(403, ROLE_MESSAGE);
  return { workspace, me };
}
