import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { findLoopbackRedirectProblem, REDIRECT_HINT } from '../parsing/address.ts';
import { type AuthorizationAnswer, checkCallback, type ExpectedCallback } from './callback.ts';
import { type HttpPage, redirectTo, renderRefusedPage } from './http-pages.ts';
import { createRandomSecret } from './oauth.ts';

/** The server at the redirect address, which waits for one browser. */

export interface LoopbackServer {
  /**
   * Leads a browser to the authorization host, once: its command line, which others on this machine can read, has
   * this address in place of one with the state in it.
   */
  readonly startUrl: string;
  /**
   * The first answer with the right state. What else comes is refused, and the wait goes on; but where somebody asks
   * for the start address a second time, the state is no secret any more, and it is rejected with a `Failure` (exit 3).
   */
  readonly answer: Promise<AuthorizationAnswer>;
  /** How many requests to the redirect address had another state, or none. */
  countMismatches(): number;
  /** Shows the browser how it ended, where one waits for it, then frees the port. Only the first call counts. */
  finish(page: HttpPage | undefined): Promise<void>;
}

/** The browser is redirected here, to an address without the code. */
const END_PATH = '/signed-in';
/** A browser follows within milliseconds; one that does not come is not waited for. */
const LINGER_MS = 700;
/** The same after a signal: the process is given less than a second to end then, and the page is waited for twice. */
const LINGER_INTERRUPTED_MS = 150;

/** @throws UsageError for an address that no server of this machine can have */
export const parseListenAddress = (
  redirectUri: string,
): { readonly hosts: readonly string[]; readonly port: number } => {
  const problem = findLoopbackRedirectProblem(redirectUri);
  if (problem !== undefined)
    throw new UsageError(`the redirect address ${problem}`, { code: 'redirect_uri', hint: REDIRECT_HINT });
  const url = new URL(redirectUri);
  const hosts = url.hostname === 'localhost' ? ['127.0.0.1', '::1'] : [url.hostname.replace(/^\[|\]$/g, '')];
  return { hosts, port: url.port === '' ? 80 : Number(url.port) };
};

const createPortFailure = (redirectUri: string, cause: Error): Failure =>
  new Failure(`cannot wait for the browser at ${redirectUri}`, {
    code: 'port_unavailable',
    exit: EXIT.signedOut,
    reason: Reflect.get(cause, 'code') === 'EADDRINUSE' ? 'Another program is using it.' : cause.message,
    hint: 'Stop the other program (another sign-in?), or register a redirect address with another port and pass it with --redirect-uri.',
    cause,
  });

const NO_SUCH_ADDRESS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** `localhost` is both families; a machine without IPv6 has one. */
const listen = async (server: Server, host: string, port: number, redirectUri: string): Promise<boolean> => {
  server.listen({ host, port, exclusive: true });
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    if (host === '::1' && NO_SUCH_ADDRESS.includes(String(Reflect.get(cause, 'code')))) return false;
    throw createPortFailure(redirectUri, cause);
  }
};

const send = (response: ServerResponse, { status, headers, body }: HttpPage): void => {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
};

/** How long a request may take to arrive; a connection that sends nothing is closed after it. */
const REQUEST_TIMEOUT_MS = 5_000;

const close = async (servers: readonly Server[]): Promise<void> => {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
};

interface LingerOptions {
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
}

/** Waits for a browser to do something, but not long; a signal shortens the wait, also while it lasts. */
const linger = async (event: Promise<unknown>, { clock, interrupted }: LingerOptions): Promise<void> => {
  const finished = new AbortController();
  const { signal } = finished;
  const sleep = (ms: number): Promise<void> => clock.sleep(ms, signal).catch(() => {});
  const interruption = new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true, signal });
  });
  await Promise.race([event, sleep(LINGER_MS), interruption.then(() => sleep(LINGER_INTERRUPTED_MS))]);
  finished.abort();
};

const createOpenedTwiceFailure = (): Failure =>
  new Failure('the sign-in was stopped: its address was opened twice', {
    code: 'opened_twice',
    exit: EXIT.signedOut,
    reason: 'Another program, or another user of this machine, may have opened it.',
    hint: 'Run the command again. If it happens again, add --no-browser.',
  });

/** State that the request handler and `finish` share. */
interface CallbackProgress {
  accepted: boolean;
  started: boolean;
  mismatches: number;
  /** Responses to browsers that were redirected to `END_PATH` and wait for its page. */
  readonly pendingResponses: ServerResponse[];
  markArrived(): void;
}

interface HandlerOptions {
  readonly expected: ExpectedCallback;
  readonly startPath: string;
  readonly authorizeUrl: string;
  readonly accept: (answer: AuthorizationAnswer) => void;
  readonly reject: (failure: Failure) => void;
}

const createHandler =
  ({ expected, startPath, authorizeUrl, accept, reject }: HandlerOptions, progress: CallbackProgress) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {});
    const { method = '', url: target = '', headers } = request;
    if (progress.accepted && method === 'GET' && target === END_PATH) {
      progress.pendingResponses.push(response);
      progress.markArrived();
      return;
    }
    if (!progress.accepted && target === startPath) {
      const again = progress.started;
      progress.started = true;
      if (again) reject(createOpenedTwiceFailure());
      send(response, again ? renderRefusedPage(410, 'It was opened before.') : redirectTo(authorizeUrl));
      return;
    }
    const verdict = checkCallback({ method, target, host: headers.host }, expected);
    if (verdict.kind === 'refused') {
      if (verdict.status === 400) progress.mismatches += 1;
      send(response, renderRefusedPage(verdict.status, verdict.reason));
      return;
    }
    // A reload of the right address is led on like the first; only the first counts.
    if (!progress.accepted) accept(verdict);
    progress.accepted = true;
    send(response, redirectTo(END_PATH));
  };

/** Listens at all hosts that there are, or at none. */
const listenAll = async (
  redirectUri: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<readonly Server[]> => {
  const { hosts, port } = parseListenAddress(redirectUri);
  const servers: Server[] = [];
  try {
    for (const host of hosts) {
      const server = createServer(
        {
          headersTimeout: REQUEST_TIMEOUT_MS,
          requestTimeout: REQUEST_TIMEOUT_MS,
          connectionsCheckingInterval: 1_000,
        },
        handle,
      );
      if (await listen(server, host, port, redirectUri)) servers.push(server);
    }
  } catch (error) {
    await close(servers);
    throw error;
  }
  return servers;
};

/** @throws Failure (exit 3) where the port is not free, UsageError for an address that is not on this machine */
export const openLoopbackServer = async (
  expected: ExpectedCallback,
  authorizeUrl: string,
  options: LingerOptions,
): Promise<LoopbackServer> => {
  let accept: (answer: AuthorizationAnswer) => void = () => {};
  let reject: (failure: Failure) => void = () => {};
  const answer = new Promise<AuthorizationAnswer>((resolve, fail) => {
    accept = resolve;
    reject = fail;
  });
  // It may come while nobody waits for an answer.
  answer.catch(() => {});
  let markArrived = (): void => {};
  const arrival = new Promise<void>((resolve) => {
    markArrived = resolve;
  });
  const progress: CallbackProgress = {
    accepted: false,
    started: false,
    mismatches: 0,
    pendingResponses: [],
    markArrived,
  };
  const startPath = `/start/${createRandomSecret()}`;
  const handle = createHandler({ expected, startPath, authorizeUrl, accept, reject }, progress);
  const servers = await listenAll(expected.redirectUri, handle);
  let isFinished = false;
  return {
    startUrl: new URL(startPath, expected.redirectUri).href,
    answer,
    countMismatches: () => progress.mismatches,
    async finish(page) {
      if (isFinished) return;
      isFinished = true;
      if (page !== undefined && progress.accepted) {
        await linger(arrival, options);
        const delivered = progress.pendingResponses.map(
          (response) => new Promise((resolve) => response.once('close', resolve)),
        );
        for (const response of progress.pendingResponses) send(response, page);
        await linger(Promise.all(delivered), options);
      }
      await close(servers);
    },
  };
};
