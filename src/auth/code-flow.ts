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
  pasted(signal: AbortSignal): Promise<string | undefined>;
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

/** How long a person may take; no flag changes it (docs/requirements.md, A4). */
const LIMIT_MS = 300_000;

const timedOut = (strangers: number): Failure =>
  new Failure('no sign-in within 5 minutes', {
    code: 'sign_in_timeout',
    exit: EXIT.signedOut,
    ...(strangers === 0
      ? {}
      : {
          reason: `${strangers} ${strangers === 1 ? 'response to another sign-in was' : 'responses to another sign-in were'} ignored.`,
        }),
    hint: 'Run the command again; add --no-browser to open the address on another machine.',
  });

const denied = ({ error, description }: AuthorizationAnswer & { kind: 'denied' }): Failure =>
  new Failure(`the sign-in was refused: ${description ?? error}`, {
    code: error === 'access_denied' ? 'access_denied' : 'sign_in_refused',
    exit: EXIT.signedOut,
    hint:
      error === 'invalid_scope'
        ? 'Choose other scopes with --scope.'
        : 'Run the command again and approve the request, or use a Personal Access Token: --token-stdin.',
    details: { error },
  });

const wrongAddress = (why: string): Failure =>
  new Failure('the pasted address does not belong to this sign-in', {
    code: 'wrong_answer',
    exit: EXIT.signedOut,
    reason: why,
    hint: 'Run the command again and paste the full address from the browser.',
  });

/** Reads pasted addresses until one fits. Where none comes at all, the browser may still reach the server. */
const pastedAnswer = async (
  person: SignInDialog,
  expected: ExpectedCallback,
  signal: AbortSignal,
): Promise<AuthorizationAnswer> => {
  let last: string | undefined;
  for (;;) {
    const text = await person.pasted(signal);
    if (text === undefined) break;
    const verdict = checkPastedAddress(text, expected);
    if (verdict.kind !== 'refused') return verdict;
    last = verdict.why;
    person.tell(`Not accepted: ${last}`);
  }
  if (last !== undefined) throw wrongAddress(last);
  return new Promise(() => {});
};

const MINUTES = LIMIT_MS / 60_000;

const WAITING = `Waiting for ${MINUTES} minutes. Press Ctrl-C to cancel.`;

/** Brings the address before the person. Answers whether pasting is a way too. */
const show = async (person: SignInDialog, url: string): Promise<boolean> => {
  if (person.open !== undefined && (await person.open(url))) {
    person.tell(`Approve the request in your browser. If it did not open, go to:\n\n${url}\n\n${WAITING}`);
    return false;
  }
  const why = person.open === undefined ? '' : 'No browser could be opened. ';
  const paste = 'If the browser is on another machine, paste the final address here.';
  person.tell(`${why}Open this address in a browser:\n\n${url}\n\n${paste} ${WAITING}`);
  return true;
};

/** Ends with the reason of the signal. */
const interruption = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

interface Waiting {
  readonly person: SignInDialog;
  readonly expected: ExpectedCallback;
  readonly loopback: LoopbackServer;
  readonly url: string;
}

/** The first answer of browser or keyboard. */
const awaitAnswer = async (
  { person, expected, loopback, url }: Waiting,
  options: CodeFlowOptions,
): Promise<AuthorizationAnswer> => {
  const { clock, interrupted } = options;
  const over = new AbortController();
  const late = clock.sleep(LIMIT_MS, over.signal).then(
    () => Promise.reject(timedOut(loopback.strangers())),
    () => new Promise<never>(() => {}),
  );
  try {
    const ways: Promise<AuthorizationAnswer>[] = [loopback.answer, late, interruption(interrupted)];
    const paste = await Promise.race([
      show(person, url),
      ...ways.slice(1).map((way) => way.then(() => false)),
    ]);
    if (paste) ways.push(pastedAnswer(person, expected, over.signal));
    return await Promise.race(ways);
  } finally {
    over.abort();
  }
};

/**
 * Sends a person to the authorization host and waits for the answer. `exchange` turns the code into tokens; how it ended
 * is shown in the browser.
 * @throws Failure: exit 3 for denied, port taken, too late; `Cancelled` at Ctrl-C; what `exchange` throws
 */
export const signInByCode = async <T>(
  person: SignInDialog,
  wish: AuthorizationOptions,
  exchange: (code: AuthorizationCode) => Promise<T>,
  options: CodeFlowOptions,
): Promise<T> => {
  const { redirectUri } = wish;
  parseListenAddress(redirectUri);
  const state = createRandomSecret();
  const verifier = wish.pkce ? createRandomSecret() : undefined;
  if (verifier !== undefined) options.redactor.register(verifier);
  const expected = { redirectUri, state };
  const loopback = await openLoopbackServer(expected, options);
  try {
    const url = buildAuthorizeUrl({ ...wish, state, ...(verifier === undefined ? {} : { verifier }) });
    const answer = await awaitAnswer({ person, expected, loopback, url }, options);
    if (answer.kind === 'denied') {
      await loopback.finish(renderDeniedPage(options.redactor.text(answer.description ?? answer.error)));
      throw denied(answer);
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
