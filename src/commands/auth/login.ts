import { collectRows, type Row } from '../../api/page.ts';
import { API_ROLES } from '../../api/records.ts';
import type { Credential } from '../../auth/credentials.ts';
import { readText } from '../../changes/input/files.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { Cancelled, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { findLoopbackRedirectProblem, REDIRECT_HINT } from '../../parsing/address.ts';
import { getToday, parseDay } from '../../parsing/calendar.ts';
import { parseScopes, SCOPES } from '../../parsing/names.ts';
import { MAX_TOKEN_BYTES } from '../../parsing/text.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { CLIENT_AUTH, gatherRegistration, type Registration, readBaseUrl } from './application.ts';
import { signInFields, storeSignIn } from './remember.ts';

export const authLogin = defineCommand({
  path: 'auth login',
  about: 'sign in with a browser, a Personal Access Token or client credentials',
  examples: [
    'ttctl auth login',
    'ttctl auth login --profile work --base-url https://api.example.com/api/v2 --scope read,write',
    'ttctl auth login --no-browser --client-id 12 --client-secret-stdin',
    'ttctl auth login --profile work --token-stdin --created 2026-11-02',
  ],
  newProfile: true,
  prints: { shape: 'record', fields: signInFields },
  exits: [...SERVICE_EXITS, 9],
  flags: [
    { name: 'base-url', value: 'url', about: 'base URL of the API (version 2)' },
    { name: 'auth-url', value: 'url', about: 'authorization host' },
    { name: 'token-url', value: 'url', about: 'token host' },
    { name: 'client-id', value: 'id', about: 'client id of the OAuth2 application' },
    { name: 'client-secret-stdin', about: 'read the client secret from stdin, or ask for it in a terminal' },
    {
      name: 'client-auth',
      value: 'way',
      about: 'how to send the client secret',
      choices: CLIENT_AUTH,
      usual: 'body',
    },
    {
      name: 'scope',
      value: 'scopes',
      about: 'scopes to request: read, write, admin; repeat or separate with commas',
      repeatable: true,
      offers: SCOPES,
    },
    {
      name: 'redirect-uri',
      value: 'url',
      about: 'registered redirect address (default http://127.0.0.1:8484/callback)',
    },
    {
      name: 'no-browser',
      about: 'print the address instead of opening a browser, and also read the final address from stdin',
    },
    { name: 'no-pkce', about: 'disable PKCE, for servers that refuse it', unsafe: true },
    { name: 'client-credentials', about: 'sign in as the application (for servers)' },
    { name: 'token-stdin', about: 'read a Personal Access Token from stdin, or ask for it in a terminal' },
    {
      name: 'created',
      value: 'day',
      about: 'day the token was created (default today); it expires six months later',
    },
  ],
  run: (context, { options }) => {
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
  },
});

type Options = Readonly<Record<string, unknown>>;

/**
 * Takes a Personal Access Token, tries it, and stores it with the address and the workspace.
 * @throws UsageError, Failure when the token is refused: nothing is stored then
 */
async function signInByToken(context: Context, options: Options): Promise<void> {
  const { settings, credentials, clock, machine, prompter } = context;
  const created = parseDay(String(options.created ?? 'today'), () => getToday(clock.now(), 'UTC'));
  const baseUrl = await readBaseUrl(context);
  const text = prompter.available
    ? await prompter.secret('Personal Access Token')
    : await readText(machine, '-', { maxBytes: MAX_TOKEN_BYTES });
  const token = text.trim();
  if (token === '' || /\s/.test(token)) {
    throw new UsageError('stdin holds no token', {
      hint: 'Pipe in the token: printf \'%s\' "$TOKEN" | ttctl auth login --token-stdin',
    });
  }
  const found = await findWorkspace(context, token, baseUrl);
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
  await storeSignIn(context, { members: { base_url: baseUrl }, ...found });
}

/** The address that people are told to register. */
const DEFAULT_REDIRECT_URI = 'http://127.0.0.1:8484/callback';

/** The authorization-code flow. @throws UsageError, Failure (exit 3) */
async function signInByBrowser(context: Context, options: Options): Promise<void> {
  const { settings, prompter } = context;
  const { redirectUri: stored, profile, dryRun } = settings;
  if (!prompter.available && options.browser !== false && !dryRun.value) {
    throw new UsageError('there is no terminal to sign in with', {
      code: 'no_terminal',
      hint: 'Add --no-browser to print the address and read the final address from stdin. To sign in unattended, use --client-credentials, --token-stdin or TTCTL_TOKEN.',
    });
  }
  const redirectUri = stored?.value ?? DEFAULT_REDIRECT_URI;
  const problem = findLoopbackRedirectProblem(redirectUri);
  if (problem !== undefined) {
    throw new UsageError(`the redirect address of profile ${profile.value} ${problem}`, {
      code: 'redirect_uri',
      hint: REDIRECT_HINT,
    });
  }
  if (dryRun.value) return showPlan(context);
  const service = await context.auth();
  const registration = await gatherRegistration(context, service, options, true);
  const credential = await service.signInByBrowser(registration, {
    authUrl: registration.authUrl,
    redirectUri,
    pkce: options.pkce !== false,
    browser: options.browser !== false,
  });
  await finish(context, credential, registration, {
    auth_url: registration.authUrl,
    ...(stored === undefined ? {} : { redirect_uri: stored.value }),
  });
}

/** The client-credentials grant, for servers. */
async function signInByClient(context: Context, options: Options): Promise<void> {
  if (context.settings.dryRun.value) return showPlan(context);
  const service = await context.auth();
  const registration = await gatherRegistration(context, service, options, false);
  await finish(context, await service.signInByClient(registration), registration, {});
}

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

async function finish(
  context: Context,
  credential: Credential,
  { baseUrl, tokenUrl, clientId, scopes: asked }: Registration,
  members: Row,
): Promise<void> {
  const { access_token: token, scopes, access_expires_at, refresh_expires_at = null } = credential;
  const found = await findWorkspace(context, token, credential.base_url);
  const application = { base_url: baseUrl, token_url: tokenUrl, client_id: clientId, scope: asked.join(',') };
  await storeSignIn(context, {
    members: { ...application, ...members },
    ...found,
    details: { scopes, access_expires_at, refresh_expires_at },
  });
}

/** The workspaces that a token shows, the default one, and whose it is. @throws Failure when it is refused */
async function findWorkspace(context: Context, token: string, baseUrl: string) {
  const workspaces = await collectRows(context.as(token, baseUrl).workspaces.list({}).pages());
  const workspace = await chooseWorkspace(context, workspaces);
  const account = await fetchAccount(context, token, baseUrl, workspace ?? workspaces[0]);
  return { workspaces, workspace, account };
}

/**
 * The requested one, else the only one that this person manages, else the answer to a question where one can be asked.
 * @throws UsageError for a named one that is not there
 */
async function chooseWorkspace(context: Context, workspaces: readonly Row[]): Promise<Row | undefined> {
  const { settings, prompter } = context;
  const requested = settings.workspace;
  const profileMatches = requested?.from === 'profile' ? findMatches(workspaces, requested.value) : [];
  if (profileMatches.length === 1) return profileMatches[0];
  // The workspace in the profile may belong to a previous account.
  if (requested !== undefined && requested.from !== 'profile')
    return selectWorkspace(workspaces, requested.value);
  const managed = workspaces.filter((row) => API_ROLES.includes(row.role));
  if (managed.length <= 1) return managed[0];
  return prompter.available && !settings.dryRun.value ? askWorkspace(context, managed) : undefined;
}

async function askWorkspace({ prompter, output }: Context, choices: readonly Row[]): Promise<Row> {
  output.note(choices.map(formatWorkspace).join('\n'));
  const check = (text: string) =>
    findMatches(choices, text).length === 1 ? undefined : 'Name one of them by its id or its full name.';
  return selectWorkspace(choices, await prompter.text('default workspace (id or name)', { check }));
}

function selectWorkspace(workspaces: readonly Row[], nameOrId: string): Row {
  const [row, ...more] = findMatches(workspaces, nameOrId);
  if (row !== undefined && more.length === 0) return row;
  const message =
    row === undefined ? `no workspace "${nameOrId}" for this token` : `"${nameOrId}" is ambiguous`;
  throw new UsageError(message, { reason: workspaces.map(formatWorkspace).join('\n') });
}

const findMatches = (workspaces: readonly Row[], nameOrId: string): readonly Row[] =>
  workspaces.filter(
    ({ id, workspace_name: name }) =>
      toText(id) === nameOrId || toText(name).toLowerCase() === nameOrId.toLowerCase(),
  );

const formatWorkspace = (row: Row): string =>
  `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;

/** Whose token it is: the e-mail address, or the id where the service does not tell more. */
async function fetchAccount(
  context: Context,
  token: string,
  baseUrl: string,
  workspace: Row | undefined,
): Promise<string | undefined> {
  if (workspace?.user_id == null) return undefined;
  const memberId = toText(workspace.user_id);
  const query = [['workspace_id', toText(workspace.id)]] as const;
  const { members } = context.as(token, baseUrl);
  try {
    const { data } = await members.get({ memberId }, { query, body: {}, input: {} }).send();
    return data?.email ?? memberId;
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return memberId;
  }
}
