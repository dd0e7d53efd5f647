import { createHash } from 'node:crypto';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { withBeforeSend } from '../http/links.ts';
import { createHttpSender } from '../http/send.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import type { Credential } from './credentials.ts';
import { type AuthorizationAnswer, LoopbackServer } from './loopback.ts';
import { buildClientGrant, createRandomSecret, type Grant, requestTokens, TOKEN_HOST } from './oauth.ts';

export type OAuthApplication = Omit<Credential, 'access_token'> &
  Pick<Required<Credential>, 'client_id' | 'scopes'>;

interface BrowserSignIn {
  /** The authorization host, where a person approves. */
  readonly authUrl: string;
  readonly redirectUri: string;
  readonly pkce: boolean;
  /** Whether a browser is opened; else its address is only told. */
  readonly browser: boolean;
  /** Where an address is pasted, if there is no terminal. */
  readonly lines: AsyncGenerator<string>;
}

/** How long a person may take; no flag changes it. */
const SIGN_IN_TIMEOUT_MS = 300_000;

interface SignedIn {
  readonly credential: Credential;
  /** What the profile had until then. */
  readonly former: Credential | undefined;
}

/**
 * The authorization-code flow: sends a person to the authorization host and waits for the answer. What comes of it is on
 * the disk when this returns.
 * @throws Failure: exit 3 for denied, port taken, too late, opened twice, refused; `Cancelled` at Ctrl-C
 */
export async function signInByBrowser(
  context: Run,
  application: OAuthApplication,
  flow: BrowserSignIn,
): Promise<SignedIn> {
  const { authUrl, redirectUri, pkce } = flow;
  const { redactor, clock } = context.machine;
  const state = createRandomSecret();
  const verifier = pkce ? createRandomSecret() : undefined;
  if (verifier !== undefined) redactor.register(verifier);
  const { client_id, scopes } = application;
  const url = new URL(`${authUrl}/oauth/authorize`);
  const query = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    // Without any the service gives `read`.
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    state,
    ...(verifier !== undefined && {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
  });
  // Not every server takes "+" for a space.
  url.search = query.toString().replaceAll('+', '%20');
  const loopback = new LoopbackServer(url, clock);
  await loopback.open();
  try {
    const answer = await awaitAnswer(context, loopback, url.href, flow);
    if (answer.kind === 'denied') {
      const { error, description = error } = answer;
      throw new Failure(`the sign-in was refused: ${description}`, {
        code: error === 'access_denied' ? 'access_denied' : 'sign_in_refused',
        exit: EXIT.signedOut,
        hint: 'Run the command again and approve the request (other scopes: --scope), or use a Personal Access Token: --token-stdin.',
        details: { error },
      });
    }
    redactor.register(answer.code);
    return await obtainTokens(context, application, {
      grant_type: 'authorization_code',
      code: answer.code,
      // The one of the authorization, to the letter.
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
  } finally {
    await loopback.close();
  }
}

export function signInByClient(context: Run, application: OAuthApplication): Promise<SignedIn> {
  return obtainTokens(context, application, buildClientGrant(application.scopes));
}

/**
 * Asks for tokens while the credentials file is held, and stores them before anything else is done with them. One
 * request: no retries, no redirects. Ctrl-C drops it, though it writes.
 */
async function obtainTokens(
  { machine, settings, credentials, requests }: Run,
  application: OAuthApplication,
  grant: Grant,
): Promise<SignedIn> {
  const { env, clock, interrupted, version } = machine;
  return credentials.hold(settings.profile.value, async (held) => {
    const sender = createHttpSender({ ...TOKEN_HOST, userAgent: `ttctl/${version}`, env, clock });
    const observed = withBeforeSend(requests.observe(sender.transport));
    const transport = requests.link(observed);
    try {
      const asked = requestTokens(application, grant, transport, machine);
      const tokens = await Promise.race([asked, rejectWhenInterrupted(interrupted)]);
      const credential = { ...application, ...tokens } as Credential;
      const former = held.read();
      held.commit(credential);
      return { credential, former };
    } finally {
      await sender.close();
    }
  });
}

export function rejectWhenInterrupted(interrupted: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (interrupted.aborted) reject(interrupted.reason);
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
}

/**
 * Opens or prints the address, and waits: for the browser, for a pasted address, for the end of the time. An opener that
 * started may still fail, so the address can be pasted in any case.
 * @param url of the authorization host
 */
async function awaitAnswer(
  context: Run,
  loopback: LoopbackServer,
  url: string,
  { browser, lines }: BrowserSignIn,
): Promise<AuthorizationAnswer> {
  const { clock, interrupted, stderr } = context.machine;
  const finished = new AbortController();
  const timeout = clock.sleep(SIGN_IN_TIMEOUT_MS, finished.signal).then(
    () => {
      throw new Failure('no sign-in within 5 minutes', {
        code: 'sign_in_timeout',
        exit: EXIT.signedOut,
        hint: 'Run the command again; add --no-browser to open the address on another machine.',
      });
    },
    () => new Promise<never>(() => {}),
  );
  try {
    const opened = browser && (await openInBrowser(loopback.startUrl, context.machine));
    const advice = opened
      ? 'Approve the request in your browser. If it did not open, go to:'
      : 'Open this address in a browser:';
    const pasteHint = 'If the browser is on another machine, paste the final address here.';
    // It must be seen, whatever the format.
    const text = `${advice}\n\n${url}\n\n${pasteHint} Waiting for 5 minutes. Press Ctrl-C to cancel.\n`;
    stderr.write(text).catch(() => {});
    const pasted = readPastedAnswer(context, loopback, lines, finished.signal);
    return await Promise.race([loopback.answer, pasted, timeout, rejectWhenInterrupted(interrupted)]);
  } finally {
    finished.abort();
  }
}

/** Reads pasted addresses until one fits. Where none comes at all, the browser may still reach the server. */
async function readPastedAnswer(
  { prompter, machine }: Run,
  loopback: LoopbackServer,
  lines: AsyncGenerator<string>,
  signal: AbortSignal,
): Promise<AuthorizationAnswer> {
  const ask = async (): Promise<string | undefined> =>
    prompter.available ? prompter.text('final address', { signal }) : (await lines.next()).value;
  let reason: string | undefined;
  for (let text = await ask(); text !== undefined; text = await ask()) {
    const verdict = loopback.check(text);
    if (verdict.kind !== 'refused') return verdict;
    reason = verdict.reason;
    machine.stderr.write(`Not accepted: ${reason}\n`).catch(() => {});
  }
  if (reason === undefined) return new Promise(() => {});
  throw new Failure('the pasted address does not belong to this sign-in', {
    code: 'wrong_answer',
    exit: EXIT.signedOut,
    reason,
    hint: 'Run the command again and paste the full address from the browser.',
  });
}

/**
 * stdin, which is no terminal, line by line: a secret and a pasted address come one after the other.
 * @throws UsageError for a line that is longer than any input may be
 */
export async function* readStdinLines(stdin: Run['machine']['stdin']): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    rest += chunk;
    if (rest.length > MAX_BYTES) throw new UsageError(`stdin is larger than ${MAX_SIZE}`);
    if (!chunk.includes('\n')) continue;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * Opens the address in a person's browser: as an argument of the program, never a part of a command line. `BROWSER`
 * names the program (the first, where it is a list). False: there is nothing to open it with.
 */
async function openInBrowser(url: string, { env, platform }: Run['machine']): Promise<boolean> {
  const { default: open } = await import('open');
  const [browser = ''] = (env.BROWSER ?? '').split(platform === 'win32' ? ';' : ':');
  const [name = '', ...words] = browser.trim().split(/\s+/);
  try {
    const options = name === '' ? {} : { app: { name, arguments: words.filter((word) => word !== '%s') } };
    const child = await open(url, options);
    child.on('error', () => {});
    return true;
  } catch {
    return false;
  }
}
