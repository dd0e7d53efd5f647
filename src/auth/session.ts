import type { Identity } from '../context.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';
import type { StoredCredential } from './credential-file.ts';
import type { Credential, CredentialStore, HeldCredential } from './credentials.ts';
import { createEndNotice, formatSignInCommand, hasExpired, isRenewable, isRenewalDue } from './sign-in.ts';

/** Where a token may not go. */

const SANDBOX_PREFIX = 'sbx_';

/** A sandbox token never leaves this machine. @throws UsageError */
const guardSandboxToken = (token: string, baseUrl: string): void => {
  if (!token.startsWith(SANDBOX_PREFIX) || isLoopback(new URL(baseUrl).hostname)) return;
  throw new UsageError(`a sandbox token is not sent to ${new URL(baseUrl).host}`, {
    code: 'sandbox_token',
    reason: 'Tokens that start with sbx_ belong to a sandbox on this machine.',
    hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token from the service.',
  });
};

/** A stored token goes to no other address than the one it was stored for. @throws UsageError */
const guardOrigin = (
  credential: StoredCredential,
  { baseUrl, profile }: { readonly baseUrl: string; readonly profile: string },
): void => {
  if (new URL(credential.base_url).origin === new URL(baseUrl).origin) return;
  throw new UsageError(`the token of profile ${profile} is not for ${new URL(baseUrl).origin}`, {
    code: 'wrong_origin',
    reason: `It was stored for ${new URL(credential.base_url).origin}.`,
    hint: 'Sign in to this address with another profile, or set TTCTL_TOKEN.',
  });
};

/** Which credential a run uses, how it is kept alive, and what happens when the service refuses it. */

export interface SessionOptions {
  readonly profile: string;
  /** `TTCTL_TOKEN`; it wins over what is stored, and is never renewed. */
  readonly environmentToken: string | undefined;
  /** Where that token is from, when it is not from the environment: a sign-in tries it. */
  readonly tokenSource?: string;
  readonly baseUrl: string;
  /** Loaded only where no token is in the environment. */
  readonly credentials: () => Promise<CredentialStore>;
  /** The embedded sandbox signs its owner in by itself. */
  readonly embedded?: { ownerToken(): Promise<string> };
  /** Told every secret before it is used, so that no output shows it. */
  readonly register: (secret: string) => void;
  readonly clock: { now(): number };
  /** IANA name of the zone that days are shown in. */
  readonly timeZone: () => string;
  readonly warn: (text: string) => void;
  /**
   * Replaces the stored credential by a renewed one, or gives the one that another process has renewed meanwhile.
   * Loaded when it is needed. @throws Failure
   */
  readonly renew: (store: CredentialStore, stored: Credential) => Promise<Credential>;
}

export interface Session {
  /** @throws Failure (exit 3) when there is no credential, UsageError when it is not for this address */
  token(): Promise<string>;
  /** After a 401: another token when there is one by now or one can be had, else `undefined`. */
  renew(refused: string): Promise<string | undefined>;
  identity(): Promise<Identity>;
  /** What the token may do, as far as is known. Asks nobody. */
  scopes(): Promise<readonly string[] | undefined>;
  /** Keeps what the service said of a stored token's scopes. Never fails: it only saves a request later. */
  learn(scopes: readonly string[]): Promise<void>;
}

const createSignedOutFailure = ({ profile }: SessionOptions): Failure =>
  new Failure(`not signed in (profile ${profile})`, {
    code: 'not_signed_in',
    exit: EXIT.signedOut,
    hint: `Sign in: ${formatSignInCommand({ kind: 'oauth', profile })} (with a Personal Access Token: add --token-stdin). To try ttctl without an account: --profile sandbox.`,
  });

const createEndedFailure = (
  stored: Credential,
  file: string | undefined,
  { profile }: SessionOptions,
): Failure =>
  new Failure(`the sign-in of profile ${profile} has expired`, {
    code: 'session_ended',
    exit: EXIT.signedOut,
    reason: `The service refused to renew the sign-in stored in ${file}.`,
    hint: `Sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`,
  });

interface ResolvedCredential {
  readonly token: string;
  readonly identity: Identity;
  /** Where the token is a stored one. */
  readonly kept?: { readonly stored: Credential; readonly store: CredentialStore };
}

const withStored = (found: ResolvedCredential, stored: Credential): ResolvedCredential => ({
  ...found,
  token: stored.access_token,
  ...(found.kept === undefined ? {} : { kept: { ...found.kept, stored } }),
});

const findStored = async (options: SessionOptions): Promise<ResolvedCredential | undefined> => {
  const store = await options.credentials();
  const stored = store.read(options.profile);
  if (stored === undefined) return undefined;
  guardOrigin(stored, options);
  const identity = { profile: options.profile, kind: stored.kind, source: store.file ?? '' };
  return { token: stored.access_token, identity, kept: { stored, store } };
};

const findCredential = async (options: SessionOptions): Promise<ResolvedCredential | undefined> => {
  const { profile, environmentToken, embedded, tokenSource = 'TTCTL_TOKEN' } = options;
  // A token of the real service in the environment is not for the sandbox: it signs its owner in by itself.
  const forSandbox = embedded === undefined || environmentToken?.startsWith(SANDBOX_PREFIX);
  if (environmentToken !== undefined && forSandbox) {
    return { token: environmentToken, identity: { profile, kind: 'environment', source: tokenSource } };
  }
  const found = await findStored(options);
  if (found !== undefined || embedded === undefined) return found;
  const source = 'the embedded sandbox';
  return { token: await embedded.ownerToken(), identity: { profile, kind: 'sandbox', source } };
};

const findOrFail = async (options: SessionOptions): Promise<ResolvedCredential> => {
  const found = await findCredential(options);
  if (found === undefined) throw createSignedOutFailure(options);
  return found;
};

/** With a fresh token in place of one that is about to end. One that still works is used though it is not renewed. */
const renewIfDue = async (
  found: ResolvedCredential,
  options: SessionOptions,
  asked: Set<string>,
): Promise<ResolvedCredential> => {
  const { stored, store } = found.kept ?? {};
  if (stored === undefined || store === undefined || !isRenewalDue(stored, options.clock.now())) return found;
  const hasEnded = hasExpired(stored, options.clock.now());
  if (!isRenewable(stored)) {
    if (hasEnded && stored.dead === true) throw createEndedFailure(stored, store.file, options);
    return found;
  }
  if (asked.has(stored.access_token)) return found;
  asked.add(stored.access_token);
  try {
    return withStored(found, await options.renew(store, stored));
  } catch (error) {
    if (hasEnded || !(error instanceof Failure) || error instanceof Cancelled) throw error;
    const advice = error.exit === EXIT.signedOut && error.hint !== undefined ? `; ${error.hint}` : '';
    options.warn(`the sign-in of profile ${options.profile} was not renewed: ${error.message}${advice}`);
    return found;
  }
};

/** After a 401: what another process has stored meanwhile, else what a renewal gives. */
const replaceRefused = async (
  refused: string,
  options: SessionOptions,
  retriedTokens: Set<string>,
): Promise<ResolvedCredential> => {
  const found = await findOrFail(options);
  const { stored, store } = found.kept ?? {};
  if (found.token !== refused || stored === undefined || store === undefined) return found;
  if (!isRenewable(stored) || retriedTokens.has(refused)) return found;
  retriedTokens.add(refused);
  const renewed = await options.renew(store, stored);
  // A service that refuses what it has just given is not asked for more.
  retriedTokens.add(renewed.access_token);
  return withStored(found, renewed);
};

/** Lays the scopes over what stands on the disk by now, if that is still the same token. Never fails. */
const storeScopes = async (
  { kept }: ResolvedCredential,
  profile: string,
  scopes: readonly string[],
): Promise<void> => {
  if (kept === undefined || kept.stored.scopes?.join() === scopes.join()) return;
  const work = async (held: HeldCredential): Promise<void> => {
    const current = held.read();
    if (current?.access_token === kept.stored.access_token) held.commit({ ...current, scopes });
  };
  await kept.store.hold(profile, work).catch(() => {});
};

/** Before a token is used: no output shows it, and it goes nowhere that it may not go. */
const guard = (found: ResolvedCredential, { register, baseUrl }: SessionOptions): ResolvedCredential => {
  register(found.token);
  guardSandboxToken(found.token, baseUrl);
  return found;
};

/** The session of one run. The credential is looked for when it is first needed. */
export const createSession = (options: SessionOptions): Session => {
  const warnOfExpiry = createEndNotice(options);
  const asked = new Set<string>();
  const retriedTokens = new Set<string>();
  const resolveCurrent = async (): Promise<ResolvedCredential> => {
    const found = guard(await renewIfDue(guard(await findOrFail(options), options), options, asked), options);
    warnOfExpiry(found.kept?.stored);
    return found;
  };
  let currentCredential: Promise<ResolvedCredential> | undefined;
  let replacement: Promise<ResolvedCredential> | undefined;
  const getCurrent = () => {
    currentCredential ??= resolveCurrent();
    return currentCredential;
  };
  return {
    async token() {
      const { kept, token } = await getCurrent();
      // A long run outlives its token.
      const due = kept !== undefined && !asked.has(token) && isRenewalDue(kept.stored, options.clock.now());
      if (due) currentCredential = undefined;
      return (await getCurrent()).token;
    },
    identity: async () => (await getCurrent()).identity,
    async renew(refused) {
      const current = await getCurrent().catch(() => undefined);
      if (current !== undefined && current.token !== refused) return current.token;
      // Several requests are refused at once; they share one answer.
      replacement ??= replaceRefused(refused, options, retriedTokens).finally(() => {
        replacement = undefined;
      });
      const found = guard(await replacement, options);
      currentCredential = Promise.resolve(found);
      return found.token === refused ? undefined : found.token;
    },
    scopes: async () => (await findCredential(options))?.kept?.stored.scopes,
    learn: async (scopes) => storeScopes(await getCurrent(), options.profile, scopes),
  };
};
