import { setMaxListeners } from 'node:events';
import { STATUS_CODES } from 'node:http';
import timers from 'node:timers/promises';
import { RATE_LIMIT } from './access.ts';
import { BASE_PATH } from './app.ts';
import { type MachineClock, Problem } from './basics.ts';
import type { SandboxControl } from './control.ts';
import { parseHosts } from './deliveries.ts';
import { parseDialect, type ServiceDialect } from './dialect.ts';
import { listenOnSocket } from './listen.ts';
import { createOAuthHost } from './oauth.ts';
import { buildClientVariables, open } from './open.ts';
import { seedFromText } from './seeds/file.ts';
import { createSeed } from './seeds/seed.ts';
import { createMemoryStore, drawRandom, toSandboxTime } from './state.ts';
import { type CreatedToken, createToken, requireHolder } from './tokens.ts';

/** `ttctl/sandbox`: the composition root of a sandbox in somebody else's process (an adapter: it takes its time). */

export interface SandboxOptions {
  /** The initial data: the name of a seed, the path of a seed file, or the content of one. Default: `demo`. */
  readonly seed?: string | Readonly<Record<string, unknown>>;
  /** The time at which its clock starts: a `Date`, milliseconds, ISO 8601. Default: now. */
  readonly now?: Date | number | string;
  /** Its clock stands still until it is moved. */
  readonly frozen?: boolean;
  /** How it answers where services of this kind differ; also as text: `pagination=top,created=200`. */
  readonly dialect?: string | Partial<ServiceDialect>;
  /** Limits of each token, over sliding windows. Default: `documented`. */
  readonly limits?: 'documented' | 'off';
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
  readonly port: number;
  /** The variables that point `ttctl` in another process at this server, with a new token. */
  env(options?: TokenOptions): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The type of `fetch` where this is used. */
type Fetch = typeof globalThis extends { fetch: infer F }
  ? F
  : (input: unknown, init?: unknown) => Promise<unknown>;

export interface Sandbox {
  /** For `fetch` of the sandbox alone; a server has addresses of its own. */
  readonly baseUrl: string;
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
const NO_BODY = new Set([101, 204, 205, 304]);

/**
 * A sandbox, ready at once: it needs no port and no file.
 * @throws Error with a `code` for an unknown option or value
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const { store, limits, clock, ...settings } = await readOptions(options);
  const sandbox = open({
    ...{ store, limits, clock, ...settings, signal: ending.signal, keepsSending: true },
    stop: async () => ending.abort(new Error('the sandbox was closed')),
  });
  const { control } = sandbox;
  const servers = new Set<SandboxServer>();
  const closeServers = () => Promise.all([...servers].map((server) => server.close()));
  // Also where somebody stops it from afar.
  ending.signal.addEventListener('abort', () => void closeServers());
  const getWorkspaceId = () => Object.values(store.world().spaces)[0]?.id ?? 0;

  function token({ as, scope = 'read write', name }: TokenOptions = {}) {
    const scopes = typeof scope === 'string' ? scope.split(/[\s,]+/).filter((word) => word !== '') : scope;
    const now = toSandboxTime(store.world(), clock.now());
    return createToken(store.world(), { as, scopes, name, now, random: () => clock.random() });
  }

  async function listen({ port: wanted = 0 } = {}): Promise<SandboxServer> {
    ending.signal.throwIfAborted();
    const { port, url, secret, close } = await listenOnSocket(sandbox, wanted, clock);
    const env: SandboxServer['env'] = (tokenOptions) => {
      const client = { token: token(tokenOptions).token, workspace: getWorkspaceId() };
      return buildClientVariables(url, { ...client, secret, rateLimit: limits ?? RATE_LIMIT });
    };
    const server = { url, baseUrl: `${url}${BASE_PATH}`, port, env, close };
    servers.add(server);
    return server;
  }

  async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(typeof input === 'string' ? new URL(input, ORIGIN) : input, init);
    request.signal.throwIfAborted();
    const { pathname: path, searchParams } = new URL(request.url);
    const { status, headers, body, wire } = await sandbox.answer({
      ...{ method: request.method, path, query: [...searchParams], body: await request.text() },
      headers: Object.fromEntries(request.headers),
    });
    const { latency_ms = 0, cut } = wire ?? {};
    if (latency_ms > 0) await clock.sleep(latency_ms, AbortSignal.any([request.signal, ending.signal]));
    // As Node's own `fetch` tells of a connection that was cut.
    const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
    if (cut === 'unanswered') throw new TypeError('fetch failed', { cause });
    // Half of the body, and then the end of the connection.
    const torn = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode(body.slice(0, Math.floor(body.length / 2)))),
      pull: (to) => to.error(new TypeError('terminated', { cause })),
    });
    const statusText = STATUS_CODES[status] ?? '';
    const whole = NO_BODY.has(status) ? null : body;
    const response = new Response(cut === 'middle' ? torn : whole, { status, statusText, headers });
    // A Response that was made by hand has none.
    return Object.defineProperty(response, 'url', { value: request.url });
  }

  async function close(): Promise<void> {
    await control.stop();
    await sandbox.idle();
    await closeServers();
  }

  return {
    baseUrl: `${ORIGIN}${BASE_PATH}`,
    get workspaceId() {
      return getWorkspaceId();
    },
    ...{ fetch, listen, token, close, control, [Symbol.asyncDispose]: close },
  };
}

/** Fake timers that a test puts in place later turn the test's clock, not the sandbox's. */
const { setTimeout: sleepReally } = timers;
const { now: getMachineTime } = Date;

async function readOptions(options: SandboxOptions) {
  const { seed = 'demo', now: start = getMachineTime(), frozen, dialect = '', autoApprove } = options;
  const { limits = 'documented', allowWebhooksTo = [], seedNumber = 1 } = options;
  if (limits !== 'documented' && limits !== 'off') throw new Problem(`unknown limits: ${limits}`);
  if (!Number.isSafeInteger(seedNumber) || seedNumber < 0)
    throw new Problem(`seedNumber must be a whole number: ${seedNumber}`);
  const now = new Date(start).getTime();
  if (Number.isNaN(now)) throw new Problem(`"${String(start)}" is not a time`);
  const time = { offset_ms: now - getMachineTime(), frozen_ms: frozen === true ? now : null };
  const seedOptions = { now, number: seedNumber };
  const world =
    typeof seed === 'string'
      ? await createSeed(seed, seedOptions)
      : seedFromText(JSON.stringify(seed), 'the seed', seedOptions);
  if (autoApprove !== undefined) requireHolder(world, autoApprove);
  const choices = Object.entries(dialect).map((pair) => pair.join('='));
  const generator = { generator: seedNumber };
  const createClock = (ref: boolean): MachineClock => ({
    now: getMachineTime,
    random: () => drawRandom(generator),
    sleep: (ms, signal) =>
      sleepReally(ms, undefined, { ref, ...(signal && { signal }) }).catch(() => {
        throw signal?.reason;
      }),
  });
  return {
    store: createMemoryStore({ ...world, time }),
    clock: createClock(true),
    // What is to be tried again tomorrow keeps no process alive.
    timers: createClock(false),
    limits: limits === 'off' ? limits : undefined,
    dialect: parseDialect(typeof dialect === 'string' ? dialect : choices.join(',')),
    allowed: parseHosts(allowWebhooksTo),
    oauth: createOAuthHost(autoApprove),
  };
}
