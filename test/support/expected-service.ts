import { syncBuiltinESMExports } from 'node:module';
import nock from 'nock';
import type { Answer, Recorded } from './recorder.ts';

/** The service as a test of one command expects it: in this process, with no socket. */

// Files share their worker: requests are caught only where they are expected.
nock.restore();
syncBuiltinESMExports();

const ORIGIN = 'https://service.test';
const BASE = '/api/v2';

const partsOf = (request: string) => {
  const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(request) ?? [];
  return { method, path: `${BASE}${path}`, body: body === undefined ? undefined : JSON.parse(body) };
};

export interface ExpectedService {
  readonly baseUrl: string;
  /** Each request that was expected and came, to the letter, in its order. */
  readonly lines: readonly string[];
  /** Those that came and were not expected. */
  readonly unexpected: readonly string[];
  /** Those that were expected and did not come. */
  missing(): readonly string[];
  close(): void;
}

/**
 * @param requests `METHOD /path?query {body}`, to the letter; any other request fails as one that reaches nobody
 * @param answer what each is answered with
 */
export const expectRequests = (
  requests: readonly string[],
  answer: (request: Recorded) => Answer,
): ExpectedService => {
  const lines: string[] = [];
  const unexpected: string[] = [];
  const note = ({ method, path }: { readonly method: string; readonly path: string }): void => {
    unexpected.push(`${method} ${path}`);
  };
  nock.activate();
  syncBuiltinESMExports();
  nock.emitter.on('no match', note);
  nock.disableNetConnect();
  const scope = nock(ORIGIN);
  for (const request of requests) {
    const { method, path, body } = partsOf(request);
    scope.intercept(path, method, body).reply(function (uri, sent) {
      const line = `${method} ${uri.slice(BASE.length)}`;
      const known = sent === '' ? undefined : sent;
      lines.push(known === undefined ? line : `${line} ${JSON.stringify(known)}`);
      const {
        status = 200,
        headers = {},
        body: reply = '',
      } = answer({
        line,
        headers: this.req.headers,
        body: known,
      });
      const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
      return [status, text, { 'content-type': 'application/json', ...headers }];
    });
  }
  return {
    baseUrl: `${ORIGIN}${BASE}`,
    lines,
    unexpected,
    missing: () => scope.pendingMocks(),
    close: () => {
      nock.emitter.off('no match', note);
      nock.cleanAll();
      nock.enableNetConnect();
      nock.restore();
      syncBuiltinESMExports();
    },
  };
};
