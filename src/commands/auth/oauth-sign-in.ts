import type { Credential } from '../../auth/credentials.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { findLoopbackRedirectProblem, REDIRECT_HINT } from '../../parsing/address.ts';
import { gatherRegistration, type Registration } from './application.ts';
import { storeSignIn } from './remember.ts';
import { chooseWorkspace, fetchTokenAccount, fetchWorkspaces } from './workspace.ts';

/** Signs in by OAuth2: with a browser, or as a client. */

type Options = Readonly<Record<string, unknown>>;

/** The address that people are told to register. */
const DEFAULT_REDIRECT_URI = 'http://127.0.0.1:8484/callback';

const requireTerminal = ({ prompter, settings }: Context, options: Options): void => {
  if (prompter.available || options.browser === false || settings.dryRun.value) return;
  throw new UsageError('there is no terminal to sign in with', {
    code: 'no_terminal',
    hint: 'Add --no-browser to print the address and read the final address from stdin. To sign in unattended, use --client-credentials, --token-stdin or TTCTL_TOKEN.',
  });
};

const buildProfileMembers = (
  registration: Registration,
  redirectUri: string | undefined,
  browser: boolean,
) => ({
  base_url: registration.baseUrl,
  ...(browser ? { auth_url: registration.authUrl } : {}),
  token_url: registration.tokenUrl,
  client_id: registration.clientId,
  scope: registration.scopes.join(','),
  ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
});

const finish = async (context: Context, credential: Credential, members: object): Promise<void> => {
  const { access_token: token, base_url: baseUrl } = credential;
  const workspaces = await fetchWorkspaces(context, { token, baseUrl });
  const workspace = await chooseWorkspace(context, workspaces);
  const account = await fetchTokenAccount(context, { token, baseUrl }, workspace ?? workspaces[0]);
  const { scopes, access_expires_at, refresh_expires_at } = credential;
  await storeSignIn(context, {
    members: { ...members },
    workspaces,
    workspace,
    account,
    details: { scopes, access_expires_at, refresh_expires_at: refresh_expires_at ?? null },
  });
};

/** What a dry run shows: nothing is asked, opened or sent. */
const showPlan = async ({ settings, output }: Context): Promise<void> =>
  output.record({
    profile: settings.profile.value,
    base_url: settings.baseUrl?.value ?? null,
    auth_url: settings.authUrl?.value ?? null,
    token_url: settings.tokenUrl?.value ?? null,
    client_id: settings.clientId?.value ?? null,
    redirect_uri: settings.redirectUri?.value ?? DEFAULT_REDIRECT_URI,
    planned: true,
  });

/** Before anything is asked. @throws UsageError */
const checkStoredRedirect = ({ settings: { redirectUri, profile } }: Context): void => {
  const problem = findLoopbackRedirectProblem(redirectUri?.value ?? DEFAULT_REDIRECT_URI);
  if (problem === undefined) return;
  throw new UsageError(`the redirect address of profile ${profile.value} ${problem}`, {
    code: 'redirect_uri',
    hint: REDIRECT_HINT,
  });
};

/** The authorization-code flow. @throws UsageError, Failure (exit 3) */
export const signInByBrowser = async (context: Context, options: Options): Promise<void> => {
  requireTerminal(context, options);
  checkStoredRedirect(context);
  if (context.settings.dryRun.value) return showPlan(context);
  const service = await context.auth();
  const registration = await gatherRegistration(context, service, options, true);
  const redirectUri = context.settings.redirectUri?.value;
  const credential = await service.signInByBrowser(registration, {
    authUrl: registration.authUrl,
    redirectUri: redirectUri ?? DEFAULT_REDIRECT_URI,
    pkce: options.pkce !== false,
    browser: options.browser !== false,
  });
  await finish(context, credential, buildProfileMembers(registration, redirectUri, true));
};

/** The client-credentials grant, for servers. */
export const signInByClient = async (context: Context, options: Options): Promise<void> => {
  if (context.settings.dryRun.value) return showPlan(context);
  const service = await context.auth();
  const registration = await gatherRegistration(context, service, options, false);
  const credential = await service.signInByClient(registration);
  await finish(context, credential, buildProfileMembers(registration, undefined, false));
};
