import type { SandboxResponse } from '../../src/sandbox/answer.ts';
import { type OpenSandbox, open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryStore, type MemoryStore } from '../../src/sandbox/state.ts';
import type { World } from '../../src/sandbox/world.ts';
import { until } from './clocks.ts';
import { type Answer, type Recorded, startRecorder } from './service.ts';

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

const refusal = (status: number, message: string): SandboxResponse => ({
  status,
  headers: {},
  body: JSON.stringify({ success: false, message, error: null, meta: {} }),
});

const lostAnswer = (what: string): Answer | undefined => {
  if (what.startsWith('cut')) return { cut: true };
  return what.startsWith('silent') ? { silent: true } : undefined;
};

const responseTo = (what: string, done: SandboxResponse | undefined): SandboxResponse => {
  if (what === 'refused') return refusal(429, 'Too Many Attempts.');
  return done === undefined || what.startsWith('500') ? refusal(500, 'Server Error') : done;
};

/** How long after its answer was lost a late write is done. */
export const LATE_MS = 40;

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
  let writes = 0;
  /** The state before a write, for as long as reads show it. */
  let stale: { readonly sandbox: HostedSandbox; readonly until: number } | undefined;

  const toRequest = ({ line, headers, text = '' }: Recorded) => {
    const [method = '', path = ''] = line.split(' ');
    const { pathname, searchParams } = new URL(`http://h/api/v2${path}`);
    const query = [...searchParams];
    return { method, path: pathname, query, headers: headers as Record<string, string>, body: text };
  };
  const send = (line: string, response: SandboxResponse): Answer => {
    const { status, body } = rewrite(line, response);
    count(statuses, status);
    return { status, body };
  };
  const stillStale = () => (stale !== undefined && Date.now() < stale.until ? stale.sandbox : undefined);
  const read = async (request: Recorded, line: string): Promise<Answer> => {
    await caughtUp();
    return send(line, await (stillStale() ?? hosted).answer(toRequest(request)));
  };
  const write = async (request: Recorded, line: string): Promise<Answer> => {
    writes += 1;
    const key = keyOf(line, Object(request.body));
    count(arrived, key);
    const what = fault(key) ?? 'none';
    if (staleMs() > 0 && stillStale() === undefined)
      stale = { sandbox: host(structuredClone(hosted.store.world())), until: Date.now() + staleMs() };
    await beforeWrite?.(hosted, line);
    const commit = async (): Promise<SandboxResponse> => {
      const done = await hosted.answer(toRequest(request));
      if (done.status < 300) count(applied, key);
      return done;
    };
    if (what.startsWith('late after')) {
      setTimeout(commit, LATE_MS);
      if (what === 'late after cut') return { cut: true };
      count(statuses, 504);
      return { status: 504, body: '<h1>Gateway Time-out</h1>' };
    }
    // Else at once: what comes later is answered as after it.
    if (what === 'late') await pause(500);
    const isDone = what !== 'refused' && !what.endsWith('before');
    const done = isDone ? await commit() : undefined;
    const wait = latency();
    await (typeof wait === 'number' ? pause(wait) : wait);
    return lostAnswer(what) ?? send(line, responseTo(what, done));
  };
  const recorder = await startRecorder((request) => {
    const line = request.line.replace(/\?.*/, '');
    return line.startsWith('GET') ? read(request, line) : write(request, line);
  });
  return {
    env: {
      TTCTL_BASE_URL: recorder.baseUrl,
      TTCTL_TOKEN: token,
      TTCTL_WORKSPACE: String(status.workspaces[0]?.id),
      TTCTL_RATE_LIMIT: 'off',
      TTCTL_SETTLE: '0',
    },
    ...{ applied, arrived, statuses, hosted },
    afterWrites(more) {
      const wanted = writes + more;
      return until(() => writes >= wanted);
    },
    close: recorder.close,
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
