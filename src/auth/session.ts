import { Cancelled, EXIT, Failure, UsageError } from '../errors.ts';
import { isLoopback } from '../parsing/address.ts';
import type { Credential, CredentialStore } from './credentials.ts';
import {
  describeExpiry,
  formatSignInCommand,
  hasExpired,
  type Identity,
  isRenewable,
  isRenewalDue,
} from './sign-in.ts';

/** Which credential a run uses, how it is kept alive, and what happens when the service refuses it. */

export interface SessionOptions {
  readonly profile: string;
  /** `TTCTL_TOKEN`; it wins over what is stored, and is never renewed. */
  readonly environmentToken: string | undefined;
  /** Where that token is from, when it is not from the environment: a sign-in tries it. */
  readonly tokenSource?: string;
  readonly baseUrl: string;
  readonly store: CredentialStore;
  /** The embedded sandbox signs its owner in by itself. */
  readonly embedded?: { ownerToken(): Promise<string> };
  /** Told every secret before it is used, so that no output shows it. */
  readonly register: (secret: string) => void;
  readonly clock: { now(): number };
  /** IANA name of the zone that days are shown in. */
  readonly timeZone: () => string;
  readonly warn: (text: string) => void;
  /** Replaces the stored credential by a renewed one, or gives the one that another process has renewed meanwhile. @throws Failure */
  readonly renew: (stored: Credential) => Promise<Credential>;
}

interface ResolvedCredential {
  readonly token: string;
  readonly identity: Identity;
  /** Where the token is a stored one. */
  readonly stored?: Credential;
}

const SANDBOX_PREFIX = 'sbx_';

/** The session of one run. The credential is looked for when it is first needed. */
export class Session {
  readonly #options: SessionOptions;
  /** Tokens that were asked to be replaced before they end. */
  readonly #asked = new Set<string>();
  /** Tokens that were refused, or have just been had: a service that refuses those is not asked for more. */
  readonly #retried = new Set<string>();
  #current: Promise<ResolvedCredential> | undefined;
  #replacement: Promise<ResolvedCredential> | undefined;
  #isWarned = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** @throws Failure (exit 3) when there is no credential, UsageError when it is not for this address */
  async token(): Promise<string> {
    const { stored, token } = await this.#getCurrent();
    // A long run outlives its token.
    if (stored !== undefined && !this.#asked.has(token) && this.#isDue(stored)) this.#current = undefined;
    return (await this.#getCurrent()).token;
  }

  async identity(): Promise<Identity> {
    return (await this.#getCurrent()).identity;
  }

  /** After a 401: another token when there is one by now or one can be had, else `undefined`. */
  async renew(refused: string): Promise<string | undefined> {
    const current = await this.#getCurrent().catch(() => undefined);
    if (current !== undefined && current.token !== refused) return current.token;
    // Several requests are refused at once; they share one answer.
    this.#replacement ??= this.#replaceRefused(refused).finally(() => {
      this.#replacement = undefined;
    });
    const found = this.#guard(await this.#replacement);
    this.#current = Promise.resolve(found);
    return found.token === refused ? undefined : found.token;
  }

  /** What the token may do, as far as is known. Asks nobody. */
  async scopes(): Promise<readonly string[] | undefined> {
    return (await this.#find())?.stored?.scopes;
  }

  /**
   * Keeps what the service said of a stored token's scopes, if that is still the same token on the disk. Never fails:
   * it only saves a request later.
   */
  async learn(scopes: readonly string[]): Promise<void> {
    const { stored } = await this.#getCurrent();
    if (stored === undefined || stored.scopes?.join() === scopes.join()) return;
    const { store, profile } = this.#options;
    await store.change(profile, stored.access_token, { scopes }).catch(() => {});
  }

  #getCurrent(): Promise<ResolvedCredential> {
    this.#current ??= this.#resolve();
    return this.#current;
  }

  async #resolve(): Promise<ResolvedCredential> {
    const found = this.#guard(await this.#renewIfDue(this.#guard(await this.#findOrFail())));
    this.#warnOfExpiry(found.stored);
    return found;
  }

  async #find(): Promise<ResolvedCredential | undefined> {
    const { profile, environmentToken, embedded, store, tokenSource = 'TTCTL_TOKEN' } = this.#options;
    // A token of the real service in the environment is not for the sandbox: it signs its owner in by itself.
    const isForUs = embedded === undefined || environmentToken?.startsWith(SANDBOX_PREFIX);
    if (environmentToken !== undefined && isForUs)
      return { token: environmentToken, identity: { profile, kind: 'environment', source: tokenSource } };
    const stored = store.read(profile);
    if (stored !== undefined) {
      guardOrigin(stored, this.#options);
      const identity = { profile, kind: stored.kind, source: store.file ?? '' };
      return { token: stored.access_token, identity, stored };
    }
    if (embedded === undefined) return undefined;
    const source = 'the embedded sandbox';
    return { token: await embedded.ownerToken(), identity: { profile, kind: 'sandbox', source } };
  }

  async #findOrFail(): Promise<ResolvedCredential> {
    const found = await this.#find();
    if (found !== undefined) return found;
    const { profile } = this.#options;
    throw new Failure(`not signed in (profile ${profile})`, {
      code: 'not_signed_in',
      exit: EXIT.signedOut,
      hint: `Sign in: ${formatSignInCommand({ kind: 'oauth', profile })} (with a Personal Access Token: add --token-stdin). To try ttctl without an account: --profile sandbox.`,
    });
  }

  #isDue(stored: Credential): boolean {
    return isRenewalDue(stored, this.#options.clock.now());
  }

  /** With a fresh token in place of one that is about to end. One that still works is used though it is not renewed. */
  async #renewIfDue(found: ResolvedCredential): Promise<ResolvedCredential> {
    const { stored } = found;
    const { profile, clock, warn, store } = this.#options;
    if (stored === undefined || !this.#isDue(stored)) return found;
    const hasEnded = hasExpired(stored, clock.now());
    if (hasEnded && stored.dead === true)
      throw new Failure(`the sign-in of profile ${profile} has expired`, {
        code: 'session_ended',
        exit: EXIT.signedOut,
        reason: `The service refused to renew the sign-in stored in ${store.file}.`,
        hint: `Sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`,
      });
    if (!isRenewable(stored) || this.#asked.has(stored.access_token)) return found;
    this.#asked.add(stored.access_token);
    try {
      return await this.#replace(found, stored);
    } catch (error) {
      if (hasEnded || !(error instanceof Failure) || error instanceof Cancelled) throw error;
      const advice = error.exit === EXIT.signedOut && error.hint !== undefined ? `; ${error.hint}` : '';
      warn(`the sign-in of profile ${profile} was not renewed: ${error.message}${advice}`);
      return found;
    }
  }

  async #replace(found: ResolvedCredential, old: Credential): Promise<ResolvedCredential> {
    const stored = await this.#options.renew(old);
    return { ...found, token: stored.access_token, stored };
  }

  /** What another process has stored meanwhile, else what a renewal gives. */
  async #replaceRefused(refused: string): Promise<ResolvedCredential> {
    const found = await this.#findOrFail();
    const { stored } = found;
    if (found.token !== refused || stored === undefined) return found;
    if (!isRenewable(stored) || this.#retried.has(refused)) return found;
    this.#retried.add(refused);
    const renewed = await this.#replace(found, stored);
    this.#retried.add(renewed.token);
    return renewed;
  }

  /** Before a token is used: no output shows it, and it goes nowhere that it may not go. */
  #guard(found: ResolvedCredential): ResolvedCredential {
    this.#options.register(found.token);
    const { host, hostname } = new URL(this.#options.baseUrl);
    if (!found.token.startsWith(SANDBOX_PREFIX) || isLoopback(hostname)) return found;
    throw new UsageError(`a sandbox token is not sent to ${host}`, {
      code: 'sandbox_token',
      reason: 'Tokens that start with sbx_ belong to a sandbox on this machine.',
      hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token from the service.',
    });
  }

  /** Once a run. */
  #warnOfExpiry(stored: Credential | undefined): void {
    const { profile, clock, timeZone, warn } = this.#options;
    const text = stored && describeExpiry(stored, clock.now(), timeZone);
    if (text === undefined || stored === undefined || this.#isWarned) return;
    this.#isWarned = true;
    warn(`${text}; sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`);
  }
}

/** A stored token goes to no other address than the one it was stored for. @throws UsageError */
function guardOrigin(
  credential: Credential,
  { baseUrl, profile }: Pick<SessionOptions, 'baseUrl' | 'profile'>,
): void {
  const [own, asked] = [new URL(credential.base_url).origin, new URL(baseUrl).origin];
  if (own === asked) return;
  throw new UsageError(`the token of profile ${profile} is not for ${asked}`, {
    code: 'wrong_origin',
    reason: `It was stored for ${own}.`,
    hint: 'Sign in to this address with another profile, or set TTCTL_TOKEN.',
  });
}
