import { EXIT, Failure, UsageError } from '../outcome.ts';
import { DEFAULT_DIALECT, type ServiceDialect } from './dialect.ts';
import { createNumber, createSecret, findUserByEmail, mayCall } from './state.ts';
import type { Token, TokenScope, User, World } from './world.ts';

/** Every token of the sandbox begins with this; the client sends no such token to another host. */
export const TOKEN_PREFIX = 'sbx_';

const SCOPES: readonly TokenScope[] = ['read', 'write', 'admin'];
const ACCESS_LIFE_MS = 1_296_000_000;

/** The same day of the month, `months` later, or the last day of that month (UTC). */
export const addMonthsTo = (moment: number, months: number): number => {
  const from = new Date(moment);
  const to = new Date(moment);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const last = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), last));
  return to.getTime();
};

export interface CreatedToken {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly TokenScope[];
  /** E-mail address of its owner. */
  readonly member: string;
  readonly expires_at: string;
}

export interface NewToken {
  /** E-mail address. */
  readonly as: string;
  readonly scopes: readonly string[];
  readonly now: number;
  readonly random: () => number;
  /** Default: as documented. */
  readonly dialect?: ServiceDialect;
  readonly kind?: Token['kind'];
  readonly name?: string;
}

const allowedScopes = (scopes: readonly string[], kind: Token['kind']): TokenScope[] => {
  // At least one scope, and admin is not offered (docs/service.md, Personal Access Tokens).
  const offered = kind === 'personal' ? SCOPES.filter((scope) => scope !== 'admin') : SCOPES;
  const wrong = scopes.find((scope) => !offered.some((known) => known === scope));
  if (wrong !== undefined) {
    throw new UsageError(`a ${kind} token cannot have the scope ${wrong}`, {
      hint: `Choose from ${offered.join(', ')}.`,
    });
  }
  if (scopes.length === 0) {
    throw new UsageError('a token needs at least one scope', { hint: `Choose from ${offered.join(', ')}.` });
  }
  return offered.filter((scope) => scopes.includes(scope));
};

/**
 * The user of this address, who may have tokens.
 * @throws Failure (exit 5) for nobody, (exit 4) for who is no active Owner or Executive Manager
 */
export const requireHolder = (
  world: World,
  email: string,
  dialect: ServiceDialect = DEFAULT_DIALECT,
): User => {
  const user = findUserByEmail(world, email);
  if (user === undefined) {
    throw new Failure(`no user ${email} in the sandbox`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: 'List the members of the sandbox.',
    });
  }
  if (!mayCall(world, user.id, dialect.lowerRolesRead === 'yes')) {
    throw new Failure(`${email} cannot have a token`, {
      code: 'forbidden',
      exit: EXIT.forbidden,
      reason: 'Only active Owners and Executive Managers may use the API.',
    });
  }
  return user;
};

export interface TokenDetails extends Pick<Token, 'kind' | 'name' | 'user_id' | 'scopes' | 'expires_ms'> {
  readonly now: number;
  readonly random: () => number;
}

/** Puts a new token into the world; whether its user may have one is not checked. */
export const addToken = (world: World, { now, random, ...facts }: TokenDetails): Token => {
  const token = `${TOKEN_PREFIX}${facts.kind === 'personal' ? 'pat' : 'at'}_${createSecret(random, 40)}`;
  const record: Token = { id: createNumber(world), token, ...facts, created_ms: now, revoked: false };
  world.tokens[token] = record;
  return record;
};

/**
 * Issues a token to an active Owner or Executive Manager. Personal Access Tokens live 6 calendar months, access
 * tokens 15 days, by the sandbox's clock.
 * @throws UsageError for scopes that are not offered; Failure for a user who may not have one.
 */
export const createToken = (world: World, wish: NewToken): CreatedToken => {
  const kind = wish.kind ?? 'personal';
  const scopes = allowedScopes(wish.scopes, kind);
  const user = requireHolder(world, wish.as, wish.dialect);
  const expires = kind === 'personal' ? addMonthsTo(wish.now, 6) : wish.now + ACCESS_LIFE_MS;
  const name = wish.name ?? 'sandbox';
  if (name.trim() === '' || name.length > 100)
    throw new UsageError('the name of a token must have 1 to 100 characters');
  const { id, token } = addToken(world, {
    kind,
    name,
    user_id: user.id,
    scopes,
    now: wish.now,
    expires_ms: expires,
    random: wish.random,
  });
  return { id, name, token, scopes, member: user.email, expires_at: new Date(expires).toISOString() };
};

/** Handed out again only if it holds for so long yet. */
const LEAST_LIFE_MS = 86_400_000;

/** The Personal Access Token of this name, with these very scopes, that was made before and holds; else a new one. */
export const findOrCreateToken = (world: World, wish: NewToken & { readonly name: string }): CreatedToken => {
  const { id } = requireHolder(world, wish.as, wish.dialect);
  const found = Object.values(world.tokens).find(
    ({ kind, name, user_id, scopes, revoked, expires_ms }) =>
      kind === 'personal' &&
      name === wish.name &&
      user_id === id &&
      !revoked &&
      expires_ms - wish.now >= LEAST_LIFE_MS &&
      scopes.length === wish.scopes.length &&
      scopes.every((scope) => wish.scopes.includes(scope)),
  );
  if (found === undefined) return createToken(world, wish);
  const { name, token, scopes, expires_ms } = found;
  return {
    id: found.id,
    name,
    token,
    scopes,
    member: wish.as,
    expires_at: new Date(expires_ms).toISOString(),
  };
};
