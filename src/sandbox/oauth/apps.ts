import { UsageError } from '../../errors.ts';
import { findRedirectProblem } from '../../parsing/address.ts';
import { createSecret, findRecord } from '../state.ts';
import { requireHolder } from '../tokens.ts';
import type { OAuth, OAuthApp, World } from '../world.ts';

/** The applications that may ask for tokens: registration and look-up (docs/service.md, OAuth2). */

export interface GrantTime {
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly random: () => number;
}

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
export function getOAuth(world: World): OAuth {
  world.oauth ??= {
    apps: {},
    codes: {},
    refresh_tokens: {},
    requests: { authorization_code: 0, refresh_token: 0, client_credentials: 0 },
  };
  return world.oauth;
}

export function findApp(world: World, client: string): OAuthApp | undefined {
  return findRecord(getOAuth(world).apps, client);
}

/** Every application, without secrets, in the order of registration. */
export function listAppRows(world: World): readonly AppRow[] {
  return Object.values(getOAuth(world).apps)
    .sort((a, b) => a.created_ms - b.created_ms)
    .map((app) => toAppRow(world, app));
}

/**
 * Registers an application.
 * @throws UsageError for a name, redirect URI or grant that cannot be; Failure for a user who may not
 */
export function registerApp(
  world: World,
  { name: wanted, redirect_uri, grant = 'authorization-code', as }: AppRegistration,
  { now, random }: GrantTime,
): IssuedApp {
  const name = wanted.trim();
  if (name === '' || name.length > 100)
    throw new UsageError('the name of an application must have 1 to 100 characters');
  checkGrant(grant);
  if (redirect_uri === undefined && grant === 'authorization-code') {
    throw new UsageError('missing --redirect-uri', {
      code: 'missing_value',
      reason: 'The browser returns there after approval.',
      hint: 'For example: --redirect-uri http://127.0.0.1:8484/callback',
    });
  }
  if (redirect_uri !== undefined) checkRedirect(redirect_uri);
  const owner = Object.values(world.spaces)[0]?.owner_id ?? 0;
  const email = as ?? findRecord(world.users, owner)?.email ?? '';
  const app: OAuthApp = {
    client_id: `sbx_app_${createSecret(random, 20)}`,
    client_secret: `sbx_secret_${createSecret(random, 40)}`,
    name,
    grant,
    redirect_uri: redirect_uri ?? null,
    user_id: requireHolder(world, email).id,
    created_ms: now,
  };
  getOAuth(world).apps[app.client_id] = app;
  const { client_id, ...row } = toAppRow(world, app);
  return { client_id, client_secret: app.client_secret, ...row };
}

function toAppRow(world: World, { client_id, name, grant, redirect_uri, ...app }: OAuthApp): AppRow {
  const member = findRecord(world.users, app.user_id)?.email ?? '';
  return { client_id, name, grant, redirect_uri, member, created_at: new Date(app.created_ms).toISOString() };
}

function checkGrant(grant: string): asserts grant is OAuthApp['grant'] {
  if (grant !== 'authorization-code' && grant !== 'client-credentials')
    throw new UsageError(`unknown grant: ${grant}`, {
      hint: 'Choose from authorization-code, client-credentials.',
    });
}

/** Applications may be of any site. It is not repeated: it may hold a password. @throws UsageError */
function checkRedirect(text: string): void {
  const problem = findRedirectProblem(text);
  if (problem !== undefined)
    throw new UsageError(`the redirect URI ${problem}`, {
      code: 'redirect_uri',
      hint: 'For example http://127.0.0.1:8484/callback',
    });
}
