import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import {
  type AuthorizationAnswer,
  checkPastedAddress,
  type ExpectedCallback,
  LoopbackServer,
  parseListenAddress,
  renderPage,
} from './loopback.ts';
import { type AuthorizationCode, buildAuthorizeUrl, createRandomSecret } from './oauth.ts';

/** From the browser to a code: the first half of the authorization-code flow. */

export interface SignInDialog {
  /** Says something that must be seen, whatever the format. */
  tell(text: string): void;
  /** Opens an address in the browser. False: there is none to open. Absent: it is not tried (`--no-browser`). */
  readonly open?: (url: string) => Promise<boolean>;
  /** Asks for the address that the browser ended at; `undefined` when there is no more to come. */
  readPasted(signal: AbortSignal): Promise<string | undefined>;
}

export interface AuthorizationOptions {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly pkce: boolean;
}

export interface CodeFlowOptions {
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Told every secret; takes them out of what the browser is shown. */
  readonly redactor: { register(secret: string): void; text(text: string): string };
}

/** How long a person may take; no flag changes it. */
const SIGN_IN_TIMEOUT_MS = 300_000;

/**
 * Sends a person to the authorization host and waits for the answer. `exchange` turns the code into tokens; how it ended
 * is shown in the browser.
 * @throws Failure: exit 3 for denied, port taken, too late, opened twice; `Cancelled` at Ctrl-C; what `exchange` throws
 */
export async function signInByCode<T>(
  dialog: SignInDialog,
  authorization: AuthorizationOptions,
  exchange: (code: AuthorizationCode) => Promise<T>,
  options: CodeFlowOptions,
): Promise<T> {
  const { redactor } = options;
  const { redirectUri, pkce } = authorization;
  parseListenAddress(redirectUri);
  const state = createRandomSecret();
  const verifier = pkce ? createRandomSecret() : undefined;
  if (verifier !== undefined) redactor.register(verifier);
  const expected = { redirectUri, state };
  const url = buildAuthorizeUrl({ ...authorization, state, verifier });
  const loopback = new LoopbackServer(expected, url, options);
  await loopback.open();
  try {
    const answer = await awaitAnswer({ dialog, expected, loopback, url }, options);
    if (answer.kind === 'denied') {
      const said = redactor.text(answer.description ?? answer.error);
      const advice = 'You can close this window. See the terminal for how to try again.';
      await loopback.finish(renderPage('Not signed in', [`The service said: ${said}`, advice]));
      throw createDeniedFailure(answer);
    }
    redactor.register(answer.code);
    const result = await exchange({ code: answer.code, redirectUri, verifier });
    const advice = 'You can close this window and return to the terminal.';
    await loopback.finish(renderPage('Signed in', [advice]));
    return result;
  } catch (error) {
    const advice = 'You can close this window. See the terminal for details.';
    if (error instanceof Failure)
      await loopback.finish(renderPage('Not signed in', [redactor.text(error.message), advice]));
    throw error;
  } finally {
    await loopback.finish(undefined);
  }
}

interface PendingSignIn {
  readonly dialog: SignInDialog;
  readonly expected: ExpectedCallback;
  readonly loopback: LoopbackServer;
  readonly url: string;
}

async function awaitAnswer(
  pending: PendingSignIn,
  { clock, interrupted }: CodeFlowOptions,
): Promise<AuthorizationAnswer> {
  const { dialog, expected, loopback } = pending;
  const finished = new AbortController();
  const timeout = clock.sleep(SIGN_IN_TIMEOUT_MS, finished.signal).then(
    () => Promise.reject(createTimeoutFailure(loopback.mismatches)),
    () => new Promise<never>(() => {}),
  );
  const interruption = new Promise<never>((_resolve, reject) => {
    if (interrupted.aborted) reject(interrupted.reason);
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
  try {
    await Promise.race([showUrl(pending), timeout, interruption]);
    const pasted = readPastedAnswer(dialog, expected, finished.signal);
    return await Promise.race([loopback.answer, pasted, timeout, interruption]);
  } finally {
    finished.abort();
  }
}

/** Opens or prints the address. An opener that started may still fail, so the address can be pasted in any case. */
async function showUrl({ dialog, url, loopback }: PendingSignIn): Promise<void> {
  const isOpened = dialog.open !== undefined && (await dialog.open(loopback.startUrl));
  const advice = isOpened
    ? 'Approve the request in your browser. If it did not open, go to:'
    : `${dialog.open === undefined ? '' : 'No browser could be opened. '}Open this address in a browser:`;
  const pasteHint = 'If the browser is on another machine, paste the final address here.';
  const waiting = `Waiting for ${SIGN_IN_TIMEOUT_MS / 60_000} minutes. Press Ctrl-C to cancel.`;
  dialog.tell(`${advice}\n\n${url}\n\n${pasteHint} ${waiting}`);
}

/** Reads pasted addresses until one fits. Where none comes at all, the browser may still reach the server. */
async function readPastedAnswer(
  dialog: SignInDialog,
  expected: ExpectedCallback,
  signal: AbortSignal,
): Promise<AuthorizationAnswer> {
  let reason: string | undefined;
  for (;;) {
    const text = await dialog.readPasted(signal);
    if (text === undefined) break;
    const verdict = checkPastedAddress(text, expected);
    if (verdict.kind !== 'refused') return verdict;
    reason = verdict.reason;
    dialog.tell(`Not accepted: ${reason}`);
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

const createDeniedFailure = ({ error, description }: AuthorizationAnswer & { kind: 'denied' }): Failure =>
  new Failure(`the sign-in was refused: ${description ?? error}`, {
    code: error === 'access_denied' ? 'access_denied' : 'sign_in_refused',
    exit: EXIT.signedOut,
    hint:
      error === 'invalid_scope'
        ? 'Choose other scopes with --scope.'
        : 'Run the command again and approve the request, or use a Personal Access Token: --token-stdin.',
    details: { error },
  });
