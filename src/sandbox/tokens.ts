import { checkId, createNotFound, Problem } from './basics.ts';
import * as state from './state.ts';
import type { OAuth, Token, TokenScope, User, World } from './world.ts';

/** Every token of the sandbox begins with this; the client sends no such token to another host. */
export const TOKEN_PREFIX = 'sbx_';

/** `admin` is not offered (docs/service.md, Personal Access Tokens). */
const SCOPES: readonly TokenScope[] = ['read', 'write'];

/** When something is granted, and what it is drawn from. */
export interface GrantTime {
  readonly now: number;
  readonly random: () => number;
}

export interface TokenWish {
  /** E-mail address of who is to have it. */
  readonly as: string;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
}

export interface CreatedToken extends Readonly<Pick<Token, 'id' | 'name' | 'token' | 'scopes'>> {
  /** E-mail address of its owner. */
  readonly member: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

/**
 * Issues a Personal Access Token to an active Owner or Executive Manager. It lives 6 calendar months, by the sandbox's
 * clock.
 * @throws Problem for scopes that are not offered; and for a user who may not have one.
 */
export function createToken(
  world: World,
  { as, scopes: wanted, name = 'sandbox', now, random }: TokenWish & GrantTime,
): CreatedToken {
  const hint = `Choose from ${SCOPES.join(', ')}.`;
  const unknown = wanted.find((scope) => !SCOPES.some((candidate) => candidate === scope));
  if (unknown !== undefined) throw new Problem(`a personal token cannot have the scope ${unknown}`, { hint });
  if (wanted.length === 0) throw new Problem('a token needs at least one scope', { hint });
  const user_id = requireHolder(world, as).id;
  if (name.trim() === '' || name.length > 100)
    throw new Problem('the name of a token must have 1 to 100 characters');
  const scopes = SCOPES.filter((scope) => wanted.includes(scope));
  const expires_ms = addMonthsTo(now, 6);
  return describeToken(
    world,
    addToken(world, { kind: 'personal', name, user_id, scopes, now, random, expires_ms }),
  );
}

/** The same day of the month, `months` later, or the last day of that month (UTC). */
export function addMonthsTo(timeMs: number, months: number): number {
  const to = new Date(timeMs);
  to.setUTCMonth(to.getUTCMonth() + months);
  // Where that month has no such day, it is one of the next.
  if (to.getUTCDate() !== new Date(timeMs).getUTCDate()) to.setUTCDate(0);
  return to.getTime();
}

export function describeToken(world: World, { id, name, token, scopes, ...rest }: Token): CreatedToken {
  const member = state.findRecord(world.users, rest.user_id)?.email ?? '';
  return { id, name, token, scopes, member, expires_at: new Date(rest.expires_ms).toISOString() };
}

/** Handed out again only if it holds for so long yet. */
const MIN_LIFE_MS = 86_400_000;

/** A token of this name, to read and write, that was made before and holds. */
export function findKeptToken(world: World, name: string, userId: number, now: number): Token | undefined {
  return Object.values(world.tokens).find(
    (token) =>
      token.kind === 'personal' &&
      token.name === name &&
      token.user_id === userId &&
      token.scopes.length === SCOPES.length &&
      !token.revoked &&
      token.expires_ms - now >= MIN_LIFE_MS,
  );
}

/**
 * The user of this address, who may have tokens.
 * @throws Problem (exit 5) for nobody, (exit 4) for who is no active Owner or Executive Manager
 */
export function requireHolder(world: World, email: string): User {
  const user = state.findUserByEmail(world, email);
  if (user === undefined) {
    const hint = 'List the members: ttctl --profile sandbox members list';
    throw createNotFound(`no user ${email} in the sandbox`, hint);
  }
  if (state.managesSomewhere(world, user.id)) return user;
  const reason = 'Only active Owners and Executive Managers may use the API.';
  throw new Problem(`${email} cannot have a token`, { code: 'forbidden', exit: 4, reason });
}

/** Puts a new token into the world; whether its user may have one is not checked. */
export function addToken(
  world: World,
  details: GrantTime & Pick<Token, 'kind' | 'name' | 'user_id' | 'scopes' | 'expires_ms'>,
): Token {
  const { now, random, ...facts } = details;
  const token = `${TOKEN_PREFIX}${facts.kind === 'personal' ? 'pat' : 'at'}_${state.createSecret(random, 40)}`;
  const record: Token = { id: state.createNumber(world), token, ...facts, created_ms: now, revoked: false };
  world.tokens[token] = record;
  return record;
}

/** A token as it is listed, never the token itself. */
function toTokenRow(world: World, token: Token, now: number) {
  const { id, name, kind, scopes, user_id, created_ms, expires_ms } = token;
  let status: 'valid' | 'expired' | 'revoked' = now < expires_ms ? 'valid' : 'expired';
  if (token.revoked) status = 'revoked';
  const [created_at, expires_at] = [new Date(created_ms).toISOString(), new Date(expires_ms).toISOString()];
  const member = state.findRecord(world.users, user_id)?.email ?? '';
  return { id, name, member, kind, scopes, status, created_at, expires_at };
}

/** Every token, the oldest first. */
export function listTokenRows(world: World, now: number) {
  const tokens = Object.values(world.tokens).sort((a, b) => a.id - b.id);
  return tokens.map((token) => toTokenRow(world, token, now));
}

const LIST_HINT = 'List them: ttctl sandbox token list';

/**
 * Ends a token. One that has ended already stays as it is.
 * @param text its id or its name
 * @throws Problem (exit 5) for none, and for an empty text, and for a name that several valid tokens have
 */
export function revokeToken(world: World, text: string, now: number) {
  checkId('token', text, LIST_HINT);
  const matches = Object.values(world.tokens).filter(({ id, name }) => String(id) === text || name === text);
  const valid = matches.filter(({ revoked, expires_ms }) => !revoked && now < expires_ms);
  if (valid.length > 1) {
    const hint = `Use an id: ${valid.map(({ id }) => id).join(', ')}.`;
    throw new Problem(`${valid.length} tokens match ${text}`, { code: 'ambiguous', hint });
  }
  const token = valid[0] ?? matches.at(-1);
  if (token === undefined) throw createNotFound(`no token ${text} in the sandbox`, LIST_HINT);
  if (valid.length > 0) token.revoked = true;
  return toTokenRow(world, token, now);
}

/** An application that is to ask for tokens (docs/service.md, OAuth2). */
export interface AppRegistration {
  readonly name: string;
  readonly redirect_uri?: string | undefined;
  readonly grant?: string | undefined;
  /** E-mail address of who registers it; default: the owner of the first workspace. */
  readonly as?: string | undefined;
}

/** With its secret, which is shown nowhere else. */
export type IssuedApp = ReturnType<typeof registerApp>;

/** What the world knows of OAuth2; made when it is first asked for. */
export function getOAuth(world: World): OAuth {
  const requests = { authorization_code: 0, refresh_token: 0, client_credentials: 0 };
  world.oauth ??= { apps: {}, codes: {}, refresh_tokens: {}, requests };
  return world.oauth;
}

/** Every application, without secrets, in the order of registration. */
export function listAppRows(world: World) {
  return Object.values(getOAuth(world).apps)
    .sort((a, b) => a.created_ms - b.created_ms)
    .map(({ client_id, name, grant, redirect_uri, user_id, created_ms }) => {
      const member = state.findRecord(world.users, user_id)?.email ?? '';
      return { client_id, name, grant, redirect_uri, member, created_at: new Date(created_ms).toISOString() };
    });
}

const REDIRECT_HINT = 'For example: --redirect-uri http://127.0.0.1:8484/callback';

/**
 * Registers an application.
 * @throws Problem for a name, redirect URI or grant that cannot be; and for a user who may not
 */
export function registerApp(
  world: World,
  { name: wanted, redirect_uri: redirect, grant = 'authorization-code', as }: AppRegistration,
  { now, random }: GrantTime,
) {
  const name = wanted.trim();
  if (name === '' || name.length > 100)
    throw new Problem('the name of an application must have 1 to 100 characters');
  if (grant !== 'authorization-code' && grant !== 'client-credentials') {
    const hint = 'Choose from authorization-code, client-credentials.';
    throw new Problem(`unknown grant: ${grant}`, { hint });
  }
  const redirect_uri = redirect ?? null;
  if (redirect_uri === null && grant === 'authorization-code') {
    throw new Problem('missing --redirect-uri', {
      code: 'missing_value',
      reason: 'The browser returns there after approval.',
      hint: REDIRECT_HINT,
    });
  }
  // Applications may be of any site. It is not repeated: it may hold a password.
  const problem = redirect_uri === null ? undefined : findRedirectProblem(redirect_uri);
  if (problem !== undefined)
    throw new Problem(`the redirect URI ${problem}`, { code: 'redirect_uri', hint: REDIRECT_HINT });
  const holder = requireHolder(world, as ?? state.findFirstOwner(world)?.email ?? '');
  const client_id = `sbx_app_${state.createSecret(random, 20)}`;
  const client_secret = `sbx_secret_${state.createSecret(random, 40)}`;
  const created = { user_id: holder.id, created_ms: now };
  getOAuth(world).apps[client_id] = { client_id, client_secret, name, grant, redirect_uri, ...created };
  const created_at = new Date(now).toISOString();
  return { client_id, client_secret, name, grant, redirect_uri, member: holder.email, created_at };
}

/** Why no browser can be sent back to an address, as the end of a sentence. RFC 6749, 3.1.2 */
function findRedirectProblem(text: string): string | undefined {
  // Printable ASCII without spaces: it is compared and repeated to the letter, also in a header.
  const url = /^[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'is not a web address';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  if (text.includes('#')) return 'has a "#" part';
  return url.port === '0' ? 'needs a fixed port, not 0' : undefined;
}
