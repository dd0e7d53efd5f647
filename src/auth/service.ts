import type { ClientAuth, Credential } from './credentials.ts';

/** What `ttctl auth …` works with. Types only: `runtime/auth-service.ts` builds the real thing. */

export interface OAuthApplication {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret: string | undefined;
  readonly clientAuth: ClientAuth;
  readonly scopes: readonly string[];
}

export interface BrowserSignInOptions {
  readonly authUrl: string;
  readonly redirectUri: string;
  readonly pkce: boolean;
  /** Whether a browser is opened; else its address is only told, and the one it ends at is read from stdin too. */
  readonly browser: boolean;
}

export interface AuthService {
  /** The next line of stdin; `undefined` when there is no more. */
  readLine(): Promise<string | undefined>;
  /**
   * The authorization-code flow. What comes of it is on the disk when this returns.
   * @throws Failure: exit 3 for denied, port taken, too late, refused; `Cancelled` at Ctrl-C
   */
  signInByBrowser(application: OAuthApplication, options: BrowserSignInOptions): Promise<Credential>;
  /** The client-credentials grant; likewise. */
  signInByClient(application: OAuthApplication): Promise<Credential>;
  /** Renews what is stored for the profile, now. @throws Failure (exit 3) where it cannot be */
  renew(): Promise<Credential>;
}
