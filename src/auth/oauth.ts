import { createHash, randomBytes } from 'node:crypto';
import type { HttpQuery, HttpRequest } from '../http/transport.ts';
import type { ClientAuth } from './credential-file.ts';

/** The requests of OAuth2 (docs/service.md, OAuth2; RFC 6749 and 7636). Their answers: token-response.ts. */

/** An application that is registered at the service. */
export interface OAuthClient {
  /** Root of the token host, without a trailing slash. */
  readonly tokenUrl: string;
  readonly id: string;
  /** Absent: a public client. */
  readonly secret?: string;
  readonly auth: ClientAuth;
}

/** How long the token host may take, and how much it may say; `--timeout` is for the API. */
export const TOKEN_HOST = { timeoutMs: 30_000, maxBytes: 64 * 1024 } as const;

/** 256 bits of chance, in characters that need no encoding. */
export const createRandomSecret = (): string => randomBytes(32).toString('base64url');

/** PKCE: what stands in the address for a verifier that only this process knows. */
const createCodeChallenge = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

export interface AuthorizeParameters {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Absent: the service gives `read`. */
  readonly scopes: readonly string[];
  readonly state: string;
  /** Absent: no PKCE. */
  readonly verifier?: string;
}

/** The address that a person approves at. */
export const buildAuthorizeUrl = (parameters: AuthorizeParameters): string => {
  const { authUrl, clientId, redirectUri, scopes, state, verifier } = parameters;
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    state,
    ...(verifier === undefined
      ? {}
      : { code_challenge: createCodeChallenge(verifier), code_challenge_method: 'S256' }),
  });
  // Not every server takes "+" for a space.
  return `${authUrl}/oauth/authorize?${query.toString().replaceAll('+', '%20')}`;
};

const encodeFormValue = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** RFC 6749, 2.3.1: both parts are form-encoded before they are joined. */
const formatBasicAuthorization = ({ id, secret = '' }: OAuthClient): string =>
  `Basic ${Buffer.from(`${encodeFormValue(id)}:${encodeFormValue(secret)}`).toString('base64')}`;

const buildTokenRequest = (client: OAuthClient, grant: HttpQuery): HttpRequest => {
  const { tokenUrl, id, secret, auth } = client;
  const inHeader = auth === 'basic' && secret !== undefined;
  const clientFields: HttpQuery = [
    ['client_id', id],
    ...(secret === undefined ? [] : [['client_secret', secret] as const]),
  ];
  return {
    method: 'POST',
    base: tokenUrl,
    path: '/oauth/token',
    query: [],
    headers: inHeader ? { authorization: formatBasicAuthorization(client) } : {},
    form: inHeader ? grant : [...grant, ...clientFields],
  };
};

/** The redirect address has to be the one of the authorization, to the letter. */
export const buildCodeRequest = (
  client: OAuthClient,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string | undefined },
): HttpRequest =>
  buildTokenRequest(client, [
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', redirectUri],
    ...(verifier === undefined ? [] : [['code_verifier', verifier] as const]),
  ]);

/** A refreshed token keeps its scopes. */
export const buildRefreshRequest = (client: OAuthClient, refreshToken: string): HttpRequest =>
  buildTokenRequest(client, [
    ['grant_type', 'refresh_token'],
    ['refresh_token', refreshToken],
  ]);

export const buildClientCredentialsRequest = (client: OAuthClient, scopes: readonly string[]): HttpRequest =>
  buildTokenRequest(client, [
    ['grant_type', 'client_credentials'],
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')] as const]),
  ]);

/** Names a token without telling it. */
export const fingerprintToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex').slice(0, 32);
