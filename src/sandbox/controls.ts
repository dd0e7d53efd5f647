import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure, failureJson } from '../outcome.ts';
import type { SandboxControl } from './control.ts';
import { actOnWebhooks, lookAtWebhooks } from './deliveries/controls.ts';
import type { SandboxRequest, SandboxResponse } from './exchange.ts';
import type { AppWish } from './oauth/apps.ts';

/**
 * `/_sandbox/…` on a server (an adapter: it compares secrets): GET status, apps, webhooks/deliveries; POST reset, tokens,
 * apps, stop, webhooks/redeliver, deliver, trigger. A POST carries the secret of the locator file in `x-sandbox-secret`. A page of another site is refused by its Origin.
 */

const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

const json = (status: number, value: unknown): SandboxResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});

const refusal = (status: number, code: string, message: string): SandboxResponse =>
  json(status, { error: { code, exit: 1, message } });

const failed = (error: unknown): SandboxResponse =>
  error instanceof Failure
    ? json(400, { error: failureJson(error) })
    : refusal(400, 'bad_request', error instanceof Error ? error.message : 'unknown fault');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const knows = (request: SandboxRequest, secret: string): boolean =>
  timingSafeEqual(digest(request.headers['x-sandbox-secret'] ?? ''), digest(secret));

const bodyOf = (request: SandboxRequest): Record<string, unknown> => {
  const value: unknown = request.body === '' ? {} : JSON.parse(request.body);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** What a body says of a new application; other fields are left out. */
const appWish = (body: Record<string, unknown>): AppWish => {
  const optional = ['redirect_uri', 'grant', 'as'].filter((name) => typeof body[name] === 'string');
  return {
    name: String(body['name'] ?? ''),
    ...Object.fromEntries(optional.map((name) => [name, body[name]])),
  };
};

const act = async (control: SandboxControl, request: SandboxRequest): Promise<unknown> => {
  const body = bodyOf(request);
  switch (request.path) {
    case '/_sandbox/reset':
      return control.reset(typeof body['seed'] === 'string' ? body['seed'] : 'demo');
    case '/_sandbox/tokens':
      return control.createToken({ as: String(body['as'] ?? ''), scopes: texts(body['scopes']) });
    case '/_sandbox/apps':
      return control.createApp(appWish(body));
    case '/_sandbox/stop':
      await control.stop();
      return { stopped: true };
    default:
      return actOnWebhooks(control.webhooks, request.path, body);
  }
};

/** What anybody on this machine may see. */
const look = async (control: SandboxControl, request: SandboxRequest): Promise<unknown> => {
  if (request.path === '/_sandbox/status') return control.status();
  if (request.path === '/_sandbox/apps') return control.apps();
  return lookAtWebhooks(control.webhooks, request);
};

/** The answers of `/_sandbox/…`. The secret stands in the locator file, which only its user can read. */
export const createControls =
  (control: SandboxControl, secret: string) =>
  async (request: SandboxRequest): Promise<SandboxResponse> => {
    const origin = request.headers['origin'];
    if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
      return refusal(403, 'forbidden', 'Other sites may not control the sandbox.');
    }
    const { method } = request;
    if (method === 'POST' && !knows(request, secret)) {
      return refusal(403, 'forbidden', 'The secret of the sandbox is missing.');
    }
    try {
      const answers = { GET: look, POST: act };
      const value =
        method === 'GET' || method === 'POST' ? await answers[method](control, request) : undefined;
      if (value === undefined) return refusal(404, 'not_found', `No such control: ${request.path}`);
      return json(200, value);
    } catch (error) {
      return failed(error);
    }
  };
