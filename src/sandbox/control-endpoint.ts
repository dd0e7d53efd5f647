import { createHash, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../json/number.ts';
import { parseJson } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { Failure, failureJson, UsageError } from '../outcome.ts';
import { readMove } from './clock.ts';
import type { SandboxControl } from './control.ts';
import { actOnWebhooks, lookAtWebhooks } from './deliveries/controls.ts';
import type { SandboxRequest, SandboxResponse } from './exchange.ts';
import { readFaultWish } from './fault-wish.ts';
import type { AppWish } from './oauth/apps.ts';
import { actOnSnapshots, lookAtSnapshots } from './snapshots/controls.ts';

/**
 * `/_sandbox/…` on a server (an adapter: it compares secrets): GET looks, POST acts. A POST carries the secret of the locator file in `x-sandbox-secret`. A page of another site is refused by its Origin.
 */

const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

const json = (status: number, value: unknown): SandboxResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: stringifyJson(value),
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
  if (request.body === '') return {};
  const parsed = parseJson(request.body);
  if ('problem' in parsed) throw new UsageError(`the body cannot be read as JSON: ${parsed.problem.what}`);
  return isRecord(parsed.value) ? { ...parsed.value } : {};
};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'number') : [];

/** What a body says of a new application; other fields are left out. */
const appWish = (body: Record<string, unknown>): AppWish => {
  const optional = ['redirect_uri', 'grant', 'as'].filter((name) => typeof body[name] === 'string');
  return {
    name: String(body['name'] ?? ''),
    ...Object.fromEntries(optional.map((name) => [name, body[name]])),
  };
};

type Look = (control: SandboxControl, query: ReadonlyMap<string, string>) => Promise<unknown>;

/** By the name after `/_sandbox/`: what anybody on this machine may see. */
const LOOKS: Readonly<Record<string, Look>> = {
  status: (control) => control.status(),
  apps: (control) => control.apps(),
  clock: (control) => control.clock(),
  faults: (control) => control.faults(),
  log: (control, query) => control.log(query.get('after')),
};

type Act = (control: SandboxControl, body: Record<string, unknown>) => Promise<unknown>;

/** Likewise: what changes something, and needs the secret. */
const ACTS: Readonly<Record<string, Act>> = {
  reset: (control, { seed, plan }) => control.reset(typeof seed === 'string' ? seed : 'demo', plan === true),
  tokens: (control, { as, scopes, keptAs, plan }) => {
    const kept = typeof keptAs === 'string' ? { keptAs } : {};
    return control.createToken({ as: String(as ?? ''), scopes: texts(scopes), ...kept }, plan === true);
  },
  apps: (control, body) => control.createApp(appWish(body), body['plan'] === true),
  clock: (control, body) => control.moveClock(readMove(body), body['plan'] === true),
  faults: (control, body) => control.addFault(readFaultWish(body), body['plan'] === true),
  'faults/clear': (control, { ids, plan }) => control.clearFaults(numbers(ids), plan === true),
  'log/clear': async (control) => {
    await control.clearLog();
    return { cleared: true };
  },
  simulate: (control, { by_ms, plan }) => control.simulate(Number(by_ms), plan === true),
  stop: async (control) => {
    await control.stop();
    return { stopped: true };
  },
};

const named = <T>(table: Readonly<Record<string, T>>, path: string): T | undefined => {
  const name = path.slice('/_sandbox/'.length);
  return Object.hasOwn(table, name) ? table[name] : undefined;
};

/** Undefined: there is no such control. */
const answerTo = async (control: SandboxControl, request: SandboxRequest): Promise<unknown> => {
  const { method, path } = request;
  if (method === 'GET') {
    return (
      named(LOOKS, path)?.(control, new Map(request.query)) ??
      (await lookAtSnapshots(control.snapshots, request)) ??
      lookAtWebhooks(control.webhooks, request)
    );
  }
  const body = bodyOf(request);
  return (
    named(ACTS, path)?.(control, body) ??
    (await actOnSnapshots(control.snapshots, path, body)) ??
    actOnWebhooks(control.webhooks, path, body)
  );
};

/** The answers of `/_sandbox/…`. The secret stands in the locator file, which only its user can read. */
export const createControlEndpoint =
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
      const known = method === 'GET' || method === 'POST';
      const value = known ? await answerTo(control, request) : undefined;
      if (value === undefined) return refusal(404, 'not_found', `No such control: ${request.path}`);
      return json(200, value);
    } catch (error) {
      return failed(error);
    }
  };
