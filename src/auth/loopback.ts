import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { findLoopbackRedirectProblem, REDIRECT_HINT } from '../parsing/address.ts';
import { type AuthorizationAnswer, checkCallback, type ExpectedCallback } from './callback.ts';
import { type HttpPage, redirectTo, renderRefusedPage } from './http-pages.ts';

/** The server at the redirect address, which waits for one browser (docs/requirements.md, A1 to A5). */

export interface LoopbackServer {
  /** The first answer with the right state. What else comes is refused, and the wait goes on. */
  readonly answer: Promise<AuthorizationAnswer>;
  /** How many requests to the redirect address had another state, or none. */
  strangers(): number;
  /** Shows the browser how it ended, where one waits for it, then frees the port. Only the first call counts. */
  finish(page: HttpPage | undefined): Promise<void>;
}

/** Where the browser is led to, away from the code. */
const END = '/signed-in';
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

const taken = (redirectUri: string, cause: Error): Failure =>
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
    throw taken(redirectUri, cause);
  }
};

const send = (response: ServerResponse, { status, headers, body }: HttpPage): void => {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
};

/** So long may a request take to come in; what opens a connection and says nothing is cut. */
const SLOWEST_MS = 5_000;

const close = async (servers: readonly Server[]): Promise<void> => {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
};

interface Lingering {
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
}

/** Waits for a browser to do something, but not long; a signal shortens the wait, also while it lasts. */
const linger = async (event: Promise<unknown>, { clock, interrupted }: Lingering): Promise<void> => {
  const enough = new AbortController();
  const { signal } = enough;
  const sleep = (ms: number): Promise<void> => clock.sleep(ms, signal).catch(() => {});
  const signalled = new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true, signal });
  });
  await Promise.race([event, sleep(LINGER_MS), signalled.then(() => sleep(LINGER_INTERRUPTED_MS))]);
  enough.abort();
};

/** What the handler and the ending share. */
interface Wait {
  accepted: boolean;
  strangers: number;
  /** Browsers that were led to the end and wait for its page. */
  readonly guests: ServerResponse[];
  seat(): void;
}

const handler =
  (expected: ExpectedCallback, wait: Wait, accept: (answer: AuthorizationAnswer) => void) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {});
    const { method = '', url: target = '', headers } = request;
    if (wait.accepted && method === 'GET' && target === END) {
      wait.guests.push(response);
      wait.seat();
      return;
    }
    const verdict = checkCallback({ method, target, host: headers.host }, expected);
    if (verdict.kind === 'refused') {
      if (verdict.status === 400) wait.strangers += 1;
      send(response, renderRefusedPage(verdict.status, verdict.why));
      return;
    }
    // A reload of the right address is led on like the first; only the first counts.
    if (!wait.accepted) accept(verdict);
    wait.accepted = true;
    send(response, redirectTo(END));
  };

/** Listens at all hosts that there are, or at none. */
const serveAt = async (
  redirectUri: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<readonly Server[]> => {
  const { hosts, port } = parseListenAddress(redirectUri);
  const servers: Server[] = [];
  try {
    for (const host of hosts) {
      const server = createServer(
        { headersTimeout: SLOWEST_MS, requestTimeout: SLOWEST_MS, connectionsCheckingInterval: 1_000 },
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
  lingering: Lingering,
): Promise<LoopbackServer> => {
  let accept: (answer: AuthorizationAnswer) => void = () => {};
  const answer = new Promise<AuthorizationAnswer>((resolve) => {
    accept = resolve;
  });
  let seat = (): void => {};
  const seated = new Promise<void>((resolve) => {
    seat = resolve;
  });
  const wait: Wait = { accepted: false, strangers: 0, guests: [], seat };
  const servers = await serveAt(expected.redirectUri, handler(expected, wait, accept));
  let over = false;
  return {
    answer,
    strangers: () => wait.strangers,
    async finish(page) {
      if (over) return;
      over = true;
      if (page !== undefined && wait.accepted) {
        await linger(seated, lingering);
        const shown = wait.guests.map((guest) => new Promise((resolve) => guest.once('close', resolve)));
        for (const guest of wait.guests) send(guest, page);
        await linger(Promise.all(shown), lingering);
      }
      await close(servers);
    },
  };
};
