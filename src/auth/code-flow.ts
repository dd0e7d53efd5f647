import { createInterface, type Interface } from 'node:readline';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { withBeforeSend } from '../http/links.ts';
import { createHttpSender } from '../http/send.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';
import { isLoopback, MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import { withHiddenCredentials } from '../platform/child.ts';
import type { Run } from '../run.ts';
import type { ClientAuth, Credential } from './credentials.ts';
import {
  type AuthorizationAnswer,
  checkPastedAddress,
  type ExpectedCallback,
  LoopbackServer,
  parseListenAddress,
  renderPage,
} from './loopback.ts';
import {
  buildAuthorizeUrl,
  buildClientCredentialsRequest,
  buildCodeRequest,
  createRandomSecret,
  parseTokenResponse,
  TOKEN_HOST,
} from './oauth.ts';

/** Signing in to an OAuth2 application: by a browser, or as the application itself. */

export interface OAuthApplication {
  readonly baseUrl: string;
  /** The authorization host, where a person approves. */
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret: string | undefined;
  readonly clientAuth: ClientAuth;
  readonly scopes: readonly string[];
}

interface BrowserSignInOptions {
  readonly redirectUri: string;
  readonly pkce: boolean;
  /** Whether a browser is opened; else its address is only told, and the one it ends at is read from stdin too. */
  readonly browser: boolean;
}

type SignInContext = Pick<Run, 'machine' | 'settings' | 'credentials' | 'requests' | 'prompter'>;

/** How long a person may take; no flag changes it. */
const SIGN_IN_TIMEOUT_MS = 300_000;

/**
 * The authorization-code flow: sends a person to the authorization host and waits for the answer. How it ended is shown in
 * the browser. What comes of it is on the disk when this returns.
 * @param lines where an address is pasted, if there is no terminal
 * @throws Failure: exit 3 for denied, port taken, too late, opened twice, refused; `Cancelled` at Ctrl-C
 */
export async function signInByBrowser(
  context: SignInContext,
  application: OAuthApplication,
  options: BrowserSignInOptions,
  lines: StdinLines,
): Promise<Credential> {
  const { redactor } = context.machine;
  const { redirectUri } = options;
  if (application.clientSecret !== undefined) redactor.register(application.clientSecret);
  // A disk that cannot take what is to come is told before a person is sent to the browser.
  context.credentials.checkSpace();
  parseListenAddress(redirectUri);
  const state = createRandomSecret();
  const verifier = options.pkce ? createRandomSecret() : undefined;
  if (verifier !== undefined) redactor.register(verifier);
  const expected = { redirectUri, state };
  const url = buildAuthorizeUrl({ ...application, ...options, state, verifier });
  const loopback = new LoopbackServer(expected, url, context.machine);
  await loopback.open();
  try {
    const answer = await awaitAnswer({ context, expected, loopback, url, lines, browser: options.browser });
    if (answer.kind === 'denied') {
      const said = redactor.text(answer.description ?? answer.error);
      const advice = 'You can close this window. See the terminal for how to try again.';
      await loopback.finish(renderPage('Not signed in', [`The service said: ${said}`, advice]));
      throw createDeniedFailure(answer);
    }
    redactor.register(answer.code);
    const members = { kind: 'oauth' as const, ...toMembers(application) };
    const request = buildCodeRequest(members, { code: answer.code, redirectUri, verifier });
    const credential = await obtainTokens(context, members, request);
    const advice = 'You can close this window and return to the terminal.';
    await loopback.finish(renderPage('Signed in', [advice]));
    return credential;
  } catch (error) {
    const advice = 'You can close this window. See the terminal for details.';
    if (error instanceof Failure)
      await loopback.finish(renderPage('Not signed in', [redactor.text(error.message), advice]));
    throw error;
  } finally {
    await loopback.finish(undefined);
  }
}

/** The client-credentials grant; likewise. */
export async function signInByClient(
  context: SignInContext,
  application: OAuthApplication,
): Promise<Credential> {
  if (application.clientSecret !== undefined) context.machine.redactor.register(application.clientSecret);
  const members = { kind: 'client' as const, ...toMembers(application) };
  return obtainTokens(context, members, buildClientCredentialsRequest(members, application.scopes));
}

/** What is stored of an application, with its tokens and to ask for them. */
function toMembers(application: OAuthApplication) {
  return {
    base_url: application.baseUrl,
    token_url: application.tokenUrl,
    client_id: application.clientId,
    ...(application.clientSecret !== undefined && { client_secret: application.clientSecret }),
    client_auth: application.clientAuth,
    scopes: application.scopes,
  };
}

/** Asks for tokens while the credentials file is held, and stores them before anything else is done with them. */
async function obtainTokens(
  context: SignInContext,
  members: Omit<Credential, 'access_token'>,
  request: HttpRequest,
): Promise<Credential> {
  const { machine, settings } = context;
  return context.credentials.hold(settings.profile.value, async (held) => {
    const askedAt = machine.clock.now();
    const tokens = parseTokenResponse(await sendToTokenHost(context, request), askedAt);
    for (const secret of [tokens.access_token, tokens.refresh_token])
      if (secret !== undefined) machine.redactor.register(secret);
    const credential = { ...members, ...tokens } as Credential;
    held.commit(credential);
    return credential;
  });
}

/** One request to the token host: no retries, no redirects. Ctrl-C drops it, though it writes. */
async function sendToTokenHost(
  { machine, requests }: SignInContext,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { env, clock, interrupted, version } = machine;
  const sender = createHttpSender({ ...TOKEN_HOST, userAgent: `ttctl/${version}`, env, clock });
  const observed = withBeforeSend(requests.observe(sender.transport, TOKEN_HOST.timeoutMs));
  const transport = requests.numbers.link(observed);
  try {
    return await Promise.race([transport(request), rejectWhenInterrupted(interrupted)]);
  } finally {
    await sender.close();
  }
}

function rejectWhenInterrupted(interrupted: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (interrupted.aborted) reject(interrupted.reason);
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
}

interface PendingSignIn {
  readonly context: SignInContext;
  readonly expected: ExpectedCallback;
  readonly loopback: LoopbackServer;
  /** Of the authorization host. */
  readonly url: string;
  readonly lines: StdinLines;
  readonly browser: boolean;
}

async function awaitAnswer(pending: PendingSignIn): Promise<AuthorizationAnswer> {
  const { context, loopback } = pending;
  const { clock, interrupted } = context.machine;
  const finished = new AbortController();
  const timeout = clock.sleep(SIGN_IN_TIMEOUT_MS, finished.signal).then(
    () => Promise.reject(createTimeoutFailure(loopback.mismatches)),
    () => new Promise<never>(() => {}),
  );
  const interruption = rejectWhenInterrupted(interrupted);
  try {
    await Promise.race([showUrl(pending), timeout, interruption]);
    const pasted = readPastedAnswer(pending, finished.signal);
    return await Promise.race([loopback.answer, pasted, timeout, interruption]);
  } finally {
    finished.abort();
  }
}

/** Opens or prints the address. An opener that started may still fail, so the address can be pasted in any case. */
async function showUrl({ context, url, loopback, browser }: PendingSignIn): Promise<void> {
  const { env, platform } = context.machine;
  const open = () => openInBrowser(loopback.startUrl, env, platform);
  const isOpened = browser && (await withHiddenCredentials(env, open));
  const advice = isOpened
    ? 'Approve the request in your browser. If it did not open, go to:'
    : `${browser ? 'No browser could be opened. ' : ''}Open this address in a browser:`;
  const pasteHint = 'If the browser is on another machine, paste the final address here.';
  const waiting = `Waiting for ${SIGN_IN_TIMEOUT_MS / 60_000} minutes. Press Ctrl-C to cancel.`;
  tell(context, `${advice}\n\n${url}\n\n${pasteHint} ${waiting}`);
}

/** Says something that must be seen, whatever the format. */
function tell({ machine }: SignInContext, text: string): void {
  machine.stderr.write(`${text}\n`).catch(() => {});
}

/** Reads pasted addresses until one fits. Where none comes at all, the browser may still reach the server. */
async function readPastedAnswer(
  { context, expected, lines }: PendingSignIn,
  signal: AbortSignal,
): Promise<AuthorizationAnswer> {
  const { prompter } = context;
  let reason: string | undefined;
  for (;;) {
    const text = prompter.available
      ? await prompter.text('final address', { signal })
      : await lines.next(signal);
    if (text === undefined) break;
    const verdict = checkPastedAddress(text, expected);
    if (verdict.kind !== 'refused') return verdict;
    reason = verdict.reason;
    tell(context, `Not accepted: ${reason}`);
  }
  if (reason === undefined) return new Promise(() => {});
  throw new Failure('the pasted address does not belong to this sign-in', {
    code: 'wrong_answer',
    exit: EXIT.signedOut,
    reason,
    hint: 'Run the command again and paste the full address from the browser.',
  });
}

function createTimeoutFailure(mismatches: number): Failure {
  const what = mismatches === 1 ? 'response to another sign-in was' : 'responses to another sign-in were';
  return new Failure('no sign-in within 5 minutes', {
    code: 'sign_in_timeout',
    exit: EXIT.signedOut,
    ...(mismatches > 0 && { reason: `${mismatches} ${what} ignored.` }),
    hint: 'Run the command again; add --no-browser to open the address on another machine.',
  });
}

function createDeniedFailure({ error, description }: AuthorizationAnswer & { kind: 'denied' }): Failure {
  return new Failure(`the sign-in was refused: ${description ?? error}`, {
    code: error === 'access_denied' ? 'access_denied' : 'sign_in_refused',
    exit: EXIT.signedOut,
    hint:
      error === 'invalid_scope'
        ? 'Choose other scopes with --scope.'
        : 'Run the command again and approve the request, or use a Personal Access Token: --token-stdin.',
    details: { error },
  });
}

/** stdin, which is no terminal, line by line: a secret and a pasted address come one after the other. */
export class StdinLines {
  readonly #machine: Run['machine'];
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;
  #size = 0;

  /** Opens nothing before a line is read. */
  constructor(machine: Run['machine']) {
    this.#machine = machine;
  }

  /**
   * Without its end; `undefined` when there is no more, or when the signal is aborted first.
   * @throws UsageError where more has come than is read of any input
   */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    this.#lines ??= this.#open();
    const end = (): void => this.#reader?.close();
    signal.addEventListener('abort', end, { once: true });
    const { value, done } = await this.#lines.next();
    signal.removeEventListener('abort', end);
    if (this.#size > MAX_BYTES) throw new UsageError(`stdin is larger than ${MAX_SIZE}`);
    return done === true ? undefined : String(value);
  }

  /** Lets stdin go: it keeps the process no longer. */
  close(): void {
    if (this.#reader === undefined) return;
    const { stdin } = this.#machine;
    stdin.off('data', this.#measure);
    this.#reader.close();
    stdin.pause();
    // A pipe that nobody closes would hold the process.
    if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  }

  #open(): AsyncIterator<string> {
    const { stdin } = this.#machine;
    this.#reader = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
    stdin.on('data', this.#measure);
    return this.#reader[Symbol.asyncIterator]();
  }

  readonly #measure = (part: string | Uint8Array): void => {
    this.#size += part.length;
    // A line that never ends.
    if (this.#size <= MAX_BYTES) return;
    this.#reader?.close();
    this.#machine.stdin.destroy();
  };
}

/**
 * Opens an address in a person's browser. The address is an argument of the program, never a part of a command line.
 * `BROWSER` names the program (the first, where it is a list). False: the address is not safe, or there is nothing to
 * open it with.
 */
async function openInBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Promise<boolean> {
  if (!isSafeToOpen(url)) return false;
  const { default: open } = await import('open');
  const [name = '', ...words] =
    (env.BROWSER ?? '')
      .split(platform === 'win32' ? ';' : ':')[0]
      ?.trim()
      .split(/\s+/) ?? [];
  try {
    const options = name === '' ? {} : { app: { name, arguments: words.filter((word) => word !== '%s') } };
    // As URL writes it: quotes, spaces and control characters are encoded.
    const child = await open(new URL(url).href, options);
    child.on('error', () => {});
    return true;
  } catch {
    return false;
  }
}

/** https, or http to this machine: nothing else is ever opened, whoever named it. */
function isSafeToOpen(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
