import { createNotFound, Problem } from './basics.ts';
import { createNumber, createSecret, findRecord, findUserByEmail, listManagerRoles } from './state.ts';
import type { OAuth, Token, TokenScope, User, World } from './world.ts';

/** Every token of the sandbox begins with this; the client sends no such token to another host. */
export const TOKEN_PREFIX = 'sbx_';

/** `admin` is not offered (docs/service.md, Personal Access Tokens). */
const SCOPES: readonly TokenScope[] = ['read', 'write'];

export interface GrantTime {
  readonly now: number;
  readonly random: () => number;
}

export interface TokenWish {
  /** E-mail address of who is to have it; default: the owner of the first workspace. */
  readonly as?: string | undefined;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
}

export interface CreatedToken extends Readonly<Pick<Token, 'id' | 'name' | 'token' | 'scopes'>> {
  readonly member: string;
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
  const scopes = SCOPES.filter((scope) => wanted.includes(scope));
  const unknown = wanted.find((scope) => !SCOPES.some((candidate) => candidate === scope));
  if (unknown !== undefined || scopes.length === 0) {
    const problem = `a personal token cannot have the scope ${unknown}`;
    const hint = `Choose from ${SCOPES.join(', ')}.`;
    throw new Problem(unknown === undefined ? 'a token needs at least one scope' : problem, { hint });
  }
  const user_id = requireHolder(world, as).id;
  requireName('token', name);
  const expires_ms = new Date(now).setUTCMonth(new Date(now).getUTCMonth() + 6);
  const details = { name, user_id, scopes, now, random, expires_ms };
  return describeToken(world, addToken(world, { kind: 'personal', ...details }));
}

function requireName(noun: string, name: string): void {
  if (name.trim() === '' || name.length > 100)
    throw new Problem(`the name of the ${noun} must have 1 to 100 characters`);
}

function describeToken(world: World, { id, name, token, scopes, ...rest }: Token): CreatedToken {
  const member = findRecord(world.users, rest.user_id)?.email ?? '';
  return { id, name, token, scopes, member, expires_at: new Date(rest.expires_ms).toISOString() };
}

/** Handed out again only if it holds for so long yet. */
const MIN_LIFE_MS = 86_400_000;

/** A token of this name of the first workspace's owner, to read and write, that was made before and holds. */
export function findKeptToken(world: World, name: string, now: number): CreatedToken | undefined {
  const { id } = requireHolder(world);
  const own = Object.values(world.tokens).filter((one) => one.name === name && one.user_id === id);
  const kept = own.find(
    ({ kind, scopes, revoked, expires_ms }) =>
      kind === 'personal' && scopes.length === 2 && !revoked && expires_ms - now >= MIN_LIFE_MS,
  );
  return kept && describeToken(world, kept);
}

/**
 * The user of this address, who may have tokens; without an address the owner of the first workspace.
 * @throws Problem (exit 5) for nobody, (exit 4) for who is no active Owner or Executive Manager
 */
export function requireHolder(world: World, email?: string): User {
  const owner = findRecord(world.users, Object.values(world.spaces)[0]?.owner_id ?? 0);
  const user = email === undefined ? owner : findUserByEmail(world, email);
  if (user === undefined) {
    const hint = 'List the members: ttctl members list';
    throw createNotFound(`no user ${email} in the sandbox`, hint);
  }
  if (listManagerRoles(world, user.id).length > 0) return user;
  const reason = 'Only active Owners and Executive Managers may use the API.';
  throw new Problem(`${user.email} cannot have a token`, { code: 'forbidden', exit: 4, reason });
}

export function addToken(
  world: World,
  details: GrantTime & Pick<Token, 'kind' | 'name' | 'user_id' | 'scopes' | 'expires_ms'>,
): Token {
  const { now, random, ...facts } = details;
  const token = `${TOKEN_PREFIX}${facts.kind === 'personal' ? 'pat' : 'at'}_${createSecret(random, 40)}`;
  const record: Token = { id: createNumber(world), token, ...facts, created_ms: now, revoked: false };
  world.tokens[token] = record;
  return record;
}

export function listTokenRows(world: World, now: number) {
  const tokens = Object.values(world.tokens).sort((a, b) => a.id - b.id);
  return tokens.map((one) => {
    const { token: _secret, expires_at, ...row } = describeToken(world, one);
    const ending: 'valid' | 'expired' = now < one.expires_ms ? 'valid' : 'expired';
    const status = one.revoked ? 'revoked' : ending;
    return { ...row, kind: one.kind, status, created_at: new Date(one.created_ms).toISOString(), expires_at };
  });
}

/**
 * Ends a token. One that has ended already stays as it is.
 * @param text its id or its name; of several with one name the one that was made last
 * @throws Problem (exit 5) for none
 */
export function revokeToken(world: World, text: string, now: number) {
  const matches = Object.values(world.tokens).filter(({ id, name }) => String(id) === text || name === text);
  const token = matches.findLast(({ revoked, expires_ms }) => !revoked && now < expires_ms) ?? matches.at(-1);
  if (token === undefined)
    throw createNotFound(`no token "${text}" in the sandbox`, 'List them: ttctl sandbox token list');
  token.revoked ||= now < token.expires_ms;
  return { ...listTokenRows(world, now).find(({ id }) => id === token.id) };
}

export interface AppRegistration {
  readonly name: string;
  readonly redirect_uri?: string | undefined;
  readonly grant?: string | undefined;
  /** E-mail address of who registers it; default: the owner of the first workspace. */
  readonly as?: string | undefined;
}

export type IssuedApp = ReturnType<typeof registerApp>;

export function getOAuth(world: World): OAuth {
  world.oauth ??= { apps: {}, codes: {}, refresh_tokens: {} };
  return world.oauth;
}

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
  requireName('application', name);
  if (grant !== 'authorization-code' && grant !== 'client-credentials') {
    const hint = 'Choose from authorization-code, client-credentials.';
    throw new Problem(`unknown grant: ${grant}`, { hint });
  }
  const redirect_uri = grant === 'client-credentials' ? null : redirect;
  const hint = 'For example: --redirect-uri http://127.0.0.1:8484/callback';
  if (redirect_uri === undefined) {
    const reason = 'The browser returns there after approval.';
    throw new Problem('missing --redirect-uri', { code: 'missing_value', reason, hint });
  }
  // RFC 6749, 3.1.2: it is compared and repeated to the letter, also in a header. It may hold a password: it is not shown.
  const isAddress = (text: string) => /^https?:\/\/[!"$-?A-~]+$/.test(text) && URL.canParse(text);
  if (redirect_uri !== null && !isAddress(redirect_uri)) {
    const message = 'the redirect URI must be a web address without a user name and a "#" part';
    throw new Problem(message, { code: 'redirect_uri', hint });
  }
  const { id: user_id, email: member } = requireHolder(world, as);
  const client_id = `sbx_app_${createSecret(random, 20)}`;
  const app = {
    client_id,
    client_secret: `sbx_secret_${createSecret(random, 40)}`,
    name,
    grant,
    redirect_uri,
  };
  getOAuth(world).apps[client_id] = { ...app, grant, user_id, created_ms: now };
  return { ...app, member, created_at: new Date(now).toISOString() };
}
