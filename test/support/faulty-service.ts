import type { SandboxResponse } from '../../src/sandbox/answer.ts';
import { open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryStore } from '../../src/sandbox/state.ts';
import type { World } from '../../src/sandbox/world.ts';
import { until } from './clocks.ts';
import { type Answer, type Recorded, startRecorder } from './service.ts';

/**
 * The sandbox's own app behind a socket that fails on purpose, with a ledger of every write that was applied. It is
 * not told what the client knows; the ledger is the truth that a client's report is held against.
 */

/**
 * What happens to one write. `after`: it has been done, and the answer is lost, an error, or never comes. `before`:
 * it has not been done, and the client cannot see that either.
 * `late`: it is done, but only after half a second. `late after …`: the same, and the answer is lost before.
 */
export type Fault =
  | `${'cut' | '500' | 'silent'} ${'after' | 'before'}`
  | 'late'
  | 'late after 504'
  | 'late after cut';

export interface FaultyOptions {
  readonly seed: string;
  /** Asked for each write as it comes. */
  readonly fault?: (key: string) => Fault | undefined;
  /** Milliseconds until a write is answered, or what its answer waits for. */
  readonly latency?: () => number | Promise<void>;
  /** How long reads show what was before a write, in milliseconds. */
  readonly staleMs?: () => number;
  /** An answer as it goes out. */
  readonly rewrite?: (line: string, answer: SandboxResponse) => SandboxResponse;
  /** Before a write is carried out. */
  readonly beforeWrite?: (hosted: ReturnType<typeof host>, line: string) => unknown;
  /** Names the record that a write is about. */
  readonly keyOf: (line: string, body: Readonly<Record<string, unknown>>) => string;
}

/** How long after its answer was lost a late write is done. */
export const LATE_MS = 40;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const host = (world: World) =>
  open({
    store: createMemoryStore(world),
    clock: { now: Date.now, random: Math.random, sleep: pause as never },
    limits: 'off',
  });

/** By the first word of a fault. */
const LOST: Readonly<Record<string, Answer>> = {
  cut: { cut: true },
  silent: { silent: true },
  '500': { status: 500, body: { success: false, message: 'Server Error', error: null, meta: {} } },
};
const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

export type FaultyService = Awaited<ReturnType<typeof startFaultyService>>;

export const startFaultyService = async ({
  seed,
  keyOf,
  fault = () => undefined,
  latency = () => 0,
  staleMs = () => 0,
  rewrite = (_line, response) => response,
  beforeWrite,
}: FaultyOptions) => {
  const hosted = host(await createSeed(seed, { now: Date.now() }));
  const [workspace] = (await hosted.control.status()).workspaces;
  const owner = { as: workspace?.owner ?? '', scopes: ['read' as const, 'write' as const] };
  const { token } = await hosted.control.createToken(owner);
  const [applied, arrived] = [new Map<string, number>(), new Map<string, number>()];
  let writes = 0;
  /** The state before a write, for as long as reads show it. */
  let stale = { sandbox: hosted, until: 0 };
  const shown = () => (Date.now() < stale.until ? stale.sandbox : hosted);

  const answer = (sandbox: typeof hosted, { line, headers, text = '' }: Recorded) => {
    const [method = '', path = ''] = line.split(' ');
    const { pathname, searchParams } = new URL(`http://h/api/v2${path}`);
    const about = { method, path: pathname, query: [...searchParams], body: text };
    return sandbox.answer({ ...about, headers: headers as Record<string, string> });
  };
  const told = (line: string, response: SandboxResponse): Answer => {
    const { status, body } = rewrite(line, response);
    return { status, body };
  };
  const write = async (request: Recorded, line: string): Promise<Answer> => {
    writes += 1;
    const key = keyOf(line, Object(request.body));
    count(arrived, key);
    const what = fault(key) ?? 'none';
    if (staleMs() > 0 && shown() === hosted)
      stale = { sandbox: host(structuredClone(hosted.store.world())), until: Date.now() + staleMs() };
    await beforeWrite?.(hosted, line);
    const commit = async () => {
      const done = await answer(hosted, request);
      if (done.status < 300) count(applied, key);
      return done;
    };
    if (what.startsWith('late after')) {
      setTimeout(commit, LATE_MS);
      return what.endsWith('cut') ? { cut: true } : { status: 504, body: '<h1>Gateway Time-out</h1>' };
    }
    // Else at once: what comes later is answered as after it.
    if (what === 'late') await pause(500);
    const done = what.endsWith('before') ? undefined : await commit();
    const wait = latency();
    await (typeof wait === 'number' ? pause(wait) : wait);
    return LOST[what.replace(/ .*/, '')] ?? (done === undefined ? {} : told(line, done));
  };
  const recorder = await startRecorder(async (request) => {
    const line = request.line.replace(/\?.*/, '');
    if (!line.startsWith('GET')) return write(request, line);
    // All that came before is read first. Where this process was not let run for long, a look-up and the write before it
    // wait together, on connections of their own, and nothing says which of them is read first.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    return told(line, await answer(shown(), request));
  });
  return {
    env: {
      TTCTL_BASE_URL: recorder.baseUrl,
      TTCTL_TOKEN: token,
      TTCTL_WORKSPACE: String(workspace?.id),
      TTCTL_RATE_LIMIT: 'off',
      TTCTL_SETTLE: '0',
    },
    /** By record: how often a write was applied, and how often one arrived. */
    ...{ applied, arrived, hosted, close: recorder.close },
    /** Resolves when so many more writes have arrived. */
    afterWrites(more: number): Promise<void> {
      const wanted = writes + more;
      return until(() => writes >= wanted);
    },
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
