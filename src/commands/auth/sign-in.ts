import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { getToday, parseDay } from '../../parsing/calendar.ts';
import { MAX_TOKEN_BYTES } from '../../parsing/input-limits.ts';
import { parseScopes } from '../../parsing/names.ts';
import { readBaseUrl } from './application.ts';
import { signInByBrowser, signInByClient } from './oauth-sign-in.ts';
import { storeSignIn } from './remember.ts';
import { chooseWorkspace, fetchTokenAccount, fetchWorkspaces } from './workspace.ts';

/** Signs in in the way that the flags of `auth login` say. */

const readToken = async ({ prompter, stdin }: Context): Promise<string> => {
  const text = prompter.available
    ? await prompter.secret('Personal Access Token')
    : await stdin(MAX_TOKEN_BYTES);
  const token = text.trim();
  if (token === '' || /\s/.test(token)) {
    throw new UsageError('stdin holds no token', {
      hint: 'Pipe in the token: printf \'%s\' "$TOKEN" | ttctl auth login --token-stdin',
    });
  }
  return token;
};

/**
 * Takes a Personal Access Token, tries it, and stores it with the address and the workspace.
 * @throws UsageError, Failure when the token is refused: nothing is stored then
 */
const signInByToken = async (context: Context, options: Readonly<Record<string, unknown>>): Promise<void> => {
  const { settings, credentials, clock } = context;
  const created = parseDay(String(options.created ?? 'today'), () => getToday(clock.now(), 'UTC'));
  const baseUrl = await readBaseUrl(context);
  const token = await readToken(context);
  const workspaces = await fetchWorkspaces(context, { token, baseUrl });
  const workspace = await chooseWorkspace(context, workspaces);
  const account = await fetchTokenAccount(context, { token, baseUrl }, workspace ?? workspaces[0]);
  // The profile's scopes are for the next sign-in by browser: of a token only its maker knows.
  const scopes = settings.scope?.from === 'flag' ? parseScopes(settings.scope.value) : undefined;
  if (!settings.dryRun.value) {
    await (await credentials()).write(settings.profile.value, {
      kind: 'personal',
      base_url: baseUrl,
      access_token: token,
      created_at: created,
      ...(scopes === undefined ? {} : { scopes }),
    });
  }
  await storeSignIn(context, { members: { base_url: baseUrl }, workspaces, workspace, account });
};

/** @throws UsageError for flags of different ways */
export const signIn = (context: Context, options: Readonly<Record<string, unknown>>): Promise<void> => {
  if (context.settings.embedded) {
    throw new UsageError('the profile sandbox needs no sign-in', {
      hint: 'Use it directly: ttctl --profile sandbox members list',
    });
  }
  const { tokenStdin, clientCredentials, clientSecretStdin, created } = options;
  if (tokenStdin === true && (clientCredentials === true || clientSecretStdin === true))
    throw new UsageError('--token-stdin needs no client id or secret');
  if (created !== undefined && tokenStdin !== true) throw new UsageError('--created needs --token-stdin');
  if (tokenStdin === true) return signInByToken(context, options);
  return clientCredentials === true ? signInByClient(context, options) : signInByBrowser(context, options);
};
