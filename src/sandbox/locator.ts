import { BASE_PATH } from './open.ts';

/** A sandbox server as commands find it: by a file, or by variables. */

export interface Locator {
  /** `http://127.0.0.1:4747` */
  readonly url: string;
  readonly base_url: string;
  readonly auth_url: string;
  readonly token_url: string;
  readonly port: number;
  readonly pid: number;
  /** ISO 8601. */
  readonly started_at: string;
  /** The state file; null: in memory. */
  readonly state: string | null;
  /** Lets its holder control the server. */
  readonly secret: string;
}

export type ServerAddresses = Pick<Locator, 'url' | 'base_url' | 'auth_url' | 'token_url'>;

/** The addresses of a server. @param url its root */
export const listServerAddresses = (url: string): ServerAddresses => ({
  url,
  base_url: `${url}${BASE_PATH}`,
  auth_url: url,
  token_url: url,
});

export const createLocator = (
  facts: Pick<Locator, 'port' | 'pid' | 'started_at' | 'state' | 'secret'>,
): Locator => ({ ...listServerAddresses(`http://127.0.0.1:${facts.port}`), ...facts });

interface ClientCredentials {
  readonly token: string;
  readonly workspace: number | undefined;
  /** Lets `ttctl sandbox …` control the server. */
  readonly secret: string;
  /** Of the server: `150/60,20/1`, or `off`. */
  readonly rateLimit: string;
}

/**
 * What points `ttctl` in another process at a server. The profile is a neutral one: the chosen one may be the embedded
 * sandbox, or keep its own workspace.
 */
export const buildClientVariables = (
  addresses: Omit<ServerAddresses, 'url'>,
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
