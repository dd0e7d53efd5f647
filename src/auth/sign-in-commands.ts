import type { Identity } from '../context.ts';
import { commandLine } from '../parsing/shell-word.ts';

/** The commands that sign a person in, for hints. */

/** As the source of a token: a sign-in tries what it was given. */
export const SIGN_IN = 'the sign-in';

/** `scope`: comma list that the new token is to have. */
export const formatSignInCommand = (
  { kind, profile }: Pick<Identity, 'kind' | 'profile'>,
  scope?: string,
): string => {
  const command = commandLine`ttctl auth login --profile ${profile}`;
  if (kind === 'personal') return `${command} --token-stdin`;
  const scopes = scope === undefined ? '' : commandLine` --scope ${scope}`;
  return kind === 'client' ? `${command} --client-credentials${scopes}` : `${command}${scopes}`;
};

/** What to do for want of the `write` scope. */
export const formatWriteScopeHint = (identity: Pick<Identity, 'kind' | 'profile'>): string => {
  if (identity.kind === 'environment') return 'Set TTCTL_TOKEN to a token with the write scope.';
  if (identity.kind === 'personal')
    return `Create a token with the write scope and store it: ${formatSignInCommand(identity)}`;
  return `Sign in with the write scope: ${formatSignInCommand(identity, 'read,write')}`;
};
