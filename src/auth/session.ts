import type { Identity } from '../context.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import type { Credential, CredentialStore } from './credentials.ts';

/** Which credential a run uses, and what happens when the service refuses it. */

export interface SessionFacts {
  readonly profile: string;
  /** `TTCTL_TOKEN`; it wins over what is stored. */
  readonly environmentToken: string | undefined;
  readonly baseUrl: string;
  /** Loaded only where no token is in the environment. */
  readonly credentials: () => Promise<CredentialStore>;
  /** The embedded sandbox signs its owner in by itself. */
  readonly embedded?: { ownerToken(): Promise<string> };
  /** Told every secret before it is used, so that no output shows it. */
  readonly register: (secret: string) => void;
}

export interface Session {
  /** @throws Failure (exit 3) when there is no credential, UsageError when it is not for this address */
  token(): Promise<string>;
  /** After a 401: another token when there is one by now, else `undefined`. */
  renew(refused: string): Promise<string | undefined>;
  identity(): Promise<Identity>;
}

const SANDBOX_PREFIX = 'sbx_';

const isLoopback = (address: string): boolean => {
  const host = new URL(address).hostname;
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
};

/** A sandbox token never leaves this machine (design/sandbox.md, No accidents). */
const guardSandboxToken = (token: string, baseUrl: string): void => {
  if (!token.startsWith(SANDBOX_PREFIX) || isLoopback(baseUrl)) return;
  throw new UsageError(`a sandbox token is not sent to ${new URL(baseUrl).host}`, {
    code: 'sandbox_token',
    reason: 'Tokens that begin with sbx_ belong to a sandbox on this machine.',
    hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token of the service.',
  });
};

/** A stored token goes to the address that it was stored for and to no other (requirement C3). */
const guardOrigin = (credential: Credential, { baseUrl, profile }: SessionFacts): void => {
  if (new URL(credential.base_url).origin === new URL(baseUrl).origin) return;
  throw new UsageError(`the token of profile ${profile} is not for ${new URL(baseUrl).origin}`, {
    code: 'wrong_origin',
    reason: `It was stored for ${new URL(credential.base_url).origin}.`,
    hint: 'Sign in for this address under another profile, or give the token in TTCTL_TOKEN.',
  });
};

const signedOut = ({ profile }: SessionFacts): Failure =>
  new Failure(`not signed in (profile ${profile})`, {
    code: 'not_signed_in',
    exit: EXIT.signedOut,
    hint: `Sign in: ttctl auth login --profile ${profile} --token-stdin. To try things with no account: --profile sandbox.`,
  });

interface Found {
  readonly token: string;
  readonly identity: Identity;
}

const find = async (facts: SessionFacts): Promise<Found | undefined> => {
  const { profile, environmentToken, embedded, credentials } = facts;
  // A token of the real service in the environment is not for the sandbox: it signs its owner in by itself.
  const forSandbox = embedded === undefined || environmentToken?.startsWith(SANDBOX_PREFIX);
  if (environmentToken !== undefined && forSandbox) {
    return { token: environmentToken, identity: { profile, kind: 'environment', source: 'TTCTL_TOKEN' } };
  }
  const store = await credentials();
  const stored = store.read(profile);
  if (stored !== undefined) {
    guardOrigin(stored, facts);
    return {
      token: stored.access_token,
      identity: { profile, kind: stored.kind, source: store.file ?? '' },
    };
  }
  if (embedded === undefined) return undefined;
  const source = 'the embedded sandbox';
  return { token: await embedded.ownerToken(), identity: { profile, kind: 'sandbox', source } };
};

/** The session of one run. The credential is looked for when it is first needed. */
export const createSession = (facts: SessionFacts): Session => {
  const current = async (): Promise<Found> => {
    const found = await find(facts);
    if (found === undefined) throw signedOut(facts);
    facts.register(found.token);
    guardSandboxToken(found.token, facts.baseUrl);
    return found;
  };
  let known: Promise<Found> | undefined;
  const once = () => {
    known ??= current();
    return known;
  };
  return {
    token: async () => (await once()).token,
    identity: async () => (await once()).identity,
    async renew(refused) {
      known = undefined; // another process may have signed in since
      const { token } = await once();
      return token === refused ? undefined : token;
    },
  };
};
