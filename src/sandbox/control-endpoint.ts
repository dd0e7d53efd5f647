import { createHash, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../json/number.ts';
import { parseJson } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { Failure, toFailureJson, UsageError } from '../outcome.ts';
import { CONTROL_OPERATIONS, type ControlName, type SendControl } from './control.ts';
import type { ControlFields } from './control-operation.ts';
import type { SandboxRequest, SandboxResponse } from './exchange.ts';

/**
 * `/_sandbox/…` on a server (an adapter: it compares secrets): the requests of the control. GET looks, its arguments
 * are the query; POST acts, its arguments are JSON, and it carries the secret of the locator file in
 * `x-sandbox-secret`. A page of another site is refused by its Origin.
 */

const PREFIX = '/_sandbox/';
const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

const CONTROL_NAMES: ReadonlyMap<string, ControlName> = new Map(
  Object.entries(CONTROL_OPERATIONS).map(([name, { route }]) => [route, name as ControlName]),
);

const createJsonResponse = (status: number, value: unknown): SandboxResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: stringifyJson(value),
});

const createErrorResponse = (status: number, code: string, message: string): SandboxResponse =>
  createJsonResponse(status, { error: { code, exit: 1, message } });

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

const parseArgs = ({ method, query, body }: SandboxRequest): ControlFields => {
  if (method === 'GET') return Object.fromEntries(query);
  if (body === '') return {};
  const parsed = parseJson(body);
  if ('problem' in parsed) throw new UsageError(`the body cannot be read as JSON: ${parsed.problem.what}`);
  return isRecord(parsed.value) ? parsed.value : {};
};

/** The answers of `/_sandbox/…`. The secret stands in the locator file, which only its user can read. */
export const createControlEndpoint =
  (send: SendControl, secret: string) =>
  async (request: SandboxRequest): Promise<SandboxResponse> => {
    const { method, path, headers } = request;
    const origin = headers['origin'];
    if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
      return createErrorResponse(403, 'forbidden', 'Other sites may not control the sandbox.');
    }
    if (method === 'POST' && !timingSafeEqual(hash(headers['x-sandbox-secret'] ?? ''), hash(secret))) {
      return createErrorResponse(403, 'forbidden', 'The secret of the sandbox is missing.');
    }
    const name = CONTROL_NAMES.get(`${method} ${path.slice(PREFIX.length)}`);
    if (name === undefined) return createErrorResponse(404, 'not_found', `No such control: ${path}`);
    try {
      return createJsonResponse(200, await send({ name, args: parseArgs(request) }));
    } catch (error) {
      if (error instanceof Failure) return createJsonResponse(400, { error: toFailureJson(error) });
      return createErrorResponse(
        400,
        'bad_request',
        error instanceof Error ? error.message : 'unknown fault',
      );
    }
  };
