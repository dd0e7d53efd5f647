import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import { createRandomSecret } from './oauth.ts';

/** The server at the redirect address, which waits for one browser, and the pages that a person sees there. */

export type AuthorizationAnswer =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: string; readonly description: string | undefined };

interface Refusal {
  readonly kind: 'refused';
  readonly status: number;
  readonly reason: string;
}

interface HttpPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The browser is redirected here, to an address without the code. */
const END_PATH = '/signed-in';
/** A browser follows within milliseconds; one that does not come is not waited for. */
const LINGER_MS = 700;
/** The same after a signal: the process is given less than a second to end then. */
const LINGER_INTERRUPTED_MS = 150;
/** How long a request may take to arrive; a connection that sends nothing is closed after it. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CODE_LENGTH = 4096;

export class LoopbackServer {
  /**
   * The first answer with the right state. What else comes is refused, and the wait goes on; but where somebody asks
   * for the start address a second time, the state is no secret any more, and it is rejected with a `Failure` (exit 3).
   */
  readonly answer: Promise<AuthorizationAnswer>;
  /**
   * Leads a browser to the authorization host, once: its command line, which others on this machine can read, has
   * this address in place of one with the state in it.
   */
  readonly startUrl: string;
  /** Of this machine, as `findLoopbackRedirectProblem` allows it. */
  readonly #redirect: URL;
  readonly #state: string;
  readonly #authorizeUrl: string;
  readonly #startPath = `/start/${createRandomSecret()}`;
  readonly #clock: Clock;
  readonly #interrupted: AbortSignal;
  readonly #servers: Server[] = [];
  #accept: (answer: AuthorizationAnswer) => void = () => {};
  #reject: (failure: Failure) => void = () => {};
  #isStarted = false;
  #isClosed = false;
  /** What the browser is shown in the end; undefined before the answer. */
  #page: HttpPage | undefined;
  #markArrived = (): void => {};
  readonly #arrival = new Promise<void>((resolve) => {
    this.#markArrived = resolve;
  });

  constructor(
    { redirectUri, state }: { readonly redirectUri: string; readonly state: string },
    authorizeUrl: string,
    { clock, interrupted }: { readonly clock: Clock; readonly interrupted: AbortSignal },
  ) {
    this.#redirect = new URL(redirectUri);
    this.#state = state;
    this.#authorizeUrl = authorizeUrl;
    this.#clock = clock;
    this.#interrupted = interrupted;
    this.startUrl = new URL(this.#startPath, redirectUri).href;
    this.answer = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#reject = reject;
    });
    // It may come while nobody waits for an answer.
    this.answer.catch(() => {});
  }

  /** Listens at all hosts that there are, or at none. @throws Failure (exit 3) where the port is not free */
  async open(): Promise<void> {
    const { hostname, port, href } = this.#redirect;
    const hosts = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')];
    const limits = {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    };
    for (const host of hosts) {
      const server = createServer(limits, (request, response) => this.#handle(request, response));
      server.listen({ host, port: Number(port || 80), exclusive: true });
      try {
        await once(server, 'listening');
        this.#servers.push(server);
      } catch (error) {
        const code = error instanceof Error ? String(Reflect.get(error, 'code')) : '';
        // `localhost` is both families; a machine without IPv6 has one.
        if (host === '::1' && ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)) continue;
        await this.close();
        throw new Failure(`cannot wait for the browser at ${href}`, {
          code: 'port_unavailable',
          exit: EXIT.signedOut,
          reason: code === 'EADDRINUSE' ? 'Another program is using it.' : String(error),
          hint: 'Stop the other program (another sign-in?), or register a redirect address with another port and pass it with --redirect-uri.',
          cause: error,
        });
      }
    }
  }

  /**
   * An address that the browser ended at, as it asks for it or as a person pastes it: the answer in it, or why there is
   * none. A parameter that occurs twice and a code that is too long are refused.
   */
  check(address: string, method = 'GET'): AuthorizationAnswer | Refusal {
    const { origin, pathname, href } = this.#redirect;
    if (!URL.canParse(address, href)) return refuse(400, 'It is not a URL.');
    const url = new URL(address, href);
    if (url.origin !== origin || url.pathname !== pathname)
      return refuse(404, `It does not begin with ${href}.`);
    if (method !== 'GET') return refuse(405, 'Only GET is allowed.');
    const query = url.searchParams;
    if (['state', 'code', 'error'].some((name) => query.getAll(name).length > 1))
      return refuse(400, 'It has a parameter twice.');
    // In constant time, whatever the lengths.
    const [given, own] = [query.get('state') ?? '', this.#state].map((text) =>
      createHash('sha256').update(text).digest(),
    );
    if (given === undefined || own === undefined || !timingSafeEqual(given, own))
      return refuse(400, 'It belongs to another sign-in.');
    const error = query.get('error') ?? '';
    const description = query.get('error_description')?.slice(0, 500);
    if (error !== '') return { kind: 'denied', error: error.slice(0, 200), description };
    const code = query.get('code') ?? '';
    if (!/^[\x21-\x7e]+$/.test(code) || code.length > MAX_CODE_LENGTH) return refuse(400, 'It has no code.');
    return { kind: 'code', code };
  }

  /** Frees the port, once a browser that was sent back has its page: not long, and less after a signal. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#page !== undefined) {
      const finished = new AbortController();
      const { signal } = finished;
      const sleep = (ms: number): Promise<void> => this.#clock.sleep(ms, signal).catch(() => {});
      const interruption = new Promise<void>((resolve) => {
        if (this.#interrupted.aborted) resolve();
        else this.#interrupted.addEventListener('abort', () => resolve(), { once: true, signal });
      });
      const brief = interruption.then(() => sleep(LINGER_INTERRUPTED_MS));
      await Promise.race([this.#arrival, sleep(LINGER_MS), brief]);
      finished.abort();
    }
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(closed);
  }

  #handle({ method = '', url: target = '', headers }: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {});
    if (this.#page !== undefined && method === 'GET' && target === END_PATH) {
      response.once('close', this.#markArrived);
      send(response, this.#page);
      return;
    }
    if (this.#page === undefined && target === this.#startPath) {
      if (!this.#isStarted) {
        this.#isStarted = true;
        send(response, redirectTo(this.#authorizeUrl));
        return;
      }
      this.#reject(
        new Failure('the sign-in was stopped: its address was opened twice', {
          code: 'opened_twice',
          exit: EXIT.signedOut,
          reason: 'Another program, or another user of this machine, may have opened it.',
          hint: 'Run the command again. If it happens again, add --no-browser.',
        }),
      );
      send(response, renderPage('Not accepted', ['It was opened before.'], 410));
      return;
    }
    // A page of another site that resolves its own name to this machine shows that name here.
    const { host, hostname, origin } = this.#redirect;
    const isOurs = [host, `${hostname}:80`].includes(headers.host?.toLowerCase() ?? '');
    const verdict = isOurs ? this.check(`${origin}${target}`, method) : refuse(421, 'Unknown host.');
    if (verdict.kind === 'refused') {
      const lines = [verdict.reason, 'ttctl is still waiting for its own sign-in.'];
      send(response, renderPage('Not accepted', lines, verdict.status));
      return;
    }
    // A reload of the right address is led on like the first; only the first counts.
    this.#accept(verdict);
    const close = 'You can close this window.';
    this.#page ??=
      verdict.kind === 'code'
        ? renderPage('Approved', ['Return to the terminal: it says how the sign-in ended.', close])
        : renderPage('Not signed in', [
            `The service said: ${verdict.description ?? verdict.error}`,
            `${close} See the terminal for how to try again.`,
          ]);
    send(response, redirectTo(END_PATH));
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpPage): void {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
}

function refuse(status: number, reason: string): Refusal {
  return { kind: 'refused', status, reason };
}

const STYLE =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif}main{max-width:32rem;padding:2rem}h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:0 0 .5rem;overflow-wrap:anywhere}';

/** The address of a page may be a code: it is neither cached nor sent as a referrer. No scripts, nothing fetched. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  connection: 'close',
} as const;

/** Leads away from the address that has the code in it. */
function redirectTo(location: string): HttpPage {
  return { status: 303, headers: { ...HEADERS, location }, body: '' };
}

/** The texts are escaped here. */
function renderPage(title: string, lines: readonly string[], status = 200): HttpPage {
  const escapeHtml = (text: string): string =>
    text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · ttctl</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</main>
</body>
</html>
`;
  return { status, headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' }, body };
}
