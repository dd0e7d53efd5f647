import type { Identity } from '../context.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';
import type { StoredCredential } from './credential-file.ts';
import type { Credential, CredentialStore, HeldCredential } from './credentials.ts';
import { createEndNotice, formatSignInCommand, hasExpired, isRenewable, isRenewalDue } from './sign-in.ts';

/** Where a token may not go. */

const SANDBOX_PREFIX = 'sbx_';

/** A sandbox token never leaves this machine (docs/requirements.md, SBX-13). @throws UsageError */
const guardSandboxToken = (token: string, baseUrl: string): void => {
  if (!token.startsWith(SANDBOX_PREFIX) || isLoopback(new URL(baseUrl).hostname)) return;
  throw new UsageError(`a sandbox token is not sent to ${new URL(baseUrl).host}`, {
    code: 'sandbox_token',
    reason: 'Tokens that start with sbx_ belong to a sandbox on this machine.',
    hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token from the service.',
  });
};

/** A stored token goes to no other address than the one it was stored for (docs/requirements.md, C3). @throws UsageError */
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
  readonly renewal: (store: CredentialStore, stored: Credential) => Promise<Credential>;
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

const signedOut = ({ profile }: SessionOptions): Failure =>
  new Failure(`not signed in (profile ${profile})`, {
    code: 'not_signed_in',
    exit: EXIT.signedOut,
    hint: `Sign in: ${formatSignInCommand({ kind: 'oauth', profile })} (with a Personal Access Token: add --token-stdin). To try ttctl without an account: --profile sandbox.`,
  });

const ended = (stored: Credential, file: string | undefined, { profile }: SessionOptions): Failure =>
  new Failure(`the sign-in of profile ${profile} has expired`, {
    code: 'session_ended',
    exit: EXIT.signedOut,
    reason: `The service refused to renew the sign-in stored in ${file}.`,
    hint: `Sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`,
  });

interface Found {
  readonly token: string;
  readonly identity: Identity;
  /** Where the token is a stored one. */
  readonly kept?: { readonly stored: Credential; readonly store: CredentialStore };
}

const withStored = (found: Found, stored: Credential): Found => ({
  ...found,
  token: stored.access_token,
  ...(found.kept === undefined ? {} : { kept: { ...found.kept, stored } }),
});

const findStored = async (facts: SessionOptions): Promise<Found | undefined> => {
  const store = await facts.credentials();
  const stored = store.read(facts.profile);
  if (stored === undefined) return undefined;
  guardOrigin(stored, facts);
  const identity = { profile: facts.profile, kind: stored.kind, source: store.file ?? '' };
  return { token: stored.access_token, identity, kept: { stored, store } };
};

const find = async (facts: SessionOptions): Promise<Found | undefined> => {
  const { profile, environmentToken, embedded, tokenSource = 'TTCTL_TOKEN' } = facts;
  // A token of the real service in the environment is not for the sandbox: it signs its owner in by itself.
  const forSandbox = embedded === undefined || environmentToken?.startsWith(SANDBOX_PREFIX);
  if (environmentToken !== undefined && forSandbox) {
    return { token: environmentToken, identity: { profile, kind: 'environment', source: tokenSource } };
  }
  const found = await findStored(facts);
  if (found !== undefined || embedded === undefined) return found;
  const source = 'the embedded sandbox';
  return { token: await embedded.ownerToken(), identity: { profile, kind: 'sandbox', source } };
};

const findOne = async (facts: SessionOptions): Promise<Found> => {
  const found = await find(facts);
  if (found === undefined) throw signedOut(facts);
  return found;
};

/** With a fresh token in place of one that is about to end. One that still works is used though it is not renewed. */
const freshened = async (found: Found, facts: SessionOptions, asked: Set<string>): Promise<Found> => {
  const { stored, store } = found.kept ?? {};
  if (stored === undefined || store === undefined || !isRenewalDue(stored, facts.clock.now())) return found;
  const over = hasExpired(stored, facts.clock.now());
  if (!isRenewable(stored)) {
    if (over && stored.dead === true) throw ended(stored, store.file, facts);
    return found;
  }
  if (asked.has(stored.access_token)) return found;
  asked.add(stored.access_token);
  try {
    return withStored(found, await facts.renewal(store, stored));
  } catch (error) {
    if (over || !(error instanceof Failure) || error instanceof Cancelled) throw error;
    const advice = error.exit === EXIT.signedOut && error.hint !== undefined ? `; ${error.hint}` : '';
    facts.warn(`the sign-in of profile ${facts.profile} was not renewed: ${error.message}${advice}`);
    return found;
  }
};

/** After a 401: what another process has stored meanwhile, else what a renewal gives. */
const replaced = async (refused: string, facts: SessionOptions, tried: Set<string>): Promise<Found> => {
  const found = await findOne(facts);
  const { stored, store } = found.kept ?? {};
  if (found.token !== refused || stored === undefined || store === undefined) return found;
  if (!isRenewable(stored) || tried.has(refused)) return found;
  tried.add(refused);
  const renewed = await facts.renewal(store, stored);
  // A service that refuses what it has just given is not asked for more.
  tried.add(renewed.access_token);
  return withStored(found, renewed);
};

/** Lays the scopes over what stands on the disk by now, if that is still the same token. Never fails. */
const keepScopes = async ({ kept }: Found, profile: string, scopes: readonly string[]): Promise<void> => {
  if (kept === undefined || kept.stored.scopes?.join() === scopes.join()) return;
  const work = async (held: HeldCredential): Promise<void> => {
    const now = held.read();
    if (now?.access_token === kept.stored.access_token) held.commit({ ...now, scopes });
  };
  await kept.store.hold(profile, work).catch(() => {});
};

/** Before a token is used: no output shows it, and it goes nowhere that it may not go. */
const admit = (found: Found, { register, baseUrl }: SessionOptions): Found => {
  register(found.token);
  guardSandboxToken(found.token, baseUrl);
  return found;
};

/** The session of one run. The credential is looked for when it is first needed. */
export const createSession = (facts: SessionOptions): Session => {
  const notice = createEndNotice(facts);
  const asked = new Set<string>();
  const tried = new Set<string>();
  const current = async (): Promise<Found> => {
    const fresh = admit(await freshened(admit(await findOne(facts), facts), facts, asked), facts);
    notice(fresh.kept?.stored);
    return fresh;
  };
  let known: Promise<Found> | undefined;
  let replacing: Promise<Found> | undefined;
  const once = () => {
    known ??= current();
    return known;
  };
  return {
    async token() {
      const { kept, token } = await once();
      // A long run outlives its token.
      const due = kept !== undefined && !asked.has(token) && isRenewalDue(kept.stored, facts.clock.now());
      if (due) known = undefined;
      return (await once()).token;
    },
    identity: async () => (await once()).identity,
    async renew(refused) {
      const present = await once().catch(() => undefined);
      if (present !== undefined && present.token !== refused) return present.token;
      // Several requests are refused at once; they share one answer.
      replacing ??= replaced(refused, facts, tried).finally(() => {
        replacing = undefined;
      });
      const found = admit(await replacing, facts);
      known = Promise.resolve(found);
      return found.token === refused ? undefined : found.token;
    },
    scopes: async () => (await find(facts))?.kept?.stored.scopes,
    learn: async (scopes) => keepScopes(await once(), facts.profile, scopes),
  };
};
