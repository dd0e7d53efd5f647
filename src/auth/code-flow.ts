import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import { type AuthorizationAnswer, checkPastedAddress, type ExpectedCallback } from './callback.ts';
import { renderDeniedPage, renderFailedPage, renderSignedInPage } from './http-pages.ts';
import { type LoopbackServer, openLoopbackServer, parseListenAddress } from './loopback.ts';
import { buildAuthorizeUrl, createRandomSecret } from './oauth.ts';

/** From the browser to a code: the first half of the authorization-code flow. */

/** How a person is reached. */
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

/** What the token host is asked with. */
export interface AuthorizationCode {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string | undefined;
}

export interface CodeFlowOptions {
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Told every secret; takes them out of what the browser is shown. */
  readonly redactor: { register(secret: string): void; text(text: string): string };
}

/** How long a person may take; no flag changes it. */
const SIGN_IN_TIMEOUT_MS = 300_000;

const createTimeoutFailure = (mismatches: number): Failure =>
  new Failure('no sign-in within 5 minutes', {
    code: 'sign_in_timeout',
    exit: EXIT.signedOut,
    ...(mismatches === 0
      ? {}
      : {
          reason: `${mismatches} ${mismatches === 1 ? 'response to another sign-in was' : 'responses to another sign-in were'} ignored.`,
        }),
    hint: 'Run the command again; add --no-browser to open the address on another machine.',
  });

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

const createWrongAddressFailure = (reason: string): Failure =>
  new Failure('the pasted address does not belong to this sign-in', {
    code: 'wrong_answer',
    exit: EXIT.signedOut,
    reason,
    hint: 'Run the command again and paste the full address from the browser.',
  });

/** Reads pasted addresses until one fits. Where none comes at all, the browser may still reach the server. */
const readPastedAnswer = async (
  dialog: SignInDialog,
  expected: ExpectedCallback,
  signal: AbortSignal,
): Promise<AuthorizationAnswer> => {
  let lastReason: string | undefined;
  for (;;) {
    const text = await dialog.readPasted(signal);
    if (text === undefined) break;
    const verdict = checkPastedAddress(text, expected);
    if (verdict.kind !== 'refused') return verdict;
    lastReason = verdict.reason;
    dialog.tell(`Not accepted: ${lastReason}`);
  }
  if (lastReason !== undefined) throw createWrongAddressFailure(lastReason);
  return new Promise(() => {});
};

const MINUTES = SIGN_IN_TIMEOUT_MS / 60_000;

const WAITING_NOTICE = `Waiting for ${MINUTES} minutes. Press Ctrl-C to cancel.`;

/** Opens or prints the address. An opener that started may still fail, so the address can be pasted in any case. */
const showUrl = async ({ dialog, url, loopback }: PendingSignIn): Promise<void> => {
  const isOpened = dialog.open !== undefined && (await dialog.open(loopback.startUrl));
  const pasteHint = 'If the browser is on another machine, paste the final address here.';
  const advice = isOpened
    ? 'Approve the request in your browser. If it did not open, go to:'
    : `${dialog.open === undefined ? '' : 'No browser could be opened. '}Open this address in a browser:`;
  dialog.tell(`${advice}\n\n${url}\n\n${pasteHint} ${WAITING_NOTICE}`);
};

/** Ends with the reason of the signal. */
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

interface PendingSignIn {
  readonly dialog: SignInDialog;
  readonly expected: ExpectedCallback;
  readonly loopback: LoopbackServer;
  readonly url: string;
}

/** The first answer, be it from the browser or pasted. */
const awaitAnswer = async (
  pending: PendingSignIn,
  options: CodeFlowOptions,
): Promise<AuthorizationAnswer> => {
  const { dialog, expected, loopback } = pending;
  const { clock, interrupted } = options;
  const finished = new AbortController();
  const timeout = clock.sleep(SIGN_IN_TIMEOUT_MS, finished.signal).then(
    () => Promise.reject(createTimeoutFailure(loopback.countMismatches())),
    () => new Promise<never>(() => {}),
  );
  try {
    const outcomes: Promise<AuthorizationAnswer>[] = [loopback.answer, timeout, rejectOnAbort(interrupted)];
    await Promise.race([showUrl(pending), ...outcomes.slice(1)]);
    outcomes.push(readPastedAnswer(dialog, expected, finished.signal));
    return await Promise.race(outcomes);
  } finally {
    finished.abort();
  }
};

/**
 * Sends a person to the authorization host and waits for the answer. `exchange` turns the code into tokens; how it ended
 * is shown in the browser.
 * @throws Failure: exit 3 for denied, port taken, too late, opened twice; `Cancelled` at Ctrl-C; what `exchange` throws
 */
export const signInByCode = async <T>(
  dialog: SignInDialog,
  authorization: AuthorizationOptions,
  exchange: (code: AuthorizationCode) => Promise<T>,
  options: CodeFlowOptions,
): Promise<T> => {
  const { redirectUri } = authorization;
  parseListenAddress(redirectUri);
  const state = createRandomSecret();
  const verifier = authorization.pkce ? createRandomSecret() : undefined;
  if (verifier !== undefined) options.redactor.register(verifier);
  const expected = { redirectUri, state };
  const url = buildAuthorizeUrl({
    ...authorization,
    state,
    ...(verifier === undefined ? {} : { verifier }),
  });
  const loopback = await openLoopbackServer(expected, url, options);
  try {
    const answer = await awaitAnswer({ dialog, expected, loopback, url }, options);
    if (answer.kind === 'denied') {
      await loopback.finish(renderDeniedPage(options.redactor.text(answer.description ?? answer.error)));
      throw createDeniedFailure(answer);
    }
    options.redactor.register(answer.code);
    const result = await exchange({ code: answer.code, redirectUri, verifier });
    await loopback.finish(renderSignedInPage());
    return result;
  } catch (error) {
    if (error instanceof Failure)
      await loopback.finish(renderFailedPage(options.redactor.text(error.message)));
    throw error;
  } finally {
    await loopback.finish(undefined);
  }
};
