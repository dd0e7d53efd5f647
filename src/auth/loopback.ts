import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
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
/**
 * A browser follows within milliseconds; one that does not come is not waited for. After a signal the process is given
 * less than a second to end.
 */
const LINGER_MS = 700;
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
  readonly #redirect: URL;
  readonly #authorizeUrl: URL;
  readonly #clock: Clock;
  readonly #startPath = `/start/${createRandomSecret()}`;
  readonly #servers: Server[] = [];
  readonly #arrived = new AbortController();
  #accept: (answer: AuthorizationAnswer) => void = () => {};
  #reject: (failure: Failure) => void = () => {};
  #isStarted = false;
  #page: HttpPage | undefined;

  /** @param authorizeUrl with `state`, and with a `redirect_uri` as `findLoopbackRedirectProblem` allows it */
  constructor(authorizeUrl: URL, clock: Clock) {
    this.#authorizeUrl = authorizeUrl;
    this.#clock = clock;
    this.#redirect = new URL(authorizeUrl.searchParams.get('redirect_uri') ?? '');
    this.startUrl = new URL(this.#startPath, this.#redirect).href;
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
    const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
    const limits = { ...timeouts, connectionsCheckingInterval: 1_000 };
    for (const host of hosts) {
      const server = createServer(limits, (request, response) => {
        const page = this.#handle(request);
        if (page === this.#page) response.once('close', () => this.#arrived.abort());
        response.on('error', () => {});
        response.writeHead(page.status, { ...page.headers, 'content-length': Buffer.byteLength(page.body) });
        response.end(page.body);
      });
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
    const hashState = (from: URL) =>
      createHash('sha256')
        .update(from.searchParams.get('state') ?? '')
        .digest();
    if (!timingSafeEqual(hashState(url), hashState(this.#authorizeUrl)))
      return refuse(400, 'It belongs to another sign-in.');
    const error = query.get('error') ?? '';
    const description = query.get('error_description')?.slice(0, 500);
    if (error !== '') return { kind: 'denied', error: error.slice(0, 200), description };
    const code = query.get('code') ?? '';
    if (!/^[\x21-\x7e]+$/.test(code) || code.length > MAX_CODE_LENGTH) return refuse(400, 'It has no code.');
    return { kind: 'code', code };
  }

  /** Frees the port, once a browser that was sent back has its page: not long. */
  async close(): Promise<void> {
    if (this.#page !== undefined && this.#servers.length > 0)
      await this.#clock.sleep(LINGER_MS, this.#arrived.signal).catch(() => {});
    const closed = this.#servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    await Promise.all(closed);
  }

  #handle({ method = '', url: target = '', headers }: IncomingMessage): HttpPage {
    if (this.#page !== undefined && method === 'GET' && target === END_PATH) return this.#page;
    if (this.#page === undefined && target === this.#startPath) {
      if (!this.#isStarted) {
        this.#isStarted = true;
        return redirectTo(this.#authorizeUrl.href);
      }
      this.#reject(
        new Failure('the sign-in was stopped: its address was opened twice', {
          code: 'opened_twice',
          exit: EXIT.signedOut,
          reason: 'Another program, or another user of this machine, may have opened it.',
          hint: 'Run the command again. If it happens again, add --no-browser.',
        }),
      );
      return renderPage('Not accepted', ['It was opened before.'], 410);
    }
    // A page of another site that resolves its own name to this machine shows that name here.
    const { host, hostname, origin } = this.#redirect;
    const isOurs = [host, `${hostname}:80`].includes(headers.host?.toLowerCase() ?? '');
    const verdict = isOurs ? this.check(`${origin}${target}`, method) : refuse(421, 'Unknown host.');
    if (verdict.kind === 'refused') {
      const lines = [verdict.reason, 'ttctl is still waiting for its own sign-in.'];
      return renderPage('Not accepted', lines, verdict.status);
    }
    // A reload of the right address is led on like the first; only the first counts.
    this.#accept(verdict);
    this.#page ??=
      verdict.kind === 'code'
        ? renderPage('Approved', ['Return to the terminal: it says how the sign-in ended.', CLOSE])
        : renderPage('Not signed in', [
            `The service said: ${verdict.description ?? verdict.error}`,
            'See the terminal for how to try again.',
            CLOSE,
          ]);
    return redirectTo(END_PATH);
  }
}

const CLOSE = 'You can close this window.';

function refuse(status: number, reason: string): Refusal {
  return { kind: 'refused', status, reason };
}

/** The address of a page may be a code: it is neither cached nor sent as a referrer. No scripts, nothing fetched. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  connection: 'close',
} as const;

function redirectTo(location: string): HttpPage {
  return { status: 303, headers: { ...HEADERS, location }, body: '' };
}

function renderPage(title: string, lines: readonly string[], status = 200): HttpPage {
  const escapeHtml = (text: string): string =>
    text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · ttctl</title>
<style>body{max-width:32rem;margin:4rem auto;font:1rem/1.5 system-ui;overflow-wrap:anywhere}</style>
<h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</html>
`;
  return { status, headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' }, body };
}
