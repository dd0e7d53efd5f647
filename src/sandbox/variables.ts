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
}

/**
 * The profile is a neutral one: the chosen one may be the embedded sandbox, or keep its own workspace.
 */
export const buildClientVariables = (
  place: ServerAddresses,
  { token, workspace, secret }: ClientCredentials,
): Record<string, string> => ({
  TTCTL_BASE_URL: place.base_url,
  TTCTL_AUTH_URL: place.auth_url,
  TTCTL_TOKEN_URL: place.token_url,
  TTCTL_TOKEN: token,
  TTCTL_WORKSPACE: String(workspace ?? ''),
  TTCTL_PROFILE: 'default',
  TTCTL_SANDBOX_SECRET: secret,
});
