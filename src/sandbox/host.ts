import type { SandboxApp, SandboxRequest, SandboxResponse } from './exchange.ts';

/** What stands at which address of a sandbox. */

/** The root of the API (docs/service.md, Versioning). */
export const BASE_PATH = '/api/v2';
const OAUTH_PREFIX = '/oauth/';

/** An answer that is not the API's own, in its envelope all the same. */
export const createPlainResponse = (status: number, message: string): SandboxResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ success: false, message, error: null, meta: {} }),
});

export interface Hosts {
  readonly app: SandboxApp;
  /** Answers `/oauth/…`; without it those are 404. */
  readonly oauth?: SandboxApp | undefined;
}

/** The answer to a request whose path is that of the address: `/api/v2/members`, `/oauth/token`. */
export const answerRequest = (
  request: SandboxRequest,
  { app, oauth }: Hosts,
  base: string = BASE_PATH,
): SandboxResponse => {
  const { path } = request;
  if (path.startsWith(OAUTH_PREFIX) && oauth !== undefined) return oauth(request);
  if (!path.startsWith(`${base}/`)) return createPlainResponse(404, `Not found: the API is at ${base}.`);
  return app({ ...request, path: path.slice(base.length) });
};

/** The path and the query of a target as a request line has it. */
export const splitTarget = (target: string): Pick<SandboxRequest, 'path'> & { query: [string, string][] } => {
  const queryIndex = target.indexOf('?');
  if (queryIndex < 0) return { path: target, query: [] };
  return { path: target.slice(0, queryIndex), query: [...new URLSearchParams(target.slice(queryIndex + 1))] };
};
