import { EXIT, Failure, UsageError } from '../outcome.ts';
import { createNumber, createSecret, findUserByEmail, managesSomewhere } from './state.ts';
import type { Token, TokenScope, User, World } from './world.ts';

/** Every token of the sandbox begins with this; the client sends no such token to another host. */
export const TOKEN_PREFIX = 'sbx_';

const SCOPES: readonly TokenScope[] = ['read', 'write', 'admin'];
const ACCESS_LIFE_MS = 1_296_000_000;

/** The same day of the month, `months` later, or the last day of that month (UTC). */
export const addMonthsTo = (timeMs: number, months: number): number => {
  const from = new Date(timeMs);
  const to = new Date(timeMs);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
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
  readonly kind?: Token['kind'];
  readonly name?: string;
}

const checkScopes = (scopes: readonly string[], kind: Token['kind']): TokenScope[] => {
  // At least one scope, and admin is not offered (docs/service.md, Personal Access Tokens).
  const allowed = kind === 'personal' ? SCOPES.filter((scope) => scope !== 'admin') : SCOPES;
  const unknownScope = scopes.find((scope) => !allowed.some((candidate) => candidate === scope));
  if (unknownScope !== undefined) {
    throw new UsageError(`a ${kind} token cannot have the scope ${unknownScope}`, {
      hint: `Choose from ${allowed.join(', ')}.`,
    });
  }
  if (scopes.length === 0) {
    throw new UsageError('a token needs at least one scope', { hint: `Choose from ${allowed.join(', ')}.` });
  }
  return allowed.filter((scope) => scopes.includes(scope));
};

/**
 * The user of this address, who may have tokens.
 * @throws Failure (exit 5) for nobody, (exit 4) for who is no active Owner or Executive Manager
 */
export const requireHolder = (world: World, email: string): User => {
  const user = findUserByEmail(world, email);
  if (user === undefined) {
    throw new Failure(`no user ${email} in the sandbox`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: 'List the members: ttctl --profile sandbox members list',
    });
  }
  if (!managesSomewhere(world, user.id)) {
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
export const createToken = (world: World, options: NewToken): CreatedToken => {
  const kind = options.kind ?? 'personal';
  const scopes = checkScopes(options.scopes, kind);
  const user = requireHolder(world, options.as);
  const expiresMs = kind === 'personal' ? addMonthsTo(options.now, 6) : options.now + ACCESS_LIFE_MS;
  const name = options.name ?? 'sandbox';
  if (name.trim() === '' || name.length > 100)
    throw new UsageError('the name of a token must have 1 to 100 characters');
  const { id, token } = addToken(world, {
    kind,
    name,
    user_id: user.id,
    scopes,
    now: options.now,
    expires_ms: expiresMs,
    random: options.random,
  });
  return { id, name, token, scopes, member: user.email, expires_at: new Date(expiresMs).toISOString() };
};

/** Handed out again only if it holds for so long yet. */
const MIN_LIFE_MS = 86_400_000;

/** The Personal Access Token of this name, with these very scopes, that was made before and holds; else a new one. */
export const findOrCreateToken = (
  world: World,
  options: NewToken & { readonly name: string },
): CreatedToken => {
  const { id } = requireHolder(world, options.as);
  const existing = Object.values(world.tokens).find(
    ({ kind, name, user_id, scopes, revoked, expires_ms }) =>
      kind === 'personal' &&
      name === options.name &&
      user_id === id &&
      !revoked &&
      expires_ms - options.now >= MIN_LIFE_MS &&
      scopes.length === options.scopes.length &&
      scopes.every((scope) => options.scopes.includes(scope)),
  );
  if (existing === undefined) return createToken(world, options);
  const { name, token, scopes, expires_ms } = existing;
  return {
    id: existing.id,
    name,
    token,
    scopes,
    member: options.as,
    expires_at: new Date(expires_ms).toISOString(),
  };
};
