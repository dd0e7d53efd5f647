import { collectRows, type Row } from '../../api/page.ts';
import { API_ROLES } from '../../api/records.ts';
import { workspaceIdOf } from '../../api/reply.ts';
import { type OAuthApplication, StdinLines, signInByBrowser, signInByClient } from '../../auth/code-flow.ts';
import type { Credential, CredentialStore } from '../../auth/credentials.ts';
import { readText } from '../../changes/input/files.ts';
import { defineCommand } from '../../cli/command.ts';
import { Cancelled, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { getToday, parseDay } from '../../parsing/calendar.ts';
import { findScopeProblem, parseScopes, SCOPES } from '../../parsing/names.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import {
  findAddressProblem,
  findLoopbackRedirectProblem,
  MAX_TOKEN_BYTES,
  normalizeAddress,
  REDIRECT_HINT,
} from '../../parsing/text.ts';
import type { Run } from '../../run.ts';
import { printLocalChange } from '../local-change.ts';
import { SERVICE_EXITS } from '../outputs.ts';

/** How a client may tell its secret (docs/service.md, OAuth2). */
const CLIENT_AUTH = ['body', 'basic'] as const;

/** Members of what is printed; the last three are of a sign-in by OAuth2. */
const signInFields = [
  ...['profile', 'account', 'base_url', 'workspace', 'workspace_name', 'credentials_file'],
  ...['scopes', 'access_expires_at', 'refresh_expires_at'],
];

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
    return tokenStdin === true ? storeToken(context, options) : signInByApplication(context, options);
  },
});

type Options = Readonly<Record<string, unknown>>;

/**
 * Takes a Personal Access Token, tries it, and stores it with the address and the workspace.
 * @throws UsageError, Failure when the token is refused: nothing is stored then
 */
async function storeToken(run: Run, options: Options): Promise<void> {
  const { settings, clock, machine, prompter } = run;
  const created = parseDay(String(options.created ?? 'today'), () => getToday(clock.now(), 'UTC'));
  const baseUrl = await readBaseUrl(run);
  const text = prompter.available
    ? await prompter.secret('Personal Access Token')
    : await readText(machine, '-', { maxBytes: MAX_TOKEN_BYTES });
  const token = text.trim();
  if (token === '' || /\s/.test(token)) {
    throw new UsageError('stdin holds no token', {
      hint: 'Pipe in the token: printf \'%s\' "$TOKEN" | ttctl auth login --token-stdin',
    });
  }
  const found = await findWorkspace(run, token, baseUrl);
  // The profile's scopes are for the next sign-in by browser: of a token only its maker knows.
  const scopes = settings.scope?.from === 'flag' ? parseScopes(settings.scope.value) : undefined;
  if (!settings.dryRun.value) {
    await run.credentials.write(settings.profile.value, {
      kind: 'personal',
      base_url: baseUrl,
      access_token: token,
      created_at: created,
      ...(scopes && { scopes }),
    });
  }
  await storeSignIn(run, { members: { base_url: baseUrl }, ...found });
}

/** The address that people are told to register. */
const DEFAULT_REDIRECT_URI = 'http://127.0.0.1:8484/callback';

/**
 * The authorization-code flow, or for servers the client-credentials grant.
 * @throws UsageError, Failure (exit 3)
 */
async function signInByApplication(run: Run, options: Options): Promise<void> {
  const byBrowser = options.clientCredentials !== true;
  const redirectUri = byBrowser ? chooseRedirect(run, options) : '';
  if (run.settings.dryRun.value) return showPlan(run);
  const lines = new StdinLines(run.machine);
  let application: OAuthApplication;
  let credential: Credential;
  try {
    application = await gatherApplication(run, lines, options);
    const flow = { redirectUri, pkce: options.pkce !== false, browser: options.browser !== false };
    credential = byBrowser
      ? await signInByBrowser(run, application, flow, lines)
      : await signInByClient(run, application);
  } finally {
    lines.close();
  }
  const { access_token: token, scopes, access_expires_at, refresh_expires_at = null } = credential;
  const { baseUrl, authUrl, tokenUrl, clientId } = application;
  const members = {
    ...{ base_url: baseUrl, token_url: tokenUrl, client_id: clientId, scope: application.scopes.join(',') },
    ...(byBrowser && { auth_url: authUrl }),
    ...(byBrowser && run.settings.redirectUri && { redirect_uri: redirectUri }),
  };
  const details = { scopes, access_expires_at, refresh_expires_at };
  await storeSignIn(run, { members, ...(await findWorkspace(run, token, baseUrl)), details });
}

/** @throws UsageError where no browser can come back to it, or none can be opened */
function chooseRedirect({ settings, prompter }: Run, options: Options): string {
  const { redirectUri, profile, dryRun } = settings;
  if (!prompter.available && options.browser !== false && !dryRun.value) {
    throw new UsageError('there is no terminal to sign in with', {
      code: 'no_terminal',
      hint: 'Add --no-browser to print the address and read the final address from stdin. To sign in unattended, use --client-credentials, --token-stdin or TTCTL_TOKEN.',
    });
  }
  const address = redirectUri?.value ?? DEFAULT_REDIRECT_URI;
  const problem = findLoopbackRedirectProblem(address);
  if (problem === undefined) return address;
  throw new UsageError(`the redirect address of profile ${profile.value} ${problem}`, {
    code: 'redirect_uri',
    hint: REDIRECT_HINT,
  });
}

/** What a dry run shows: nothing is asked, opened or sent. */
async function showPlan({ settings, output }: Run): Promise<void> {
  return output.record({
    profile: settings.profile.value,
    base_url: settings.baseUrl?.value ?? null,
    auth_url: settings.authUrl?.value ?? null,
    token_url: settings.tokenUrl?.value ?? null,
    client_id: settings.clientId?.value ?? null,
    redirect_uri: settings.redirectUri?.value ?? DEFAULT_REDIRECT_URI,
    planned: true,
  });
}

/** The workspaces that a token shows, the default one, and whose it is. @throws Failure when it is refused */
async function findWorkspace(run: Run, token: string, baseUrl: string) {
  const workspaces = await collectRows(run.as(token, baseUrl).workspaces.list({}).pages());
  const workspace = await chooseWorkspace(run, workspaces);
  const account = await fetchAccount(run, token, baseUrl, workspace ?? workspaces[0]);
  return { workspaces, workspace, account };
}

/**
 * The requested one, else the only one that this person manages, else the answer to a question where one can be asked.
 * @throws UsageError for a named one that is not there
 */
async function chooseWorkspace(run: Run, workspaces: readonly Row[]): Promise<Row | undefined> {
  const { settings, prompter } = run;
  const requested = settings.workspace;
  const profileMatches = requested?.from === 'profile' ? findMatches(workspaces, requested.value) : [];
  if (profileMatches.length === 1) return profileMatches[0];
  // The workspace in the profile may belong to a previous account.
  if (requested !== undefined && requested.from !== 'profile')
    return selectWorkspace(workspaces, requested.value);
  const managed = workspaces.filter((row) => API_ROLES.includes(row.role));
  if (managed.length <= 1) return managed[0];
  return prompter.available && !settings.dryRun.value ? askWorkspace(run, managed) : undefined;
}

async function askWorkspace({ prompter, output }: Run, choices: readonly Row[]): Promise<Row> {
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

function findMatches(workspaces: readonly Row[], nameOrId: string): readonly Row[] {
  return workspaces.filter(
    ({ id, workspace_name: name }) =>
      toText(id) === nameOrId || toText(name).toLowerCase() === nameOrId.toLowerCase(),
  );
}

function formatWorkspace(row: Row): string {
  return `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;
}

/** Whose token it is: the e-mail address, or the id where the service does not tell more. */
async function fetchAccount(
  run: Run,
  token: string,
  baseUrl: string,
  workspace: Row | undefined,
): Promise<string | undefined> {
  if (workspace?.user_id == null) return undefined;
  const memberId = toText(workspace.user_id);
  const query = [['workspace_id', toText(workspace.id)]] as const;
  const { members } = run.as(token, baseUrl);
  try {
    const { data } = await members.get({ memberId }, { query, body: {}, input: {} }).send();
    return data?.email ?? memberId;
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return memberId;
  }
}

/** What Personal Access Tokens need beside themselves. @throws UsageError where nobody can be asked */
function readBaseUrl(run: Run): Promise<string> {
  if (run.settings.baseUrl === undefined && !run.prompter.available)
    throw new UsageError('missing --base-url', {
      code: 'missing_value',
      hint: 'For example: --base-url https://<host>/api/v2',
    });
  const question = 'base URL of the API, such as https://<host>/api/v2';
  return askAddress(run, question, run.settings.baseUrl?.value);
}

/** @param fallback offered to a person, never taken unasked */
async function askAddress(
  { prompter }: Run,
  question: string,
  known: string | undefined,
  fallback?: string,
): Promise<string> {
  if (known !== undefined) return known;
  const check = (text: string) => toSentence(findAddressProblem(text));
  return normalizeAddress(await prompter.text(question, { check, ...(fallback && { fallback }) }));
}

function toSentence(problem: string | undefined): string | undefined {
  return problem && `This ${problem}.`;
}

/**
 * From flags, environment and profile, and from a person what is missing.
 * @throws UsageError that names all flags of what is missing, where nobody can be asked
 */
async function gatherApplication(run: Run, lines: StdinLines, options: Options): Promise<OAuthApplication> {
  const { settings, prompter } = run;
  // Where a person approves, there is an authorization host too.
  const byBrowser = options.clientCredentials !== true;
  if (!prompter.available) refuseMissing(run, byBrowser);
  const baseUrl = await readBaseUrl(run);
  let authUrl = new URL(baseUrl).origin;
  if (byBrowser) {
    const question = 'authorization URL, without /oauth/authorize';
    authUrl = await askAddress(run, question, settings.authUrl?.value, authUrl);
  }
  const question = 'token URL, without /oauth/token';
  const tokenUrl = await askAddress(run, question, settings.tokenUrl?.value, authUrl);
  const clientId = settings.clientId?.value ?? (await prompter.text('client id of your application'));
  const clientSecret = await readClientSecret(run, lines, clientId, options.clientSecretStdin === true);
  const clientAuth = options.clientAuth === 'basic' ? 'basic' : 'body';
  const scopes = await readScopes(run);
  return { baseUrl, authUrl, tokenUrl, clientId, clientSecret, clientAuth, scopes };
}

function refuseMissing({ settings }: Run, byBrowser: boolean): void {
  const { baseUrl, authUrl, tokenUrl, clientId } = settings;
  const flags = {
    '--base-url': baseUrl,
    ...(byBrowser && { '--auth-url': authUrl }),
    '--token-url': tokenUrl,
    '--client-id': clientId,
  };
  const missing = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? flag : []));
  if (missing.length === 0) return;
  throw new UsageError(`missing ${missing.join(', ')}`, {
    code: 'missing_value',
    hint: 'Pass them as flags, or store them in the profile: ttctl profile set --help. A Personal Access Token needs only --base-url: add --token-stdin.',
  });
}

/** From stdin, the environment, the sign-in before with the same application, or a question. */
async function readClientSecret(
  run: Run,
  lines: StdinLines,
  clientId: string,
  fromStdin: boolean,
): Promise<string> {
  const { settings, prompter, interrupted } = run;
  const stored = fromStdin ? undefined : run.credentials.read(settings.profile.value);
  const storedSecret = stored?.client_id === clientId ? stored.client_secret : undefined;
  const known = fromStdin ? undefined : (settings.clientSecret?.value ?? storedSecret);
  if (known !== undefined) return known;
  let secret: string | undefined;
  if (prompter.available) secret = await prompter.secret('client secret');
  else if (fromStdin) secret = await lines.next(interrupted);
  interrupted.throwIfAborted();
  secret = secret?.trim() ?? '';
  if (secret !== '') return secret;
  throw new UsageError('no client secret', {
    code: 'missing_value',
    hint: 'Pipe it in with --client-secret-stdin, or set TTCTL_CLIENT_SECRET.',
  });
}

const DEFAULT_SCOPES = 'read,write';

async function readScopes({ settings, prompter }: Run): Promise<readonly string[]> {
  if (settings.scope !== undefined) return parseScopes(settings.scope.value);
  if (!prompter.available) return parseScopes(DEFAULT_SCOPES);
  const check = (text: string) => toSentence(findScopeProblem(text));
  return parseScopes(await prompter.text('scopes to request', { fallback: DEFAULT_SCOPES, check }));
}

interface SignInSettings {
  /** Members of the profile: addresses, client id. What stands there already and is not named stays. */
  readonly members: Row;
  readonly workspaces: readonly Row[];
  readonly workspace: Row | undefined;
  /** Whose sign-in it is; undefined where the service does not tell. */
  readonly account: string | undefined;
  readonly details?: Row;
}

/** Stores the settings of a sign-in (not in a dry run), prints them, and names the next step. */
async function storeSignIn(run: Run, signIn: SignInSettings): Promise<void> {
  const { settings, settingsStore, output } = run;
  const { members, workspaces, workspace, account, details = {} } = signIn;
  const profile = settings.profile.value;
  const store = run.credentials;
  const signedIn = {
    profile,
    account: account ?? null,
    base_url: members.base_url,
    workspace: workspace?.id ?? null,
    workspace_name: workspace?.workspace_name ?? null,
    ...details,
  };
  const plan = settings.dryRun.value;
  if (!plan) {
    const chosen = workspace && { workspace: workspaceIdOf(workspace) };
    await settingsStore.changeProfile(profile, { ...members, ...chosen });
    if (account !== undefined) await rememberAccount(store, profile, account);
  }
  await printLocalChange(run, {
    record: plan ? signedIn : { ...signedIn, credentials_file: store.file },
    next: () => {
      if (settings.token !== undefined)
        output.warn('TTCTL_TOKEN is set and overrides the stored credential. Unset it to use this sign-in.');
      output.note(
        workspace === undefined
          ? `Choose one of ${workspaces.length} workspaces: ${run.commandLine`ttctl workspaces use <workspace>`}`
          : `Try it: ${run.commandLine`ttctl timesheets list --status submitted`}`,
      );
    },
    text: `profile ${profile} is signed in${account === undefined ? '' : ` as ${account}`}`,
    inspectLine: commandLine`ttctl auth status --profile ${profile}`,
  });
}

/**
 * Notes with the stored sign-in whose it is, so that the history can tell without asking the service. Nothing depends on
 * it: where it cannot be written, nothing is said.
 */
export async function rememberAccount(
  store: CredentialStore,
  profile: string,
  account: string,
): Promise<void> {
  try {
    const stored = store.read(profile);
    if (stored === undefined || stored.account === account) return;
    await store.change(profile, stored.access_token, { account });
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
  }
}
