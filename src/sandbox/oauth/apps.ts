import { UsageError } from '../../outcome.ts';
import { findRedirectProblem } from '../../parsing/address.ts';
import { createSecret, findRecord } from '../state.ts';
import { requireHolder } from '../tokens.ts';
import type { OAuth, OAuthApp, World } from '../world.ts';

/** The applications that may ask for tokens: registration and look-up (docs/service.md, OAuth2). */

const GRANTS = ['authorization-code', 'client-credentials'] as const;

export interface AppRegistration {
  readonly name: string;
  /** Needed for the authorization code grant. */
  readonly redirect_uri?: string | undefined;
  /** Default: authorization-code. */
  readonly grant?: string | undefined;
  /** E-mail address of who registers it; default: the owner of the first workspace. */
  readonly as?: string | undefined;
}

/** An application without its secret. */
export interface AppRow {
  readonly client_id: string;
  readonly name: string;
  readonly grant: OAuthApp['grant'];
  readonly redirect_uri: string | null;
  /** E-mail address of who registered it. */
  readonly member: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** The only place where the secret is shown. */
export interface IssuedApp extends AppRow {
  readonly client_secret: string;
}

/** What the world knows of OAuth2; made when it is first asked for. */
export const getOAuth = (world: World): OAuth => {
  const existing = world.oauth;
  if (existing !== undefined) return existing;
  const created: OAuth = {
    apps: {},
    codes: {},
    refresh_tokens: {},
    requests: { authorization_code: 0, refresh_token: 0, client_credentials: 0 },
  };
  world.oauth = created;
  return created;
};

export const findApp = (world: World, client: string): OAuthApp | undefined =>
  findRecord(getOAuth(world).apps, client);

/** Applications may be of any site. It is not repeated: it may hold a password. @throws UsageError */
const checkRedirect = (text: string): string => {
  const problem = findRedirectProblem(text);
  if (problem === undefined) return text;
  throw new UsageError(`the redirect URI ${problem}`, {
    code: 'redirect_uri',
    hint: 'For example http://127.0.0.1:8484/callback',
  });
};

const checkGrant = (grant: string): OAuthApp['grant'] => {
  const match = GRANTS.find((candidate) => candidate === grant);
  if (match !== undefined) return match;
  throw new UsageError(`unknown grant: ${grant}`, { hint: `Choose from ${GRANTS.join(', ')}.` });
};

const getOwnerEmail = (world: World): string => {
  const [workspace] = Object.values(world.spaces);
  return findRecord(world.users, workspace?.owner_id ?? 0)?.email ?? '';
};

const toAppRow = (world: World, app: OAuthApp): AppRow => ({
  client_id: app.client_id,
  name: app.name,
  grant: app.grant,
  redirect_uri: app.redirect_uri,
  member: findRecord(world.users, app.user_id)?.email ?? '',
  created_at: new Date(app.created_ms).toISOString(),
});

/** Every application, without secrets, in the order of registration. */
export const listAppRows = (world: World): readonly AppRow[] =>
  Object.values(getOAuth(world).apps)
    .sort((a, b) => a.created_ms - b.created_ms)
    .map((app) => toAppRow(world, app));

/**
 * Registers an application.
 * @throws UsageError for a name, redirect URI or grant that cannot be; Failure for a user who may not
 */
export const registerApp = (
  world: World,
  registration: AppRegistration,
  { now, random }: { readonly now: number; readonly random: () => number },
): IssuedApp => {
  const name = registration.name.trim();
  if (name === '' || name.length > 100)
    throw new UsageError('the name of an application must have 1 to 100 characters');
  const grant = checkGrant(registration.grant ?? 'authorization-code');
  if (registration.redirect_uri === undefined && grant === 'authorization-code') {
    throw new UsageError('missing --redirect-uri', {
      code: 'missing_value',
      reason: 'The browser returns there after approval.',
      hint: 'For example: --redirect-uri http://127.0.0.1:8484/callback',
    });
  }
  const app: OAuthApp = {
    client_id: `sbx_app_${createSecret(random, 20)}`,
    client_secret: `sbx_secret_${createSecret(random, 40)}`,
    name,
    grant,
    redirect_uri: registration.redirect_uri === undefined ? null : checkRedirect(registration.redirect_uri),
    user_id: requireHolder(world, registration.as ?? getOwnerEmail(world)).id,
    created_ms: now,
  };
  getOAuth(world).apps[app.client_id] = app;
  const { client_id, ...row } = toAppRow(world, app);
  return { client_id, client_secret: app.client_secret, ...row };
};
