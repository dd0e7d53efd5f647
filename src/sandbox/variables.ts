/** What points `ttctl` in another process at a sandbox server. */

export interface ServerAddresses {
  readonly base_url: string;
  readonly auth_url: string;
  readonly token_url: string;
}

export interface ClientCredentials {
  readonly token: string;
  readonly workspace: number | undefined;
  /** Lets `ttctl sandbox …` control the server. */
  readonly secret: string;
  /** Of the server: `150/60,20/1`, or `off`. */
  readonly rateLimit: string;
}

/**
 * The profile is a neutral one: the chosen one may be the embedded sandbox, or keep its own workspace.
 */
export const buildClientVariables = (
  addresses: ServerAddresses,
  { token, workspace, secret, rateLimit }: ClientCredentials,
): Record<string, string> => ({
  TTCTL_BASE_URL: addresses.base_url,
  TTCTL_AUTH_URL: addresses.auth_url,
  TTCTL_TOKEN_URL: addresses.token_url,
  TTCTL_TOKEN: token,
  TTCTL_WORKSPACE: String(workspace ?? ''),
  TTCTL_PROFILE: 'default',
  TTCTL_SANDBOX_SECRET: secret,
  TTCTL_RATE_LIMIT: rateLimit,
});
