import type { Context } from '../../context.ts';
import { readDay, today } from '../../notation/calendar.ts';
import { MAX_TOKEN_BYTES } from '../../notation/input-limits.ts';
import { scopesIn } from '../../notation/scope-list.ts';
import { UsageError } from '../../outcome.ts';
import { remember } from './remember.ts';
import { chooseWorkspace, workspacesOf } from './workspace.ts';

/** Takes a Personal Access Token, tries it, and stores it with the address and the workspace. */

const readToken = async ({ prompter, stdin }: Context): Promise<string> => {
  const text = prompter.available
    ? await prompter.secret('Personal Access Token')
    : await stdin(MAX_TOKEN_BYTES);
  const token = text.trim();
  if (token === '' || /\s/.test(token)) {
    throw new UsageError('stdin holds no token', {
      hint: 'Pipe in one line: printf \'%s\' "$TOKEN" | ttctl auth login --token-stdin',
    });
  }
  return token;
};

/** @throws UsageError, Failure when the token is refused: nothing is stored then */
export const signInByToken = async (
  context: Context,
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const { settings, credentials, clock } = context;
  const created = readDay(String(options.created ?? 'today'), () => today(clock.now(), 'UTC'));
  const baseUrl = settings.baseUrl?.value;
  if (baseUrl === undefined)
    throw new UsageError('missing --base-url', {
      code: 'missing_value',
      hint: 'For example --base-url https://<host>/api/v2',
    });
  const token = await readToken(context);
  const workspaces = await workspacesOf(context, { token, baseUrl });
  const workspace = await chooseWorkspace(context, workspaces);
  // The profile's scopes are for the next sign-in by browser: of a token only its maker knows.
  const scopes = settings.scope?.from === 'flag' ? scopesIn(settings.scope.value) : undefined;
  if (!settings.dryRun.value) {
    await (await credentials()).write(settings.profile.value, {
      kind: 'personal',
      base_url: baseUrl,
      access_token: token,
      created_at: created,
      ...(scopes === undefined ? {} : { scopes }),
    });
  }
  await remember(context, { members: { base_url: baseUrl }, workspaces, workspace });
};
