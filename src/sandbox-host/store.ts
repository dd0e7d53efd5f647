import { rmSync, statSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import type { RepeatableRequest } from '../sandbox/answer.ts';
import { repeatRequest } from '../sandbox/app.ts';
import { readJson } from '../sandbox/basics.ts';
import { createSeed } from '../sandbox/seeds/seed.ts';
import { isWorld } from '../sandbox/state.ts';
import type { SandboxStore } from '../sandbox/store.ts';
import type { World } from '../sandbox/world.ts';

/**
 * The state file of the sandbox (an adapter). A request that changed the state is added to `<file>.changes`, from
 * which it is repeated: to write the whole state costs with its size. Whatever else changes writes it whole, and a
 * command at its end. Each line names the state that it belongs to, so that what a kill leaves behind is not done
 * twice; of a line that was torn off nobody had an answer. Where the rate limits apply, every request writes the state.
 */

export interface StoreDisk {
  readonly file: string;
  readonly clock: Clock;
  /** Runs the work while no other process does so for the same path (storage/lock.ts). */
  readonly lock: <T>(path: string, clock: Clock, work: () => Promise<T>) => Promise<T>;
  /** The bytes of a file that nobody else could have written; undefined where there is none (storage/own-files.ts). */
  readonly read: (path: string) => Buffer | undefined;
  /** Replaces a file whole (storage/write.ts). */
  readonly write: (path: string, data: string, options?: { readonly mode?: number }) => void;
  readonly append: (path: string, length: number, data: Buffer) => void;
}

/** The state as it was read last, with so many bytes of the changes in it. */
interface Loaded {
  readonly revision: string;
  readonly stamp: string;
  readonly world: World;
  length: number;
}

/** Beyond it the state is written whole during a run too. */
const MAX_CHANGES = 4 * 1024 * 1024;

/** The first use of a state that is not there yet seeds the demo. */
export class FileStore implements SandboxStore {
  private readonly disk: StoreDisk;
  private readonly changesFile: string;
  private loaded: Loaded | undefined;

  constructor(disk: StoreDisk) {
    this.disk = disk;
    this.changesFile = `${disk.file}.changes`;
  }

  use<T>(work: (world: World, save: (change?: RepeatableRequest) => void) => T): Promise<T> {
    return this.lock(async () => {
      const world = this.load() ?? (await createSeed('demo', { now: this.disk.clock.now() }));
      if (this.loaded === undefined) this.save(world);
      const changes: (RepeatableRequest | undefined)[] = [];
      const result = work(world, (change) => void changes.push(change));
      const requests = changes.filter((change) => change !== undefined);
      if (world.limits === true || requests.length < changes.length) this.save(world);
      else for (const change of requests) this.append(world, change);
      return result;
    });
  }

  replace(make: () => Promise<World>): Promise<World> {
    return this.lock(async () => {
      const world = await make();
      this.save(world);
      return world;
    });
  }

  async peek(): Promise<World | undefined> {
    return this.load();
  }

  private save(world: World): void {
    // Forgotten first: after a write that failed, the state on disk is the one that counts.
    this.loaded = undefined;
    const stamp = globalThis.crypto.randomUUID();
    const { file, write } = this.disk;
    write(file, JSON.stringify({ ...world, windows: world.limits === true ? world.windows : {}, stamp }), {
      mode: 0o600,
    });
    rmSync(this.changesFile, { force: true });
    this.loaded = { revision: getRevision(file) ?? '', stamp, world, length: 0 };
  }

  /** Writes the state whole where there are changes beside it. */
  async settle(): Promise<void> {
    if (getSize(this.changesFile) === 0) return;
    await this.lock(async () => {
      const world = this.load();
      if (world !== undefined && this.loaded !== undefined && this.loaded.length > 0) this.save(world);
    });
  }

  private lock<T>(work: () => Promise<T>): Promise<T> {
    const { file, clock, lock } = this.disk;
    return lock(file, clock, work);
  }

  private load(): World | undefined {
    const { file, read } = this.disk;
    const revision = getRevision(file);
    if (revision === undefined) return undefined;
    if (this.loaded?.revision !== revision || getSize(this.changesFile) < this.loaded.length) {
      const value = readJson(read(file)?.toString('utf8') ?? '');
      if (!isWorld(value)) throw createDamagedError(file);
      const { stamp = '', ...world } = value as World & { readonly stamp?: string };
      this.loaded = { world, stamp, revision, length: 0 };
    }
    const state = this.loaded;
    if (getSize(this.changesFile) === state.length) return state.world;
    try {
      const bytes = read(this.changesFile)?.subarray(state.length) ?? Buffer.alloc(0);
      // Whole lines alone.
      const length = bytes.lastIndexOf('\n') + 1;
      for (const line of bytes.toString('utf8', 0, length).split('\n').slice(0, -1)) {
        const { of, ...change } = JSON.parse(line) as RepeatableRequest & { readonly of: string };
        if (of !== state.stamp) return state.world;
        repeatRequest(state.world, change);
      }
      state.length += length;
      return state.world;
    } catch {
      this.loaded = undefined;
      throw createDamagedError(this.changesFile);
    }
  }

  private append(world: World, change: RepeatableRequest): void {
    const state = this.loaded;
    if (state?.world !== world) throw new Error('a request of another state');
    this.loaded = undefined;
    const data = Buffer.from(`${JSON.stringify({ of: state.stamp, ...change })}\n`);
    this.disk.append(this.changesFile, state.length, data);
    state.length += data.length;
    this.loaded = state;
    if (state.length > MAX_CHANGES) this.save(world);
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

export function createDamagedError(
  file: string,
  startOver = 'ttctl --profile sandbox sandbox reset',
): Failure {
  const facts = { code: 'sandbox_damaged', exit: EXIT.fault, hint: `Start over: ${startOver}` } as const;
  return new Failure(`the state of the sandbox is damaged: ${file}`, facts);
}
