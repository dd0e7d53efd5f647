import { appendFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import type { RepeatableRequest } from '../sandbox/answer.ts';
import { repeatRequest } from '../sandbox/app.ts';
import { readJson } from '../sandbox/basics.ts';
import { createSeed } from '../sandbox/seeds/seed.ts';
import { isWorld } from '../sandbox/state.ts';
import type { SandboxStore } from '../sandbox/store.ts';
import type { World } from '../sandbox/world.ts';
import { withLock } from '../storage/lock.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { createDiskFailure, writeDurably } from '../storage/write.ts';

interface Loaded {
  readonly revision: string;
  readonly stamp: string;
  readonly world: World;
  length: number;
}

/**
 * The state file of the sandbox (an adapter); the first use seeds the demo. A request that changed the state is added
 * to `<file>.changes`, from which it is repeated: to write the whole state costs with its size. Whatever else changes
 * writes it whole, and a command at its end. Each line names the state that it belongs to, so that what a kill leaves
 * behind is not done twice; of a line that was torn off nobody had an answer. Where the rate limits apply, every
 * request writes the state.
 */
export class FileStore implements SandboxStore {
  readonly #file: string;
  readonly #changes: string;
  readonly #clock: Clock;
  #loaded: Loaded | undefined;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#changes = `${file}.changes`;
    this.#clock = clock;
  }

  use<T>(work: (world: World, save: (change?: RepeatableRequest) => void) => T): Promise<T> {
    return withLock(this.#file, this.#clock, async () => {
      const world = this.#load() ?? (await createSeed('demo', { now: this.#clock.now() }));
      if (this.#loaded === undefined) this.#save(world);
      const changes: (RepeatableRequest | undefined)[] = [];
      const result = work(world, (change) => void changes.push(change));
      const requests = changes.filter((change) => change !== undefined);
      if (world.limits === true || requests.length < changes.length) this.#save(world);
      else for (const change of requests) this.#append(change);
      return result;
    });
  }

  replace(make: () => Promise<World>): Promise<World> {
    return withLock(this.#file, this.#clock, async () => {
      const world = await make();
      this.#save(world);
      return world;
    });
  }

  async peek(): Promise<World | undefined> {
    return this.#load();
  }

  /** Writes the state whole where there are changes beside it. */
  async settle(): Promise<void> {
    if (getSize(this.#changes) === 0) return;
    await withLock(this.#file, this.#clock, async () => {
      const world = this.#load();
      if (world !== undefined && this.#loaded !== undefined && this.#loaded.length > 0) this.#save(world);
    });
  }

  #save(world: World): void {
    // Forgotten first: after a write that failed, the state on disk is the one that counts.
    this.#loaded = undefined;
    const stamp = globalThis.crypto.randomUUID();
    const windows = world.limits === true ? world.windows : {};
    writeDurably(this.#file, JSON.stringify({ ...world, windows, stamp }), { mode: 0o600 });
    rmSync(this.#changes, { force: true });
    this.#loaded = { revision: getRevision(this.#file) ?? '', stamp, world, length: 0 };
  }

  #load(): World | undefined {
    const revision = getRevision(this.#file);
    if (revision === undefined) return undefined;
    if (this.#loaded?.revision !== revision || getSize(this.#changes) < this.#loaded.length) {
      const value = readJson(readOwnFile(this.#file)?.toString('utf8') ?? '');
      if (!isWorld(value)) throw createDamagedError(this.#file);
      const { stamp = '', ...world } = value as World & { readonly stamp?: string };
      this.#loaded = { world, stamp, revision, length: 0 };
    }
    const state = this.#loaded;
    if (getSize(this.#changes) === state.length) return state.world;
    try {
      const bytes = readOwnFile(this.#changes)?.subarray(state.length) ?? Buffer.alloc(0);
      const length = bytes.lastIndexOf('\n') + 1;
      for (const line of bytes.toString('utf8', 0, length).split('\n').slice(0, -1)) {
        const { of, ...change } = JSON.parse(line) as RepeatableRequest & { readonly of: string };
        if (of !== state.stamp) return state.world;
        repeatRequest(state.world, change);
      }
      state.length += length;
      return state.world;
    } catch {
      this.#loaded = undefined;
      throw createDamagedError(this.#changes);
    }
  }

  /** Plainly: of a line that the power took with it, as of one that was torn off, the practice data are without. */
  #append(change: RepeatableRequest): void {
    const state = this.#loaded as Loaded;
    this.#loaded = undefined;
    const data = Buffer.from(`${JSON.stringify({ of: state.stamp, ...change })}\n`);
    try {
      if (existsSync(this.#changes)) truncateSync(this.#changes, state.length);
      appendFileSync(this.#changes, data, { mode: 0o600 });
    } catch (error) {
      throw createDiskFailure(error, 'write', this.#changes);
    }
    state.length += data.length;
    this.#loaded = state;
  }
}

function getSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Tells one generation of a file from the next; undefined where there is no file. */
function getRevision(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
}

export function createDamagedError(file: string, restart = 'ttctl --profile sandbox sandbox reset'): Failure {
  const facts = { code: 'sandbox_damaged', exit: EXIT.fault, hint: `Start over: ${restart}` } as const;
  return new Failure(`the state of the sandbox is damaged: ${file}`, facts);
}
