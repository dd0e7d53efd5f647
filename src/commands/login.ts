import { collectRows, type Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { API_ROLES } from '../api/records.ts';
import { workspaceIdOf } from '../api/reply.ts';
import { readStdinLines, rejectWhenInterrupted, signInByBrowser, signInByClient } from '../auth/code-flow.ts';
import type { Credential } from '../auth/credentials.ts';
import { runTokenCommand } from '../auth/renewal.ts';
import { readText } from '../changes/input/files.ts';
import { defineCommand } from '../cli/command.ts';
import type { Flag } from '../cli/flag.ts';
import { Cancelled, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { getToday, parseDay } from '../parsing/calendar.ts';
import { findScopeProblem, parseScopes, SCOPES } from '../parsing/names.ts';
import { commandLine, placeholder } from '../parsing/shell-word.ts';
import {
  findAddressProblem,
  findLoopbackRedirectProblem,
  normalizeAddress,
  REDIRECT_HINT,
} from '../parsing/text.ts';
import type { Run } from '../run.ts';
import { changeLocally } from './local-change.ts';
import { SERVICE_EXITS } from './outputs.ts';

const signInFields = [
  ...['profile', 'account', 'base_url', 'workspace', 'workspace_name', 'credentials_file'],
  ...['scopes', 'access_expires_at', 'refresh_expires_at'],
];

const DEFAULT_REDIRECT_URI = 'http://127.0.0.1:8484/callback';

export const serviceFlags = [
  { name: 'base-url', value: 'url', about: 'base URL of the API (version 2)' },
  { name: 'auth-url', value: 'url', about: 'authorization host' },
  { name: 'token-url', value: 'url', about: 'token host' },
  { name: 'client-id', value: 'id', about: 'client id of the OAuth2 application' },
] as const satisfies readonly Flag[];

export const authLogin = defineCommand({
  path: 'auth login',
  about: 'sign in with a browser, a Personal Access Token, a token command or client credentials',
  examples: [
    'ttctl auth login --profile work --base-url https://api.example.com/api/v2 --scope read,write',
    'ttctl auth login --no-browser --client-id 12 --client-secret-stdin',
    'ttctl auth login --profile work --token-stdin --created 2026-11-02',
    "ttctl auth login --profile work --token-command 'op read op://Work/ttctl/token'",
  ],
  more: [
    {
      title: 'Token command',
      text: 'The shell runs it each time ttctl needs a token, from a password manager, a vault or a keyring. It must print only the token, within 30 seconds. Only the command is stored.',
    },
  ],
  newProfile: true,
  prints: { shape: 'record', fields: signInFields },
  exits: [...SERVICE_EXITS, 9],
  flags: [
    ...serviceFlags,
    { name: 'client-secret-stdin', about: 'read the client secret from stdin, or ask for it in a terminal' },
    {
      name: 'client-auth',
      value: 'way',
      about: 'how to send the client secret',
      choices: ['body', 'basic'],
      usual: 'body',
    },
    { name: 'scope', value: 'scopes', about: 'read, write, admin', repeatable: true, offers: SCOPES },
    { name: 'redirect-uri', value: 'url', about: 'registered redirect address', usual: DEFAULT_REDIRECT_URI },
    { name: 'no-browser', about: 'print the address, and also read the final address from stdin' },
    { name: 'no-pkce', about: 'disable PKCE, for servers that refuse it', unsafe: true },
    { name: 'client-credentials', about: 'sign in as the application (for servers)' },
    { name: 'token-stdin', about: 'read a Personal Access Token from stdin, or ask for it in a terminal' },
    {
      name: 'token-command',
      value: 'command',
      about: 'command that prints the token; the token is not stored',
    },
    { name: 'created', value: 'day', about: 'day the token was created (default today)' },
  ],
  run: async (run, { options }) => {
    const { tokenStdin, tokenCommand, clientCredentials, clientSecretStdin, created } = options;
    refuseSandbox(run, 'login');
    const way = tokenCommand === undefined ? '--token-stdin' : '--token-command';
    const isToken = tokenStdin === true || tokenCommand !== undefined;
    if (isToken && (clientCredentials === true || clientSecretStdin === true))
      throw new UsageError(`${way} needs no client id or secret`);
    if (tokenStdin === true && tokenCommand !== undefined)
      throw new UsageError('--token-stdin and --token-command cannot be used together');
    if (created !== undefined && tokenStdin !== true) throw new UsageError('--created needs --token-stdin');
    const kind = isToken ? TOKEN : await askKind(run, options);
    const signIn = kind === TOKEN ? storeToken(run, options) : signInByApplication(run, options);
    return signIn.catch(adviseAddress);
  },
});

/** @throws UsageError for the embedded sandbox, with the way to a profile of the service */
export function refuseSandbox({ settings: { embedded, profile } }: Run, action: string): void {
  if (!embedded) return;
  const unset = profile.from === 'environment' ? '\nOr leave the sandbox: unset TTCTL_PROFILE' : '';
  throw new UsageError('the profile sandbox needs no sign-in', {
    hint: `Name another profile: ttctl auth ${action} --profile <name>${unset}`,
  });
}

const TOKEN = 'Personal Access Token';
const BROWSER = 'browser (OAuth2 application)';

/** How a person signs in, where neither the line nor what is set says it. */
async function askKind({ settings, prompter }: Run, options: Values): Promise<string> {
  const { clientCredentials, clientSecretStdin, browser, pkce } = options;
  const { clientId, clientSecret, authUrl, tokenUrl, redirectUri } = settings;
  const isSaid = [clientCredentials, clientSecretStdin].includes(true) || [browser, pkce].includes(false);
  const isSet = [clientId, clientSecret, authUrl, tokenUrl, redirectUri].some((one) => one !== undefined);
  if (isSaid || isSet || !prompter.available || settings.dryRun.value) return BROWSER;
  return prompter.choose('sign in with', [TOKEN, BROWSER]);
}

const CHECK_ADDRESS =
  'Check the address (the version 2 root, such as https://<host>/api/v2) and the network.';
const HINTS: Readonly<Record<string, string>> = {
  forbidden: 'Only Owners and Executive Managers may use the API.',
  token_answer: 'Check the token URL: it may be wrong, or a proxy answered instead.',
};

/** Until a sign-in is stored there is no profile to look at: an address that is wrong was given just now. */
function adviseAddress(error: unknown): never {
  const isOfService = error instanceof Failure && SERVICE_EXITS.includes(error.exit);
  if (isOfService && /\bttctl (?!auth login)/.test(error.hint ?? ''))
    error.hint = HINTS[error.code] ?? CHECK_ADDRESS;
  throw error;
}

/** Tries the token, then stores it; of a command, the command alone. */
async function storeToken(run: Run, options: Values): Promise<void> {
  const { settings, clock, prompter } = run;
  const profile = settings.profile.value;
  const created_at = parseDay(String(options.created ?? 'today'), () => getToday(clock.now(), 'UTC'));
  if (settings.baseUrl === undefined && !prompter.available)
    throw new UsageError('missing --base-url', {
      code: 'missing_value',
      hint: 'For example: --base-url https://<host>/api/v2',
    });
  const base_url = await askBaseUrl(run);
  if (options.tokenCommand !== undefined) {
    const token_command = settings.tokenCommand?.value ?? '';
    const token = await runTokenCommand(token_command, profile, run.machine);
    return storeSignIn(run, { base_url, token_command }, await findWorkspace(run, token, base_url));
  }
  const access_token = await readToken(run);
  const found = await findWorkspace(run, access_token, base_url);
  // The profile's scopes are for the next sign-in by browser: of a token only its maker knows.
  const scopes = settings.scope?.from === 'flag' ? parseScopes(settings.scope.value) : undefined;
  const credential = {
    kind: 'personal',
    base_url,
    access_token,
    created_at,
    ...(scopes && { scopes }),
  } as const;
  if (!settings.dryRun.value) await run.credentials.write(profile, credential);
  await storeSignIn(run, { base_url }, found);
}

async function readToken({ prompter, machine, commandLine }: Run): Promise<string> {
  const text = prompter.available
    ? await prompter.secret('Personal Access Token')
    : await readText(machine, '-');
  const token = text.trim();
  if (token !== '' && !/\s/.test(token)) return token;
  throw new UsageError('stdin holds no token', {
    hint: `Pipe in the token: printf '%s' "$TOKEN" | ${commandLine`ttctl auth login --token-stdin`}`,
  });
}

/** The authorization-code flow, or for servers the client-credentials grant. */
async function signInByApplication(run: Run, options: Values): Promise<void> {
  const { settings, prompter, output, machine } = run;
  const profile = settings.profile.value;
  const byBrowser = options.clientCredentials !== true;
  const browser = options.browser !== false;
  const redirectUri = settings.redirectUri?.value ?? DEFAULT_REDIRECT_URI;
  if (byBrowser && !prompter.available && browser && !settings.dryRun.value)
    throw new UsageError('there is no terminal to sign in with', {
      code: 'no_terminal',
      hint: 'Add --no-browser to print the address and read the final address from stdin. To sign in unattended, use --client-credentials, --token-stdin or TTCTL_TOKEN.',
    });
  const problem = byBrowser ? findLoopbackRedirectProblem(redirectUri) : undefined;
  if (problem !== undefined)
    throw new UsageError(`the redirect address of profile ${profile} ${problem}`, {
      code: 'redirect_uri',
      hint: REDIRECT_HINT,
    });
  // A dry run asks, opens and sends nothing.
  if (settings.dryRun.value) return output.record({ profile, planned: true });
  const lines = readStdinLines(machine.stdin);
  try {
    const { authUrl, ...application } = await gatherApplication(run, lines, options);
    const flow = { authUrl, redirectUri, pkce: options.pkce !== false, browser, lines };
    const { credential, former } = byBrowser
      ? await signInByBrowser(run, { kind: 'oauth', ...application }, flow)
      : await signInByClient(run, { kind: 'client', ...application });
    const { base_url, token_url, client_id } = application;
    const members = {
      ...{ base_url, token_url, client_id, scope: application.scopes.join(',') },
      ...(byBrowser && { auth_url: authUrl }),
      ...(byBrowser && settings.redirectUri && { redirect_uri: redirectUri }),
    };
    const { access_token, scopes, access_expires_at, refresh_expires_at = null } = credential;
    try {
      const found = await findWorkspace(run, access_token, base_url);
      await storeSignIn(run, members, found, { scopes, access_expires_at, refresh_expires_at });
    } catch (error) {
      const isKept = former !== undefined && (await restoreSignIn(run, former, base_url));
      if (isKept && error instanceof Failure)
        error.reason = [error.reason, `Profile ${profile} keeps its sign-in at ${former.base_url}.`]
          .filter(Boolean)
          .join('\n');
      throw error;
    }
  } finally {
    // A pipe that nobody closes would hold the process.
    if (!prompter.available) machine.stdin.pause();
    if (!prompter.available && 'unref' in machine.stdin) machine.stdin.unref();
  }
}

/** While the profile has its old address, a token for another is of no use. @returns whether the former one is stored again */
async function restoreSignIn(run: Run, former: Credential, base_url: string): Promise<boolean> {
  const { settings, settingsStore, credentials } = run;
  const profile = settings.profile.value;
  const known = settingsStore.read().profiles[profile]?.base_url;
  if (former.base_url === base_url || known === base_url) return false;
  await credentials.write(profile, former);
  return true;
}

type FoundWorkspace = Awaited<ReturnType<typeof findWorkspace>>;

/**
 * The default workspace of a token: the requested one, else the only one that this person manages, else the answer to a
 * question where one can be asked. With it whose token it is: an e-mail address, or an id.
 * @throws Failure when the token is refused, UsageError for a named workspace that is not there
 */
async function findWorkspace(run: Run, token: string, baseUrl: string) {
  const { settings, prompter } = run;
  const api = run.as(token, baseUrl);
  const workspaces = await collectRows(api.workspaces.list({}).pages());
  const describe = (row: Row) => `${toText(row.workspace_name)} (${toText(row.id)}, ${toText(row.role)})`;
  const requested = settings.workspace;
  const wanted = requested?.value.toLowerCase();
  const matches = workspaces.filter(
    ({ id, workspace_name: name }) => toText(id) === wanted || toText(name).toLowerCase() === wanted,
  );
  let workspace = matches.length === 1 ? matches[0] : undefined;
  // The workspace in the profile may belong to a previous account.
  if (workspace === undefined && requested !== undefined && requested.from !== 'profile') {
    const what = matches.length === 0 ? 'no workspace' : 'several workspaces';
    const reason = workspaces.map(describe).join('\n');
    throw new UsageError(`${what} "${requested.value}" for this token`, { reason });
  }
  if (workspace === undefined) {
    const managed = workspaces.filter((row) => API_ROLES.includes(row.role));
    const choices = managed.map(describe);
    if (managed.length <= 1) workspace = managed[0];
    else if (prompter.available && !settings.dryRun.value)
      workspace = managed[choices.indexOf(await prompter.choose('default workspace', choices))];
  }
  const { id, user_id: user } = workspace ?? workspaces[0] ?? {};
  if (user == null) return { workspaces, workspace, account: undefined };
  const memberId = toText(user);
  const query = [['workspace_id', toText(id)]] as const;
  const own = await api.members
    .get({ memberId }, { query, body: {}, input: {} })
    .send()
    .catch((error: unknown) => {
      if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    });
  return { workspaces, workspace, account: toText(own?.data?.email ?? memberId) };
}

/** A person who named no profile is asked before the one in use goes to another service. */
async function askBaseUrl(run: Run): Promise<string> {
  const { settings, prompter, confirm } = run;
  const { profile, baseUrl, dryRun } = settings;
  const question = 'base URL of the API, such as https://<host>/api/v2';
  const base_url = await askAddress(run, question, baseUrl?.value);
  const former = findFormerAddress(run, base_url);
  if (former !== undefined && profile.from !== 'flag' && prompter.available && !dryRun.value)
    await confirm({
      local: true,
      question: `replace the sign-in of profile ${profile.value}`,
      facts: [
        `address    ${former} → ${base_url}`,
        `To keep it, sign in with a new profile: ${commandLine`--profile ${placeholder('name')}`}`,
      ],
    });
  return base_url;
}

/** Where the profile has signed in until now, if that is another address. */
function findFormerAddress({ settings, settingsStore }: Run, base_url: unknown): string | undefined {
  const { base_url: former } = settingsStore.read().profiles[settings.profile.value] ?? {};
  const isOther = former !== undefined && findAddressProblem(former) === undefined;
  return isOther && normalizeAddress(former) !== base_url ? former : undefined;
}

/** @param fallback offered to a person, never taken unasked */
async function askAddress({ prompter }: Run, question: string, known: string | undefined, fallback?: string) {
  if (known !== undefined) return known;
  const check = (text: string) => toSentence(findAddressProblem(text));
  return normalizeAddress(await prompter.text(question, { check, ...(fallback && { fallback }) }));
}

function toSentence(problem: string | undefined): string | undefined {
  return problem && `This ${problem}.`;
}

const DEFAULT_SCOPES = 'read,write';

/** The client secret may also be that of the sign-in before with the same application. */
async function gatherApplication(run: Run, lines: AsyncGenerator<string>, options: Values) {
  const { settings, prompter, interrupted } = run;
  const byBrowser = options.clientCredentials !== true;
  const flags = {
    '--base-url': settings.baseUrl,
    ...(byBrowser && { '--auth-url': settings.authUrl }),
    '--token-url': settings.tokenUrl,
    '--client-id': settings.clientId,
  };
  const missing = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? flag : []));
  if (missing.length > 0 && !prompter.available)
    throw new UsageError(`missing ${missing.join(', ')}`, {
      code: 'missing_value',
      hint: 'Pass them as flags, or store them in the profile: ttctl profile set --help. A Personal Access Token needs only --base-url: add --token-stdin.',
    });
  const base_url = await askBaseUrl(run);
  const { origin } = new URL(base_url);
  // Where a person approves, there is an authorization host too.
  const authQuestion = 'authorization URL, without /oauth/authorize';
  const authUrl = byBrowser ? await askAddress(run, authQuestion, settings.authUrl?.value, origin) : origin;
  const tokenQuestion = 'token URL, without /oauth/token';
  const token_url = await askAddress(run, tokenQuestion, settings.tokenUrl?.value, authUrl);
  const client_id = settings.clientId?.value ?? (await prompter.text('client id of your application'));

  const fromStdin = options.clientSecretStdin === true;
  const stored = run.credentials.read(settings.profile.value);
  const kept = stored?.client_id === client_id ? stored.client_secret : undefined;
  let secret = fromStdin ? undefined : (settings.clientSecret?.value ?? kept);
  if (secret === undefined && prompter.available) secret = await prompter.secret('client secret');
  else if (fromStdin) secret = (await Promise.race([lines.next(), rejectWhenInterrupted(interrupted)])).value;
  const client_secret = secret?.trim() ?? '';
  if (client_secret === '')
    throw new UsageError('no client secret', {
      code: 'missing_value',
      hint: 'Pipe it in with --client-secret-stdin, or set TTCTL_CLIENT_SECRET.',
    });
  run.machine.redactor.register(client_secret);

  let scope = settings.scope?.value ?? DEFAULT_SCOPES;
  if (settings.scope === undefined && prompter.available) {
    const check = (text: string) => toSentence(findScopeProblem(text));
    scope = await prompter.text('scopes to request', { fallback: DEFAULT_SCOPES, check });
  }
  const client_auth = options.clientAuth === 'basic' ? ('basic' as const) : ('body' as const);
  return { authUrl, base_url, token_url, client_id, client_secret, client_auth, scopes: parseScopes(scope) };
}

/** @param members of the profile: addresses, client id. What stands there already and is not named stays */
async function storeSignIn(run: Run, members: Row, found: FoundWorkspace, details: Row = {}): Promise<void> {
  const { settings, settingsStore, credentials, output } = run;
  const { workspaces, workspace, account } = found;
  const profile = settings.profile.value;
  // A profile has a command or a credential, never both.
  const isStored = members.token_command === undefined;
  const former = findFormerAddress(run, members.base_url);
  await changeLocally(run, {
    async change() {
      const chosen = (workspace || former) && { workspace: workspace && workspaceIdOf(workspace) };
      await settingsStore.changeProfile(profile, { token_command: undefined, ...members, ...chosen });
      if (!isStored) await credentials.remove(profile);
      else if (account !== undefined) await credentials.rememberAccount(profile, account);
    },
    record: {
      profile,
      account: account ?? null,
      base_url: members.base_url,
      workspace: workspace?.id ?? null,
      workspace_name: workspace?.workspace_name ?? null,
      ...details,
      ...(isStored && !settings.dryRun.value && { credentials_file: credentials.file }),
    },
    next: () => {
      const tell = (text: string) =>
        settings.profile.from === 'flag' ? output.note(text) : output.warn(text);
      if (former !== undefined) tell(`profile ${profile} now signs in at ${members.base_url}, was ${former}`);
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
