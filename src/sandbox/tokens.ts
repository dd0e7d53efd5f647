import { EXIT, Failure, UsageError } from '../errors.ts';
import { checkLocalId } from '../parsing/names.ts';
import {
  createNotFound,
  createNumber,
  createSecret,
  findRecord,
  findUserByEmail,
  managesSomewhere,
} from './state.ts';
import type { Token, TokenScope, User, World } from './world.ts';

/** Every token of the sandbox begins with this; the client sends no such token to another host. */
export const TOKEN_PREFIX = 'sbx_';

/** `admin` is not offered (docs/service.md, Personal Access Tokens). */
const SCOPES: readonly TokenScope[] = ['read', 'write'];

/** The same day of the month, `months` later, or the last day of that month (UTC). */
export function addMonthsTo(timeMs: number, months: number): number {
  const from = new Date(timeMs);
  const to = new Date(timeMs);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to.getTime();
}

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
  readonly name?: string | undefined;
}

/**
 * Issues a Personal Access Token to an active Owner or Executive Manager. It lives 6 calendar months, by the sandbox's
 * clock.
 * @throws UsageError for scopes that are not offered; Failure for a user who may not have one.
 */
export function createToken(
  world: World,
  { as, scopes: wanted, name = 'sandbox', now, random }: NewToken,
): CreatedToken {
  const scopes = checkScopes(wanted);
  const { id } = requireHolder(world, as);
  if (name.trim() === '' || name.length > 100)
    throw new UsageError('the name of a token must have 1 to 100 characters');
  const details = { kind: 'personal', name, user_id: id, scopes, now, random } as const;
  return describeToken(world, addToken(world, { ...details, expires_ms: addMonthsTo(now, 6) }));
}

export function describeToken(world: World, { id, name, token, scopes, ...rest }: Token): CreatedToken {
  const member = findRecord(world.users, rest.user_id)?.email ?? '';
  return { id, name, token, scopes, member, expires_at: new Date(rest.expires_ms).toISOString() };
}

function checkScopes(scopes: readonly string[]): TokenScope[] {
  const hint = `Choose from ${SCOPES.join(', ')}.`;
  const unknownScope = scopes.find((scope) => !SCOPES.some((candidate) => candidate === scope));
  if (unknownScope !== undefined)
    throw new UsageError(`a personal token cannot have the scope ${unknownScope}`, { hint });
  if (scopes.length === 0) throw new UsageError('a token needs at least one scope', { hint });
  return SCOPES.filter((scope) => scopes.includes(scope));
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
 * @throws Failure (exit 5) for nobody, (exit 4) for who is no active Owner or Executive Manager
 */
export function requireHolder(world: World, email: string): User {
  const user = findUserByEmail(world, email);
  if (user === undefined) {
    const hint = 'List the members: ttctl --profile sandbox members list';
    throw createNotFound(`no user ${email} in the sandbox`, hint);
  }
  if (!managesSomewhere(world, user.id)) {
    throw new Failure(`${email} cannot have a token`, {
      code: 'forbidden',
      exit: EXIT.forbidden,
      reason: 'Only active Owners and Executive Managers may use the API.',
    });
  }
  return user;
}

export interface TokenDetails extends Pick<Token, 'kind' | 'name' | 'user_id' | 'scopes' | 'expires_ms'> {
  readonly now: number;
  readonly random: () => number;
}

/** Puts a new token into the world; whether its user may have one is not checked. */
export function addToken(world: World, { now, random, ...facts }: TokenDetails): Token {
  const token = `${TOKEN_PREFIX}${facts.kind === 'personal' ? 'pat' : 'at'}_${createSecret(random, 40)}`;
  const record: Token = { id: createNumber(world), token, ...facts, created_ms: now, revoked: false };
  world.tokens[token] = record;
  return record;
}

/** A token as it is listed, never the token itself. */
export interface TokenRow {
  readonly id: number;
  readonly name: string;
  /** E-mail address of its owner. */
  readonly member: string;
  readonly kind: Token['kind'];
  readonly scopes: readonly TokenScope[];
  readonly status: 'valid' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly expires_at: string;
}

export function getTokenStatus(
  { revoked, expires_ms }: Pick<Token, 'revoked' | 'expires_ms'>,
  now: number,
): TokenRow['status'] {
  if (revoked) return 'revoked';
  return now < expires_ms ? 'valid' : 'expired';
}

const toTokenRow = (world: World, token: Token, now: number): TokenRow => ({
  id: token.id,
  name: token.name,
  member: findRecord(world.users, token.user_id)?.email ?? '',
  kind: token.kind,
  scopes: token.scopes,
  status: getTokenStatus(token, now),
  created_at: new Date(token.created_ms).toISOString(),
  expires_at: new Date(token.expires_ms).toISOString(),
});

/** Every token, the oldest first. */
export const listTokenRows = (world: World, now: number): readonly TokenRow[] =>
  Object.values(world.tokens)
    .sort((a, b) => a.id - b.id)
    .map((token) => toTokenRow(world, token, now));

const LIST_HINT = 'List them: ttctl sandbox token list';

/**
 * Ends a token. One that has ended already stays as it is.
 * @param text its id or its name
 * @throws Failure (exit 5) for none, UsageError for an empty text, and for a name that several valid tokens have
 */
export function revokeToken(world: World, text: string, now: number): TokenRow {
  checkLocalId('token', text, LIST_HINT);
  const matches = Object.values(world.tokens).filter(({ id, name }) => String(id) === text || name === text);
  const valid = matches.filter((token) => getTokenStatus(token, now) === 'valid');
  if (valid.length > 1)
    throw new UsageError(`${valid.length} tokens match ${text}`, {
      code: 'ambiguous',
      hint: `Use an id: ${valid.map(({ id }) => id).join(', ')}.`,
    });
  const token = valid[0] ?? matches.at(-1);
  if (token === undefined) throw createNotFound(`no token ${text} in the sandbox`, LIST_HINT);
  if (valid.length > 0) token.revoked = true;
  return toTokenRow(world, token, now);
}
