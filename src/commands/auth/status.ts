import { getAccessExpiry, getTokenExpiry } from '../../auth/sign-in.ts';
import { fetchAccount } from '../../changes/account.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { NetworkError } from '../../outcome.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { rememberAccount } from './remember.ts';

const authStatusFields = [
  'profile',
  'account',
  'workspace',
  'base_url',
  'kind',
  'source',
  'scopes',
  'access_expires_at',
  'refresh_expires_at',
  'checked',
] as const;

/** Who the service says we are; `undefined` when it could not be reached. */
const askAccount = async (context: Context): Promise<{ account: string | null } | undefined> => {
  try {
    return { account: await fetchAccount(context) };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    context.output.warn(`the service could not be reached: ${error.message}`);
    return undefined;
  }
};

export const authStatus = defineCommand({
  path: 'auth status',
  about: 'show who is signed in and how',
  examples: ['ttctl auth status', 'ttctl auth status --output json'],
  prints: { shape: 'record', fields: authStatusFields },
  exits: SERVICE_EXITS,
  run: async (context) => {
    const { settings, credentials, output } = context;
    const { profile, kind, source } = await context.identity();
    const stored =
      kind === 'environment' || kind === 'sandbox' ? undefined : (await credentials()).read(profile);
    const created = kind === 'environment' ? settings.tokenCreated : undefined;
    const tokenExpiry = created === undefined ? null : getTokenExpiry(created.value);
    const answer = await askAccount(context);
    if (answer?.account != null && stored !== undefined) await rememberAccount(context, answer.account);
    await output.record({
      profile,
      account: answer?.account ?? stored?.account ?? null,
      workspace: (await context.knownWorkspaceId()) ?? null,
      base_url: settings.baseUrl?.value ?? null,
      kind,
      source,
      scopes: stored?.scopes ?? null,
      access_expires_at: stored === undefined ? tokenExpiry : getAccessExpiry(stored),
      refresh_expires_at: stored?.refresh_expires_at ?? null,
      checked: answer !== undefined,
    });
  },
});
