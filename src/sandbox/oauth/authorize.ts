import type { SandboxRequest } from '../exchange.ts';
import { findRecord, managesSomewhere } from '../state.ts';
import type { OAuthApp, TokenScope, User, World } from '../world.ts';
import { findApp } from './apps.ts';
import { type OAuthParameters, parseOAuthParameters } from './form.ts';
import { OAuthRefused } from './refusal.ts';
import { parseScopeParameter } from './scopes.ts';

/** Reading and answering an authorization request (docs/service.md, OAuth2). */

/** An authorization request that a person may approve or deny, as a whole. */
export interface AuthorizationRequest {
  readonly app: OAuthApp;
  /** That of the application, to the letter. */
  readonly redirect_uri: string;
  readonly scopes: readonly TokenScope[];
  readonly state: string | undefined;
  readonly challenge: string | null;
}

/** Shown as a page and never redirected: it is not certain who asks, or where the answer should go. */
export class NotRedirected extends Error {
  readonly facts: readonly (readonly [name: string, value: string])[];

  constructor(message: string, facts: NotRedirected['facts'] = []) {
    super(message);
    this.name = 'NotRedirected';
    this.facts = facts;
  }
}

/** Goes back to the application with `error` and the state. */
export interface RedirectBack {
  readonly location: string;
}

type RedirectParameters = Readonly<Record<string, string>>;

/** The redirect address, to the letter, with the answer and the state added to its query. */
export const buildRedirect = (
  redirect: string,
  parameters: RedirectParameters,
  state: string | undefined,
): string => {
  const query = new URLSearchParams({ ...parameters, ...(state === undefined ? {} : { state }) });
  return `${redirect}${redirect.includes('?') ? '&' : '?'}${query}`;
};

export const buildRefusalRedirect = (
  refused: OAuthRefused,
  redirect: string,
  state: string | undefined,
): string => {
  const { error, message, hint } = refused;
  return buildRedirect(
    redirect,
    { error, error_description: message, ...(hint === undefined ? {} : { hint }) },
    state,
  );
};

const readOnce = (parameters: OAuthParameters, name: string): string | undefined => {
  try {
    return parameters.maybe(name);
  } catch {
    throw new NotRedirected(`The address has ${name} more than once.`);
  }
};

/** Who asks, and where the answer goes. @throws NotRedirected */
const requireOrigin = (
  world: World,
  parameters: OAuthParameters,
): { app: OAuthApp; redirect_uri: string } => {
  const [client, redirect] = [readOnce(parameters, 'client_id'), readOnce(parameters, 'redirect_uri')];
  const app = findApp(world, client ?? '');
  if (app === undefined) {
    const reason =
      client === undefined ? 'The address names no client_id.' : 'No application has this client_id.';
    throw new NotRedirected(reason, client === undefined ? [] : [['client_id', client]]);
  }
  if (app.grant !== 'authorization-code' || app.redirect_uri === null) {
    throw new NotRedirected('This application is registered for client credentials: it needs no approval.', [
      ['client_id', app.client_id],
    ]);
  }
  if (redirect !== app.redirect_uri) {
    throw new NotRedirected('The redirect_uri is not the registered one. They must match exactly.', [
      ['Sent', redirect ?? 'nothing'],
      ['Registered', app.redirect_uri],
    ]);
  }
  return { app, redirect_uri: redirect };
};

/** A SHA-256 digest in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

const readChallenge = (parameters: OAuthParameters): string | null => {
  const [challenge, method] = [parameters.maybe('code_challenge'), parameters.maybe('code_challenge_method')];
  if (challenge === undefined && method === undefined) return null;
  if (method === 'S256' && challenge !== undefined && CHALLENGE.test(challenge)) return challenge;
  throw new OAuthRefused(
    'invalid_request',
    'A code_challenge is 43 base64url characters, with code_challenge_method=S256.',
  );
};

const readScopesAndChallenge = (
  parameters: OAuthParameters,
): Pick<AuthorizationRequest, 'scopes' | 'challenge'> => {
  if (parameters.need('response_type') !== 'code') {
    throw new OAuthRefused('unsupported_response_type', 'The only response_type is code.');
  }
  return { scopes: parseScopeParameter(parameters.maybe('scope')), challenge: readChallenge(parameters) };
};

const readState = (parameters: OAuthParameters): string | undefined => {
  try {
    return parameters.maybe('state');
  } catch {
    return undefined;
  }
};

/**
 * Reads an authorization request.
 * @returns what is asked, or where to go back to with what is wrong
 * @throws NotRedirected for a wrong client or redirect address
 */
export const requireAuthorizationRequest = (
  world: World,
  request: SandboxRequest,
): AuthorizationRequest | RedirectBack => {
  const parameters = parseOAuthParameters(request.query);
  const { app, redirect_uri } = requireOrigin(world, parameters);
  try {
    return { app, redirect_uri, state: parameters.maybe('state'), ...readScopesAndChallenge(parameters) };
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefused)) throw thrown;
    return { location: buildRefusalRedirect(thrown, redirect_uri, readState(parameters)) };
  }
};

/** Those who may approve: active Owners and Executive Managers of some workspace. */
export const listApprovers = (world: World): readonly User[] => {
  const ids = Object.values(world.spaces).flatMap((workspace) => Object.keys(workspace.members));
  return [...new Set(ids)].flatMap((id) => {
    const user = findRecord(world.users, id);
    return user !== undefined && managesSomewhere(world, user.id) ? [user] : [];
  });
};
