import { createSecret, findRecord } from '../state.ts';
import { addToken } from '../tokens.ts';
import type { OAuthApp, OAuthCode, RefreshToken, TokenScope, World } from '../world.ts';
import { getOAuth } from './apps.ts';
import { matchesChallenge } from './digest.ts';
import type { OAuthParameters } from './form.ts';
import { OAuthRefused } from './refusal.ts';
import { parseScopeParameter } from './scopes.ts';

/** What turns a code, a refresh token or the application itself into tokens. Everything is checked before anything changes. */

const MINUTE_MS = 60_000;
/** Assumed: what the usual framework allows. */
const CODE_LIFE_MS = 10 * MINUTE_MS;
/** As documented (docs/service.md, Limits). */
const REFRESH_LIFE_MS = 30 * 24 * 60 * MINUTE_MS;
const ACCESS_LIFE_SECONDS = 1_296_000;

export interface GrantTime {
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly random: () => number;
}

/** Without `refresh_token` for client credentials (docs/service.md, OAuth2). */
export interface TokenAnswer {
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly access_token: string;
  readonly refresh_token?: string;
}

const dropExpired = (records: Record<string, { expires_ms: number }>, now: number): void => {
  for (const [key, { expires_ms }] of Object.entries(records)) if (now >= expires_ms) delete records[key];
};

/** A code for what was approved. */
export const issueCode = (
  world: World,
  details: Omit<OAuthCode, 'expires_ms' | 'spent'>,
  { now, random }: GrantTime,
): string => {
  const { codes } = getOAuth(world);
  dropExpired(codes, now);
  const code = `sbx_code_${createSecret(random, 43)}`;
  codes[code] = { ...details, expires_ms: now + CODE_LIFE_MS, spent: false };
  return code;
};

interface Holder {
  readonly user_id: number;
  readonly scopes: readonly TokenScope[];
}

const issueAccess = (world: World, app: OAuthApp, holder: Holder, { now, random }: GrantTime): string =>
  addToken(world, {
    kind: 'access',
    name: app.name,
    user_id: holder.user_id,
    scopes: [...holder.scopes],
    now,
    expires_ms: now + ACCESS_LIFE_SECONDS * 1000,
    random,
  }).token;

const createTokenAnswer = (access_token: string): TokenAnswer => ({
  token_type: 'Bearer',
  expires_in: ACCESS_LIFE_SECONDS,
  access_token,
});

const issuePair = (world: World, app: OAuthApp, holder: Holder, time: GrantTime): TokenAnswer => {
  const { refresh_tokens } = getOAuth(world);
  dropExpired(refresh_tokens, time.now);
  const access_token = issueAccess(world, app, holder, time);
  const refresh_token = `sbx_rt_${createSecret(time.random, 43)}`;
  refresh_tokens[refresh_token] = {
    client_id: app.client_id,
    user_id: holder.user_id,
    scopes: [...holder.scopes],
    access_token,
    expires_ms: time.now + REFRESH_LIFE_MS,
    spent: false,
  };
  return { ...createTokenAnswer(access_token), refresh_token };
};

const createInvalidGrant = (hint: string): OAuthRefused =>
  new OAuthRefused(
    'invalid_grant',
    'The provided authorization grant or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
    hint,
  );

/** The record while it counts for this application. @throws OAuthRefused (invalid_grant) */
const requireUsable = <T extends OAuthCode | RefreshToken>(
  stored: T | undefined,
  app: OAuthApp,
  now: number,
  kind: string,
): T => {
  if (stored === undefined || stored.client_id !== app.client_id)
    throw createInvalidGrant(`The ${kind} is not valid`);
  if (stored.spent) throw createInvalidGrant(`The ${kind} has been used already`);
  if (now >= stored.expires_ms) throw createInvalidGrant(`The ${kind} has expired`);
  return stored;
};

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const checkVerifier = ({ challenge }: OAuthCode, verifier: string | undefined): void => {
  if (challenge === null) {
    if (verifier !== undefined) throw createInvalidGrant('No code_challenge was sent for this code');
    return;
  }
  if (verifier === undefined || !VERIFIER.test(verifier) || !matchesChallenge(verifier, challenge)) {
    throw createInvalidGrant('Failed to verify `code_verifier`');
  }
};

/** A code for the first pair (docs/service.md, OAuth2). @throws OAuthRefused */
export const exchangeCode = (
  world: World,
  app: OAuthApp,
  parameters: OAuthParameters,
  time: GrantTime,
): TokenAnswer => {
  const [code, redirect] = [parameters.need('code'), parameters.need('redirect_uri')];
  const stored = requireUsable(findRecord(getOAuth(world).codes, code), app, time.now, 'authorization code');
  if (stored.redirect_uri !== redirect)
    throw createInvalidGrant('The redirect_uri does not match the authorization request');
  checkVerifier(stored, parameters.maybe('code_verifier'));
  stored.spent = true;
  return issuePair(world, app, stored, time);
};

/** The old pair ends with the answer. @throws OAuthRefused */
export const refreshTokens = (
  world: World,
  app: OAuthApp,
  parameters: OAuthParameters,
  time: GrantTime,
): TokenAnswer => {
  const stored = requireUsable(
    findRecord(getOAuth(world).refresh_tokens, parameters.need('refresh_token')),
    app,
    time.now,
    'refresh token',
  );
  const text = parameters.maybe('scope');
  const scopes = text === undefined ? stored.scopes : parseScopeParameter(text);
  const extraScope = scopes.find((scope) => !stored.scopes.includes(scope));
  if (extraScope !== undefined) {
    throw new OAuthRefused(
      'invalid_scope',
      'A refresh cannot ask for more than was approved.',
      `Check the \`${extraScope}\` scope`,
    );
  }
  stored.spent = true;
  const accessToken = findRecord(world.tokens, stored.access_token);
  if (accessToken !== undefined) accessToken.revoked = true;
  return issuePair(world, app, { user_id: stored.user_id, scopes }, time);
};

/** The token acts as who registered the application (assumed). @throws OAuthRefused (invalid_scope) */
export const grantClientCredentials = (
  world: World,
  app: OAuthApp,
  parameters: OAuthParameters,
  time: GrantTime,
): TokenAnswer => {
  const scopes = parseScopeParameter(parameters.maybe('scope'));
  return createTokenAnswer(issueAccess(world, app, { user_id: app.user_id, scopes }, time));
};
