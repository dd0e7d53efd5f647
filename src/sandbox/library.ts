import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { STATUS_CODES } from 'node:http';
import timers from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { DOCUMENTED_LIMITS, formatRateLimit, type RequestLimits } from './access.ts';
import type { SandboxRequest, SandboxResponse } from './answer.ts';
import type { SandboxControl } from './control.ts';
import { parseHosts } from './deliveries/deliveries.ts';
import { DIALECT_CHOICES, parseDialect, type ServiceDialect, suggestFrom } from './dialect.ts';
import { listenOnSocket } from './listen.ts';
import { BASE_PATH, OpenSandbox } from './open.ts';
import { buildClientVariables, createLocator } from './remote.ts';
import { readSeedFile, seedFromText } from './seeds/file.ts';
import { createSeed, isSeedFile } from './seeds/seed.ts';
import { drawRandom, findFirstOwner, toSandboxTime } from './state.ts';
import { createMemoryState } from './store.ts';
import { type CreatedToken, createToken, requireHolder } from './tokens.ts';
import type { World } from './world.ts';

/** `ttctl/sandbox`: the composition root of a sandbox in somebody else's process (an adapter: it takes its time). */

export interface SandboxOptions {
  /** The initial data: the name of a seed, the path of a seed file, or the content of one. Default: `demo`. */
  readonly seed?: string | Readonly<Record<string, unknown>>;
  /** The time at which its clock starts: a `Date`, milliseconds, ISO 8601 (UTC without an offset). Default: now. */
  readonly now?: Date | number | string;
  /** Its clock stands still until it is moved. */
  readonly frozen?: boolean;
  /** How it answers where services of this kind differ; also as text: `pagination=top,created=200`. */
  readonly dialect?: string | Partial<ServiceDialect>;
  /** Limits of each token, over sliding windows. Default: `documented`. */
  readonly limits?: 'documented' | 'off' | Partial<RequestLimits>;
  /** E-mail address of the person who approves every OAuth2 request, without a page. */
  readonly autoApprove?: string;
  /** Hosts, besides this machine, that webhooks may be delivered to: `hooks.example.com`. */
  readonly allowWebhooksTo?: readonly string[];
  /** The same number draws the same ids and secrets. Default: 1. */
  readonly seedNumber?: number;
}

export interface TokenOptions {
  /** E-mail address of an active Owner or Executive Manager. Default: the owner of the first workspace. */
  readonly as?: string;
  /** Words with spaces or commas between them, or a list. Default: `read write`. */
  readonly scope?: string | readonly string[];
  /** Default: `sandbox`. */
  readonly name?: string;
}

/** A sandbox on a port of 127.0.0.1. */
export interface SandboxServer {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  /** `http://127.0.0.1:41234/api/v2` */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly port: number;
  /** The variables that point `ttctl` in another process at this server, with a new token. */
  env(options?: TokenOptions): Readonly<Record<string, string>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The type of `fetch` where this is used. */
type Fetch = typeof globalThis extends { fetch: infer F }
  ? F
  : (input: unknown, init?: unknown) => Promise<unknown>;

export interface Sandbox {
  /** For `fetch` of the sandbox alone; a server has addresses of its own. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  /** Id of the first workspace. */
  readonly workspaceId: number;
  /**
   * As the global `fetch`, but nothing leaves the process: whatever the host, `/api/v2/…` is the API and `/oauth/…` the
   * OAuth2 host. Redirects are returned, not followed.
   */
  readonly fetch: Fetch;
  /** Serves the same sandbox on a port (default: any free one). */
  listen(options?: { readonly port?: number }): Promise<SandboxServer>;
  /** Creates a Personal Access Token. */
  token(options?: TokenOptions): CreatedToken;
  /** All that `ttctl sandbox …` does: clock, faults, log, webhooks, snapshots, reset. */
  readonly control: SandboxControl;
  /** Ends its servers and what is on its way. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** RFC 2606: no such host can be, so that a request that strays from `sandbox.fetch` reaches nobody. */
const ORIGIN = 'http://sandbox.invalid';

const OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  ...{ seed: true, now: true, frozen: true, dialect: true, limits: true },
  ...{ autoApprove: true, allowWebhooksTo: true, seedNumber: true },
};

/**
 * A sandbox, ready at once: it needs no port and no file.
 * @throws Error with a `code` and, where one is near, a suggestion, for an unknown option or value
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seedNumber, limits, dialect, allowed } = readOptions(options);
  const clock = createOwnClock(seedNumber);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const state = createMemoryState(await createWorld(options, seedNumber, clock.now()));
  const sandbox = new OpenSandbox({
    ...{ state, clock, limits, dialect, allowed, autoApprove: options.autoApprove },
    ...{ signal: ending.signal, keepsSending: true },
    // What is to be tried again tomorrow keeps no process alive.
    timers: clock.idle,
    stop: async () => ending.abort(new Error('the sandbox was closed')),
  });
  const { control } = sandbox;
  const servers = new Set<SandboxServer>();
  const closeServers = () => Promise.all([...servers].map((server) => server.close()));
  // Also where somebody stops it from afar.
  ending.signal.addEventListener('abort', () => void closeServers());

  const getWorkspaceId = () => Object.values(state.world().spaces)[0]?.id ?? 0;

  function token({
    as = findFirstOwner(state.world())?.email ?? '',
    scope = 'read write',
    name,
  }: TokenOptions = {}) {
    const words = typeof scope === 'string' ? scope.split(/[\s,]+/).filter((word) => word !== '') : scope;
    const now = toSandboxTime(state.world(), clock.now());
    return createToken(state.world(), { as, scopes: words, name, now, random: () => clock.random() });
  }

  async function listen({ port: requestedPort = 0 } = {}): Promise<SandboxServer> {
    ending.signal.throwIfAborted();
    // Not from the seeded generator: it is what keeps other users of this machine out.
    const secret = randomBytes(24).toString('hex');
    const { port, close } = await listenOnSocket(sandbox, { port: requestedPort, clock, secret });
    const locator = createLocator({ port, pid: 0, started_at: '', state: null, secret });
    const { url, base_url: baseUrl, auth_url: authUrl, token_url: tokenUrl } = locator;
    const env: SandboxServer['env'] = (tokenOptions) => {
      const client = { token: token(tokenOptions).token, workspace: getWorkspaceId() };
      return buildClientVariables(locator, { ...client, secret, rateLimit: formatRateLimit(limits) });
    };
    let closed: Promise<void> | undefined;
    const closeOnce = () => (closed ??= close());
    const server = {
      ...{ url, baseUrl, authUrl, tokenUrl, port, env },
      close: closeOnce,
      [Symbol.asyncDispose]: closeOnce,
    };
    servers.add(server);
    return server;
  }

  async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(typeof input === 'string' ? new URL(input, ORIGIN) : input, init);
    const response = await sandbox.answer(await toSandboxRequest(request));
    const { latency_ms = 0, cut } = response.wire ?? {};
    if (latency_ms > 0) await clock.sleep(latency_ms, AbortSignal.any([request.signal, ending.signal]));
    if (cut === 'unanswered') throw new TypeError('fetch failed', { cause: createSocketError() });
    return createWebResponse(response, request.url);
  }

  async function close(): Promise<void> {
    await control.stop();
    await sandbox.idle();
    await closeServers();
  }

  return {
    baseUrl: `${ORIGIN}${BASE_PATH}`,
    authUrl: ORIGIN,
    tokenUrl: ORIGIN,
    get workspaceId() {
      return getWorkspaceId();
    },
    ...{ fetch, listen, token, close, control },
    [Symbol.asyncDispose]: close,
  };
}

/** @throws UsageError for an unknown option or value, with a suggestion */
function readOptions({ seedNumber = 1, limits = 'documented', dialect = '', ...options }: SandboxOptions) {
  requireKnown('option', options, Object.keys(OPTIONS));
  return {
    seedNumber: readWholeNumber('seedNumber', seedNumber),
    limits: readLimits(limits),
    dialect: readDialect(dialect),
    allowed: parseHosts(options.allowWebhooksTo ?? []),
  };
}

/** The world that it begins with, in which whoever approves can do so. @param machineMs the machine's time, ms */
async function createWorld(options: SandboxOptions, number: number, machineMs: number): Promise<World> {
  const { seed = 'demo', frozen, autoApprove } = options;
  const now = options.now === undefined ? machineMs : toMomentMs(options.now);
  const world = await loadSeed(seed, { now, number });
  if (autoApprove !== undefined) requireHolder(world, autoApprove);
  return { ...world, time: { offset_ms: now - machineMs, frozen_ms: frozen === true ? now : null } };
}

function loadSeed(
  seed: NonNullable<SandboxOptions['seed']>,
  options: { readonly now: number; readonly number: number },
): World | Promise<World> {
  if (typeof seed !== 'string') return seedFromText(JSON.stringify(seed), 'the seed', options);
  return isSeedFile(seed) ? readSeedFile(seed, options) : createSeed(seed, options);
}

/** @throws UsageError for what is no moment */
function toMomentMs(moment: NonNullable<SandboxOptions['now']>): number {
  const isLocal = typeof moment === 'string' && /T[^Z+-]*$/i.test(moment);
  const ms = new Date(isLocal ? `${moment}Z` : moment).getTime();
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(`"${String(moment)}" is not a time`, {
    hint: 'Pass a Date, milliseconds, or ISO 8601 text such as 2026-11-20T09:00:00Z.',
  });
}

/** @throws UsageError for a name that is not among the known ones, with a suggestion */
function requireKnown(kind: string, value: object, knownNames: readonly string[]): void {
  const name = Object.keys(value).find((key) => !knownNames.includes(key));
  if (name !== undefined) throw createUnknownError(kind, name, knownNames);
}

function createUnknownError(kind: string, name: string, knownNames: readonly string[]): UsageError {
  return new UsageError(`unknown ${kind}: ${name}. ${suggestFrom(name, knownNames)}`);
}

function readWholeNumber(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new UsageError(`${name} must be a whole number: ${String(value)}`);
}

function readLimits(limits: NonNullable<SandboxOptions['limits']>): RequestLimits | 'off' {
  if (limits === 'documented') return DOCUMENTED_LIMITS;
  if (limits === 'off') return limits;
  if (typeof limits !== 'object') throw createUnknownError('limits', String(limits), ['documented', 'off']);
  requireKnown('limit', limits, Object.keys(DOCUMENTED_LIMITS));
  for (const [name, value] of Object.entries(limits)) readWholeNumber(name, value);
  return { ...DOCUMENTED_LIMITS, ...limits };
}

function readDialect(dialect: NonNullable<SandboxOptions['dialect']>): ServiceDialect {
  if (typeof dialect === 'string') return parseDialect(dialect);
  requireKnown('dialect', dialect, Object.keys(DIALECT_CHOICES));
  return parseDialect(
    Object.entries(dialect)
      .map((pair) => pair.join('='))
      .join(','),
  );
}

/** Fake timers that a test puts in place later turn the test's clock, not the sandbox's. */
const { setTimeout: sleepReally } = timers;
const { now: getMachineTime } = Date;

/** The machine's time; waiting by `idle` does not keep the process alive. @param seedNumber where chance begins */
function createOwnClock(seedNumber: number): Clock & { readonly idle: Clock } {
  const state = { generator: seedNumber };
  const createSleep =
    (ref: boolean): Clock['sleep'] =>
    (ms, signal) =>
      sleepReally(ms, undefined, { ref, ...(signal && { signal }) }).catch(() => {
        throw signal?.reason;
      });
  const time = { now: getMachineTime, random: () => drawRandom(state) };
  return { ...time, sleep: createSleep(true), idle: { ...time, sleep: createSleep(false) } };
}

async function toSandboxRequest(request: Request): Promise<SandboxRequest> {
  request.signal.throwIfAborted();
  const { pathname: path, searchParams } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  return { method: request.method, path, query: [...searchParams], headers, body: await request.text() };
}

/** As Node's own `fetch` tells of a connection that was cut. */
function createSocketError(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}

const NO_BODY = new Set([101, 204, 205, 304]);

function createWebResponse(response: SandboxResponse, url: string): Response {
  const { status, body, wire } = response;
  const isBroken = wire?.cut === 'middle';
  const answer = new Response(NO_BODY.has(status) ? null : isBroken ? createBrokenStream(body) : body, {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: response.headers,
  });
  // A Response that was made by hand has none.
  return Object.defineProperty(answer, 'url', { value: url });
}

/** Half of the body, and then the end of the connection. */
function createBrokenStream(body: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body.slice(0, Math.floor(body.length / 2))));
    },
    pull(controller) {
      controller.error(new TypeError('terminated', { cause: createSocketError() }));
    },
  });
}
