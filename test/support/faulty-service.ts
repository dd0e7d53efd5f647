import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SandboxRequest, SandboxResponse } from '../../src/sandbox/answer.ts';
import { type OpenSandbox, open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryStore, type MemoryStore } from '../../src/sandbox/state.ts';
import type { World } from '../../src/sandbox/world.ts';
import { closing, listening } from './loopback.ts';

type HostedSandbox = OpenSandbox<MemoryStore>;

/**
 * The sandbox's own app behind a socket that fails on purpose, with a ledger of every write that was applied. It is
 * not told what the client knows; the ledger is the truth that a client's report is held against.
 */

/**
 * What happens to one write. `after`: it has been done, and the answer is lost, an error, or never comes. `before`:
 * it has not been done, and the client cannot see that either. `refused`: 429.
 * `late`: it is done, but only after half a second. `late after …`: the same, and the answer is lost before.
 */
export type Fault =
  | 'cut after'
  | '500 after'
  | 'silent after'
  | 'cut before'
  | '500 before'
  | 'silent before'
  | 'refused'
  | 'late'
  | 'late after 504'
  | 'late after cut';

export interface FaultyOptions {
  readonly seed: string;
  /** E-mail address of whose token it is. Default: the owner's. */
  readonly as?: string;
  /** Asked for each write as it comes. */
  readonly fault?: (key: string) => Fault | undefined;
  /** Milliseconds until a write is answered, or what its answer waits for. */
  readonly latency?: () => number | Promise<void>;
  /** How long reads show what was before a write, in milliseconds. */
  readonly staleMs?: () => number;
  /** An answer as it goes out. */
  readonly rewrite?: (line: string, answer: SandboxResponse) => SandboxResponse;
  /** Before a write is carried out. */
  readonly beforeWrite?: (hosted: HostedSandbox, line: string) => unknown;
  /** Names the record that a write is about. */
  readonly keyOf: (line: string, body: Readonly<Record<string, unknown>>) => string;
}

export interface FaultyService {
  readonly env: Readonly<Record<string, string>>;
  /** By record: how often a write was applied, and how often one arrived. */
  readonly applied: ReadonlyMap<string, number>;
  readonly arrived: ReadonlyMap<string, number>;
  /** Answers given, by status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly hosted: HostedSandbox;
  /** Resolves when so many more writes have arrived. */
  afterWrites(count: number): Promise<void>;
  close(): Promise<void>;
}

const BASE = '/api/v2';

const readAll = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};

const refusal = (message: string): string =>
  JSON.stringify({ success: false, message, error: null, meta: {} });

/** Status and body. */
const answerTo = (what: string, done: SandboxResponse | undefined): [number, string] => {
  if (what === 'refused') return [429, refusal('Too Many Attempts.')];
  if (done === undefined || what.startsWith('500')) return [500, refusal('Server Error')];
  return [done.status, done.body];
};

type Send = (code: number, text: string) => void;

/** How long after its answer was lost a late write is done. */
export const LATE_MS = 100;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Until all that came before has been read. Where this process was not let run for long, a look-up and the write before
 * it wait together, on connections of their own, and nothing says which of them is read first.
 */
const TURNS = 20;
const caughtUp = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
};

const count = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

const clock = { now: Date.now, random: Math.random, sleep: pause as never };

export const startFaultyService = async (options: FaultyOptions): Promise<FaultyService> => {
  const { fault = () => undefined, latency = () => 0, keyOf, staleMs = () => 0 } = options;
  const { rewrite = (_line, response) => response, beforeWrite } = options;
  const host = (world: World): HostedSandbox =>
    open({ store: createMemoryStore(world), clock, limits: 'off' });
  const hosted = host(await createSeed(options.seed, { now: Date.now() }));
  const status = await hosted.control.status();
  const owner = status.workspaces[0]?.owner ?? '';
  const { token } = await hosted.control.createToken({ as: options.as ?? owner, scopes: ['read', 'write'] });
  const [applied, arrived] = [new Map<string, number>(), new Map<string, number>()];
  const statuses = new Map<number, number>();
  const waiters = new Set<() => void>();
  /** The state before a write, for as long as reads show it. */
  let stale: { readonly sandbox: HostedSandbox; readonly until: number } | undefined;
  const keepStale = async (): Promise<void> => {
    if (staleMs() === 0 || (stale !== undefined && Date.now() < stale.until)) return;
    const sandbox = host(structuredClone(hosted.store.world()));
    stale = { sandbox, until: Date.now() + staleMs() };
  };

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(message);
    const { method = '', url = '' } = message;
    const { pathname, searchParams } = new URL(url, 'http://h');
    const request = {
      method,
      path: pathname,
      query: [...searchParams],
      headers: message.headers as Record<string, string>,
      body,
    };
    const send = (code: number, text: string): void => {
      count(statuses, code);
      response.writeHead(code, { 'content-type': 'application/json' }).end(text);
    };
    if (method === 'GET') {
      await caughtUp();
      const isStale = stale !== undefined && Date.now() < stale.until;
      const read = await (isStale ? (stale?.sandbox ?? hosted) : hosted).answer(request);
      return reply(`${method} ${pathname.slice(BASE.length)}`, [read.status, read.body], send);
    }
    await write(request, message, send);
  };
  const reply = (line: string, [status, text]: [number, string], send: Send): void => {
    const answer = rewrite(line, { status, headers: {}, body: text });
    send(answer.status, answer.body);
  };
  const commit = async (request: SandboxRequest, key: string): Promise<SandboxResponse> => {
    const done = await hosted.answer(request);
    if (done.status < 300) count(applied, key);
    return done;
  };
  const commitLate = (
    request: SandboxRequest,
    socket: Socket,
    what: Fault,
    key: string,
    send: Send,
  ): void => {
    setTimeout(() => void commit(request, key), LATE_MS);
    if (what === 'late after cut') socket.destroy();
    else send(504, '<h1>Gateway Time-out</h1>');
  };
  const write = async (request: SandboxRequest, { socket }: IncomingMessage, send: Send): Promise<void> => {
    for (const waiter of waiters) waiter();
    const { method, body } = request;
    const path = request.path.slice(BASE.length);
    const key = keyOf(`${method} ${path}`, body === '' ? {} : JSON.parse(body));
    count(arrived, key);
    const what = fault(key) ?? 'none';
    await keepStale();
    await beforeWrite?.(hosted, `${method} ${path}`);
    if (what === 'late after 504' || what === 'late after cut')
      return commitLate(request, socket, what, key, send);
    // Else at once: what comes later is answered as after it.
    if (what === 'late') await pause(500);
    const isLost = what === 'refused' || what.endsWith('before');
    const done = isLost ? undefined : await commit(request, key);
    const until = latency();
    await (typeof until === 'number' ? pause(until) : until);
    if (what.startsWith('cut')) socket.destroy();
    else if (!what.startsWith('silent')) reply(`${method} ${path}`, answerTo(what, done), send);
  };
  const server = createServer((message, response) => {
    response.on('error', () => {});
    message.on('error', () => {});
    // A client that was killed goes in the middle of its request.
    answer(message, response).catch(() => response.destroy());
  });
  const port = await listening(server);
  return {
    env: {
      TTCTL_BASE_URL: `http://127.0.0.1:${port}${BASE}`,
      TTCTL_TOKEN: token,
      TTCTL_WORKSPACE: String(status.workspaces[0]?.id),
      TTCTL_RATE_LIMIT: 'off',
      TTCTL_SETTLE: '0',
    },
    applied,
    arrived,
    statuses,
    hosted,
    afterWrites: (count) =>
      new Promise((resolve) => {
        let left = count;
        const waiter = () => {
          left -= 1;
          if (left > 0) return;
          waiters.delete(waiter);
          resolve();
        };
        waiters.add(waiter);
      }),
    close: () => closing(server, () => server.closeAllConnections()),
  };
};

/** A generator of chance that a seed repeats: mulberry32. */
export const chanceOf = (start: number): (() => number) => {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};
