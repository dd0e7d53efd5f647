import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Directories } from '../config/environment.ts';
import { EXIT, Failure, parseFailureJson } from '../errors.ts';
import { exchangeWithDeadline } from '../http/send.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';
import { stringifyJson } from '../json.ts';
import type { RepeatableRequest } from '../sandbox/answer.ts';
import { answer, BASE_PATH } from '../sandbox/app.ts';
import { Problem, readJson } from '../sandbox/basics.ts';
import { mapOperations, type SandboxControl } from '../sandbox/control.ts';
import { openLogFile } from '../sandbox/log.ts';
import { open } from '../sandbox/open.ts';
import { createSeed } from '../sandbox/seeds/seed.ts';
import { createFileSnapshots } from '../sandbox/snapshots.ts';
import { isWorld, type SandboxStore } from '../sandbox/state.ts';
import type { World } from '../sandbox/world.ts';
import { withLock } from '../storage/lock.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { createDiskFailure, makePrivateDirectory, writeDurably } from '../storage/write.ts';

/** The sandbox in the process of the command itself: no server, no port, one file of state. */
export type EmbeddedSandbox = ReturnType<typeof openEmbedded>;

/** How long a command may stay for webhooks; the rest is left to the next one. */
const MAX_WAIT_MS = 3_000;

/**
 * The embedded sandbox over its files; the first use seeds the demo. Several processes may use them at once: what
 * changes the state is answered under their lock. Failures (exit 1) tell that a file is damaged or cannot be written.
 * @param interrupt ends a request, and what is being sent to webhooks
 * @param timeoutMs for one whole request
 */
export function openEmbedded(file: string, clock: Clock, interrupt: AbortSignal, timeoutMs = 60_000) {
  const state = new FileStore(file, clock);
  const sandbox = open({
    ...{ store: state, clock, signal: interrupt, limits: 'off', log: openLogFile(`${file}.log`) },
    snapshots: createFileSnapshots(dirname(file), { read: readOwnFile, write: writeDurably }),
    about: () => ({ kind: 'embedded', state: file }),
  });
  const control = createLocalControl(sandbox.control);
  return {
    ...{ state, control },
    async transport(request: HttpRequest): Promise<HttpResponse> {
      const { method, path, query, form, body } = request;
      const json = body === undefined ? '' : stringifyJson(body);
      const text = form === undefined ? json : new URLSearchParams(form as [string, string][]).toString();
      const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
      const headers = text === '' ? request.headers : { ...request.headers, 'content-type': type };
      const sent = { method, path: `${BASE_PATH}${path}`, query, headers, body: text };
      const { wire, ...response } = await sandbox.answer(sent);
      if (wire === undefined) return response;
      // The answer comes late, or not at all. Deadline, interrupt and errors are those of a real connection.
      return exchangeWithDeadline(
        request,
        async (progress) => {
          // The sandbox has had it.
          progress.sent = true;
          if (wire.latency_ms > 0) await clock.sleep(wire.latency_ms, progress.signal);
          progress.answered = wire.cut === 'middle';
          if (wire.cut !== undefined)
            throw Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
          return response;
        },
        { clock, timeoutMs, interrupt, host: 'the embedded sandbox', proxy: undefined },
      );
    },
    async ownerToken(): Promise<string> {
      return (await control.createToken({ keptAs: 'embedded', scopes: ['read', 'write'] })).token;
    },
    async workspaceId(): Promise<number | undefined> {
      const world = (await state.peek()) ?? (await state.use((seeded) => seeded));
      return Object.values(world.spaces)[0]?.id;
    },
    /** Sends to webhooks what is due, for a few seconds; to be called after the output. */
    async close(): Promise<void> {
      await sandbox.idle(clock.now() + MAX_WAIT_MS);
      await state.settle();
    },
  };
}

/**
 * The state file of the sandbox (an adapter); the first use seeds the demo. Its first line is the whole state. A request
 * that changed it is added as a line of its own, from which it is repeated: to write the whole state costs with its
 * size. Whatever else changes writes it whole, and a command at its end. Of a line that was torn off nobody had an answer.
 * Where the rate limits apply, every request writes the state.
 */
export class FileStore implements SandboxStore {
  readonly #file: string;
  readonly #clock: Clock;
  #loaded: { readonly world: World; readonly revision: string; readonly isWhole: boolean } | undefined;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  use<T>(work: (world: World, save: (change?: RepeatableRequest) => void) => T): Promise<T> {
    return withLock(this.#file, this.#clock, async () => {
      const world = this.#load() ?? this.#save(await createSeed('demo', { now: this.#clock.now() }));
      const changes: (RepeatableRequest | undefined)[] = [];
      const result = work(world, (change) => void changes.push(change));
      if (world.limits === true || changes.includes(undefined)) this.#save(world);
      else for (const change of changes) this.#append(world, change);
      return result;
    });
  }

  replace(make: () => Promise<World>): Promise<World> {
    return withLock(this.#file, this.#clock, async () => this.#save(await make()));
  }

  async peek(): Promise<World | undefined> {
    return this.#load();
  }

  async settle(): Promise<void> {
    if (this.#loaded?.isWhole !== false) return;
    await withLock(this.#file, this.#clock, async () => {
      const world = this.#load();
      if (world !== undefined && this.#loaded?.isWhole === false) this.#save(world);
    });
  }

  #save(world: World): World {
    // Forgotten first: after a write that failed, the state on disk is the one that counts.
    this.#loaded = undefined;
    const windows = world.limits === true ? world.windows : {};
    writeDurably(this.#file, JSON.stringify({ ...world, windows }), { mode: 0o600 });
    this.#loaded = { world, revision: getRevision(this.#file), isWhole: true };
    return world;
  }

  #load(): World | undefined {
    const revision = getRevision(this.#file);
    if (revision === '') return undefined;
    if (this.#loaded?.revision === revision) return this.#loaded.world;
    this.#loaded = undefined;
    const text = readOwnFile(this.#file)?.toString('utf8') ?? '';
    const world = parseState(text);
    if (world === undefined) throw createDamagedError(this.#file);
    this.#loaded = { world, revision, isWhole: !text.includes('\n') };
    return world;
  }

  /** Plainly: of a line that the power took with it, as of one that was torn off, the practice data are without. */
  #append(world: World, change: RepeatableRequest | undefined): void {
    this.#loaded = undefined;
    const { size } = statSync(this.#file);
    try {
      appendFileSync(this.#file, `\n${JSON.stringify(change)}`);
    } catch (error) {
      truncateSync(this.#file, size);
      throw createDiskFailure(error, 'write', this.#file);
    }
    this.#loaded = { world, revision: getRevision(this.#file), isWhole: false };
  }
}

/** Tells one generation of a file from the next; empty where there is no file. */
function getRevision(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
}

/** What a file of state has: its first line, and the changes on those after it; `undefined` where it is damaged. */
export function parseState(text: string): World | undefined {
  const [state = '', ...changes] = text.split('\n');
  const world = readJson(state);
  if (!isWorld(world)) return undefined;
  for (const line of changes) {
    const { now, request, ...begun } = (readJson(line) ?? {}) as Partial<RepeatableRequest>;
    if (now === undefined || request === undefined) continue;
    Object.assign(world, begun);
    const { changed } = answer(world, request, { now, random: () => 0, limits: 'off' });
    if (changed === false) return undefined;
  }
  return world;
}

export function createDamagedError(file: string, restart = 'ttctl --profile sandbox sandbox reset'): Failure {
  const facts = { code: 'sandbox_damaged', exit: EXIT.fault, hint: `Start over: ${restart}` } as const;
  return new Failure(`the state of the sandbox is damaged: ${file}`, facts);
}

/** The state file of the embedded sandbox. @throws Failure (exit 1) where no state directory is known */
export function locateSandbox({ state }: Pick<Directories, 'state'>): string {
  if (state === undefined) {
    const hint = 'Set TTCTL_STATE_DIR (or HOME), or use a server in memory: ttctl sandbox start';
    const facts = { code: 'no_state_directory', exit: EXIT.fault, hint } as const;
    throw new Failure('no directory to store the sandbox in', facts);
  }
  makePrivateDirectory(`${state}/sandbox`);
  return `${state}/sandbox/world.json`;
}

export async function tellProblem<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { message, code, exit, reason, hint, cause } = error;
    const fallback = new Failure(message, { code: 'sandbox', exit: EXIT.fault, cause });
    throw parseFailureJson({ message, code, exit, reason, hint }, fallback);
  }
}

export function createLocalControl(control: SandboxControl): SandboxControl {
  return mapOperations((name, args) => tellProblem<unknown>(() => control[name](args as never)));
}
