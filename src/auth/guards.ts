import { UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';
import type { StoredCredential } from './credential-file.ts';

/** Where a token may not go. */

export const SANDBOX_PREFIX = 'sbx_';

/** A sandbox token never leaves this machine (docs/requirements.md, SBX-13). @throws UsageError */
export const guardSandboxToken = (token: string, baseUrl: string): void => {
  if (!token.startsWith(SANDBOX_PREFIX) || isLoopback(new URL(baseUrl).hostname)) return;
  throw new UsageError(`a sandbox token is not sent to ${new URL(baseUrl).host}`, {
    code: 'sandbox_token',
    reason: 'Tokens that start with sbx_ belong to a sandbox on this machine.',
    hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token from the service.',
  });
};

/** A stored token goes to no other address than the one it was stored for (docs/requirements.md, C3). @throws UsageError */
export const guardOrigin = (
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
