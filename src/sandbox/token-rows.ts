import { EXIT, Failure, UsageError } from '../outcome.ts';
import { checkLocalId } from '../parsing/id.ts';
import { findRecord } from './state.ts';
import type { Token, TokenScope, World } from './world.ts';

/** Tokens as they are listed, never the token itself. */

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

export const getTokenStatus = (
  { revoked, expires_ms }: Pick<Token, 'revoked' | 'expires_ms'>,
  now: number,
): TokenRow['status'] => {
  if (revoked) return 'revoked';
  return now < expires_ms ? 'valid' : 'expired';
};

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
export const revokeToken = (world: World, text: string, now: number): TokenRow => {
  checkLocalId('token', text, LIST_HINT);
  const matches = Object.values(world.tokens).filter(({ id, name }) => String(id) === text || name === text);
  const valid = matches.filter((token) => getTokenStatus(token, now) === 'valid');
  if (valid.length > 1)
    throw new UsageError(`${valid.length} tokens match ${text}`, {
      code: 'ambiguous',
      hint: `Use an id: ${valid.map(({ id }) => id).join(', ')}.`,
    });
  const token = valid[0] ?? matches.at(-1);
  if (token === undefined)
    throw new Failure(`no token ${text} in the sandbox`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: LIST_HINT,
    });
  if (valid.length > 0) token.revoked = true;
  return toTokenRow(world, token, now);
};
