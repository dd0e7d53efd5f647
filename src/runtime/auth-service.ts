import { fileURLToPath } from 'node:url';
import { signInByCode } from '../auth/code-flow.ts';
import type { Credential, CredentialStore } from '../auth/credentials.ts';
import {
  buildClientCredentialsRequest,
  buildCodeRequest,
  parseTokenResponse,
  TOKEN_HOST,
  toCredentialMembers,
} from '../auth/oauth.ts';
import { renewCredential } from '../auth/renewer.ts';
import type { AuthService, BrowserSignInOptions, OAuthApplication } from '../auth/service.ts';
import { formatSignInCommand, isRenewable } from '../auth/sign-in.ts';
import type { Settings } from '../config/settings-types.ts';
import { EXIT, Failure } from '../errors.ts';
import { withBeforeSend } from '../http/links.ts';
import { createHttpSender } from '../http/send.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';
import { openInBrowser } from '../output/browser.ts';
import { createLineReader, type LineReader } from '../output/line-reader.ts';
import type { ProgressIndicator } from '../output/progress.ts';
import type { Prompter } from '../output/prompt.ts';
import { removeCredentials, withHiddenCredentials } from '../platform/child-environment.ts';
import type { RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';

/** Joins signing in to this machine: browser, keyboard, token host, credentials file. */

export interface AuthServiceOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly prompter: () => Prompter;
  readonly credentials: () => Promise<CredentialStore>;
  readonly watch: ProgressIndicator;
  readonly requests: RunRequests;
}

/** One request to the token host: no retries, no redirects. Ctrl-C drops it, though it writes. */
const sendToTokenHost = async (
  { machine, requests }: AuthServiceOptions,
  request: HttpRequest,
): Promise<HttpResponse> => {
  const { env, clock, interrupted } = machine;
  const userAgent = `ttctl/${machine.version}`;
  const sender = createHttpSender({ ...TOKEN_HOST, userAgent, env, clock });
  const transport = requests.numbers.link(
    withBeforeSend(requests.observe(sender.transport, TOKEN_HOST.timeoutMs)),
  );
  const interruption = new Promise<never>((_resolve, reject) => {
    if (interrupted.aborted) reject(interrupted.reason);
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
  try {
    return await Promise.race([transport(request), interruption]);
  } finally {
    await sender.close();
  }
};

/** What is stored of an application, with its tokens and to ask for them. */
const toMembers = (application: OAuthApplication) => ({
  base_url: application.baseUrl,
  token_url: application.tokenUrl,
  client_id: application.clientId,
  ...(application.clientSecret === undefined ? {} : { client_secret: application.clientSecret }),
  client_auth: application.clientAuth,
  scopes: application.scopes,
});

/** Asks for tokens while the credentials file is held, and stores them before anything else is done with them. */
const obtainTokens = async (
  options: AuthServiceOptions,
  members: Omit<Credential, 'access_token'>,
  request: HttpRequest,
): Promise<Credential> => {
  const { machine, settings } = options;
  const store = await options.credentials();
  return store.hold(settings.profile.value, async (held) => {
    const askedAt = machine.clock.now();
    const tokens = parseTokenResponse(await sendToTokenHost(options, request));
    for (const secret of [tokens.accessToken, tokens.refreshToken])
      if (secret !== undefined) machine.redactor.register(secret);
    const credential: Credential = { ...members, ...toCredentialMembers(tokens, askedAt) };
    held.commit(credential);
    return credential;
  });
};

const signInByBrowser = async (
  options: AuthServiceOptions,
  lines: () => LineReader,
  application: OAuthApplication,
  signIn: BrowserSignInOptions,
): Promise<Credential> => {
  const { machine, prompter } = options;
  const { clock, interrupted, redactor, env, platform } = machine;
  if (application.clientSecret !== undefined) redactor.register(application.clientSecret);
  // A disk that cannot take what is to come is told before a person is sent to the browser.
  (await options.credentials()).checkSpace();
  const readAddress = (signal: AbortSignal) =>
    prompter().available ? prompter().text('final address', { signal }) : lines().next(signal);
  const dialog = {
    tell: (text: string) => void machine.stderr.write(`${text}\n`).catch(() => {}),
    readPasted: readAddress,
    ...(signIn.browser
      ? { open: (url: string) => withHiddenCredentials(env, () => openInBrowser(url, env, platform)) }
      : {}),
  };
  const { clientId, scopes } = application;
  const members = { kind: 'oauth' as const, ...toMembers(application) };
  const exchange = (code: Parameters<typeof buildCodeRequest>[1]) =>
    obtainTokens(options, members, buildCodeRequest(members, code));
  return signInByCode(dialog, { ...signIn, clientId, scopes }, exchange, { clock, interrupted, redactor });
};

const signInByClient = async (
  options: AuthServiceOptions,
  application: OAuthApplication,
): Promise<Credential> => {
  if (application.clientSecret !== undefined) options.machine.redactor.register(application.clientSecret);
  const members = { kind: 'client' as const, ...toMembers(application) };
  return obtainTokens(options, members, buildClientCredentialsRequest(members, application.scopes));
};

const renew = async (options: AuthServiceOptions): Promise<Credential> => {
  const { settings, credentials, watch } = options;
  const store = await credentials();
  const profile = settings.profile.value;
  const stored = store.read(profile);
  const kind = stored?.kind ?? 'oauth';
  if (stored === undefined || !isRenewable(stored)) {
    throw new Failure(
      stored === undefined
        ? `not signed in (profile ${profile})`
        : kind === 'personal'
          ? 'a Personal Access Token cannot be renewed'
          : `the sign-in of profile ${profile} cannot be renewed`,
      {
        code: stored === undefined ? 'not_signed_in' : 'not_renewable',
        exit: EXIT.signedOut,
        hint: `Sign in again: ${formatSignInCommand({ kind, profile })}`,
      },
    );
  }
  const work = () => renewStoredCredential(options, store, stored);
  return watch.request(() => 'renewing the sign-in', work);
};

/** Reads stdin line by line, so that a secret and a pasted address can come one after the other. */
export const createAuthService = (options: AuthServiceOptions): AuthService => {
  let reader: LineReader | undefined;
  const lines = (): LineReader => {
    reader ??= createLineReader(options.machine.stdin);
    return reader;
  };
  const closeAfter = async <T>(work: Promise<T>): Promise<T> => work.finally(() => reader?.close());
  return {
    async readLine() {
      const { interrupted } = options.machine;
      const line = await lines().next(interrupted);
      interrupted.throwIfAborted();
      return line;
    },
    signInByBrowser: (application, signIn) =>
      closeAfter(signInByBrowser(options, lines, application, signIn)),
    signInByClient: (application) => closeAfter(signInByClient(options, application)),
    renew: () => renew(options),
  };
};

/** Joins renewal to this machine. Loaded when a token is to be renewed. */

interface RenewalParts {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly requests: RunRequests;
}

export const renewStoredCredential = (
  { machine, settings, requests }: RenewalParts,
  store: CredentialStore,
  stored: Credential,
): Promise<Credential> => {
  const { clock, interrupted, node } = machine;
  const env = removeCredentials(machine.env, ['TTCTL_CLIENT_SECRET']);
  // Beside this file once it is built.
  const program = machine.renewer ?? fileURLToPath(new URL('./renew.cjs', import.meta.url));
  const { debug, log } = settings;
  const getRequestId = () => requests.numbers.nextId();
  const facts = { clock, interrupted, env, node, program, debug: debug.value, log: log?.value, getRequestId };
  return renewCredential(facts, store, settings.profile.value, stored);
};
