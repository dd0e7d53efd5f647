/** `error` of RFC 6749, sections 4.1.2.1 and 5.2. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'server_error';

/** An OAuth2 request that is not granted: `{error, error_description, hint?}` (docs/service.md, OAuth2). */
export class OAuthRefused extends Error {
  readonly error: OAuthError;
  readonly hint: string | undefined;

  constructor(error: OAuthError, description: string, hint?: string) {
    super(description);
    this.name = 'OAuthRefused';
    this.error = error;
    this.hint = hint;
  }
}
