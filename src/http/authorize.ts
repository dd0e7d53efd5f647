import type { HttpRequest, Transport } from './transport.ts';

/** Where the bearer token of a run comes from. */
export interface CredentialSource {
  /** The access token to send. Fails with a `Failure` of exit 3 when there is none. */
  token(): Promise<string>;
  /**
   * Called after a 401 with the token that was refused. Gives the token to try in its place, be it that another
   * process renewed it meanwhile or that it is renewed now; nothing when there is no other.
   */
  renew(refused: string): Promise<string | undefined>;
}

/**
 * Sends the bearer token. After a 401 a token that has changed is tried once, with any method: 401 means that the
 * request was not carried out (docs/requirements.md, D3). Else the 401 is given back.
 */
export const withAuthorization =
  (next: Transport, credential: CredentialSource): Transport =>
  async (request) => {
    const token = await credential.token();
    const answer = await next(withToken(request, token));
    if (answer.status !== 401) return answer;
    const renewed = await credential.renew(token);
    if (renewed === undefined || renewed === token) return answer;
    return next(withToken(request, renewed));
  };

export const formatBearer = (token: string): string => `Bearer ${token}`;

const withToken = (request: HttpRequest, token: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, authorization: formatBearer(token) },
});
