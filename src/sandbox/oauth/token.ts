import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import type { OAuthApp, OAuthGrant, World } from '../world.ts';
import { findApp, getOAuth } from './apps.ts';
import { isSameSecret } from './digest.ts';
import { isForm, type OAuthParameters, parseBasicHeader, parseOAuthParameters } from './form.ts';
import {
  exchangeCode,
  type GrantTime,
  grantClientCredentials,
  refreshTokens,
  type TokenAnswer,
} from './grants.ts';
import { OAuthRefused } from './refusal.ts';

/** POST /oauth/token (docs/service.md, OAuth2). */

type GrantHandler = (
  world: World,
  app: OAuthApp,
  parameters: OAuthParameters,
  time: GrantTime,
) => TokenAnswer;

const GRANTS: Readonly<
  Record<OAuthGrant, { readonly needs: OAuthApp['grant']; readonly run: GrantHandler }>
> = {
  authorization_code: { needs: 'authorization-code', run: exchangeCode },
  refresh_token: { needs: 'authorization-code', run: refreshTokens },
  client_credentials: { needs: 'client-credentials', run: grantClientCredentials },
};

const isGrant = (text: string): text is OAuthGrant => Object.hasOwn(GRANTS, text);

const createJsonResponse = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SandboxResponse => ({
  status,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    ...headers,
  },
  body: JSON.stringify(value),
});

/** The application that authenticates itself; what stands in the body wins over Basic, field by field. */
const requireClient = (world: World, request: SandboxRequest, parameters: OAuthParameters): OAuthApp => {
  const basic = parseBasicHeader(request.headers['authorization']);
  const id = parameters.maybe('client_id') ?? basic?.client_id ?? '';
  const secret = parameters.maybe('client_secret') ?? basic?.client_secret ?? '';
  const app = findApp(world, id);
  if (app === undefined || !isSameSecret(secret, app.client_secret)) {
    throw new OAuthRefused('invalid_client', 'Client authentication failed');
  }
  return app;
};

const grantToken = (world: World, request: SandboxRequest, time: GrantTime): TokenAnswer => {
  if (!isForm(request)) {
    throw new OAuthRefused(
      'invalid_request',
      'The body is not a form.',
      'Send application/x-www-form-urlencoded',
    );
  }
  const parameters = parseOAuthParameters(new URLSearchParams(request.body));
  const type = parameters.need('grant_type');
  if (!isGrant(type)) {
    throw new OAuthRefused(
      'unsupported_grant_type',
      'The authorization grant type is not supported by the authorization server.',
      `Known: ${Object.keys(GRANTS).join(', ')}`,
    );
  }
  getOAuth(world).requests[type] += 1;
  const app = requireClient(world, request, parameters);
  const { needs, run } = GRANTS[type];
  if (app.grant !== needs) {
    throw new OAuthRefused(
      'unauthorized_client',
      'The client is not authorized to use this grant type.',
      `The application is registered for ${app.grant}`,
    );
  }
  return run(world, app, parameters, time);
};

const createRefusalResponse = (refused: OAuthRefused, request: SandboxRequest): SandboxResponse => {
  const { error, message, hint } = refused;
  const body = { error, error_description: message, ...(hint === undefined ? {} : { hint }) };
  if (error !== 'invalid_client') return createJsonResponse(400, body);
  const basic = request.headers['authorization'] !== undefined;
  return createJsonResponse(401, body, basic ? { 'www-authenticate': 'Basic realm="sandbox"' } : {});
};

/** Answers a token request; the world changes only when it is granted (the count of requests aside). */
export const answerToken = (world: World, request: SandboxRequest, time: GrantTime): SandboxResponse => {
  if (request.method !== 'POST') {
    const body = { error: 'invalid_request', error_description: 'Request tokens with POST.' };
    return createJsonResponse(405, body, { allow: 'POST' });
  }
  try {
    return createJsonResponse(200, grantToken(world, request, time));
  } catch (thrown) {
    if (thrown instanceof OAuthRefused) return createRefusalResponse(thrown, request);
    throw thrown;
  }
};
