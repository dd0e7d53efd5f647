import { rmSync, statSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import { repeatRequest } from './open.ts';
import { createSeed } from './seeds/seed.ts';
import { isWorld } from './state.ts';
import type { Change, StateAccess } from './state-access.ts';
import type { SentTimes, World } from './world.ts';

/**
 * The state file of the sandbox (an adapter). A request that changed the state is added to `<file>.changes`, from
 * which it is repeated: to write the whole state costs with its size. Whatever else changes writes it whole, and a
 * command at its end. Each line names the state that it belongs to, so that what a kill leaves behind is not done
 * twice; of a line that was torn off nobody had an answer. The limit windows lie in `<file>.limits`: losing them
 * loses a minute of counting and nothing else.
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
  /** Writes over a file that may be lost (storage/write.ts). */
  readonly overwrite: (path: string, data: string) => void;
  /** Cuts a file to so many bytes, and adds the data. */
  readonly append: (path: string, length: number, data: Buffer) => void;
}

/** The first use of a state that is not there yet seeds the demo. */
export interface StateStore extends StateAccess {
  /** Keeps the state; for who has it alone in another way than `use`. */
  save(world: World): void;
  /** Writes the state whole where there are changes beside it. */
  settle(): Promise<void>;
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

export function openStateStore(disk: StoreDisk): StateStore {
  const { file, clock, lock, read } = disk;
  const [windowsFile, changesFile] = [`${file}.limits`, `${file}.changes`];
  let loaded: Loaded | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function readState(): Promise<World | undefined> {
    const revision = getRevision(file);
    if (revision === undefined) return undefined;
    if (loaded?.revision !== revision || getSize(changesFile) < loaded.length)
      loaded = { ...parseState(file, read(file)?.toString('utf8') ?? ''), revision, length: 0 };
    const state = loaded;
    if (getSize(changesFile) === state.length) return state.world;
    try {
      state.length += repeatChanges(state, read(changesFile));
      return state.world;
    } catch {
      loaded = undefined;
      throw createDamagedError(changesFile, 'A request in it cannot be repeated.');
    }
  }

  /** One after another: the same changes are not repeated twice. */
  function load(): Promise<World | undefined> {
    const loading = turn.then(readState);
    turn = loading.catch(() => {});
    return loading;
  }

  async function loadOrSeed(): Promise<World> {
    const world = (await load()) ?? (await createSeed('demo', { now: clock.now() }));
    if (loaded === undefined) save(world);
    return world;
  }

  function save(world: World): void {
    // Forgotten first: after a write that failed, the state on disk is the one that counts.
    loaded = undefined;
    const stamp = globalThis.crypto.randomUUID();
    disk.write(file, JSON.stringify({ ...world, windows: {}, stamp }), { mode: 0o600 });
    rmSync(changesFile, { force: true });
    loaded = { revision: getRevision(file) ?? '', stamp, world, length: 0 };
  }

  function append(world: World, change: Change): void {
    const state = loaded;
    if (state?.world !== world) throw new Error('a request of another state');
    loaded = undefined;
    state.length += appendChange(disk, state, change);
    loaded = state;
    if (state.length > MAX_CHANGES) save(world);
  }

  const saveWindows = (world: World): void => disk.overwrite(windowsFile, JSON.stringify(world.windows));
  return {
    save,
    peek: load,
    use: (work) =>
      lock(file, clock, async () => {
        const world = await loadOrSeed();
        world.windows = world.limits === true ? readWindows(read, windowsFile) : {};
        const changes: (Change | undefined)[] = [];
        const result = work(world, (change) => void changes.push(change));
        if (world.limits === true) saveWindows(world);
        const requests = changes.filter((change) => change !== undefined);
        if (requests.length < changes.length) save(world);
        else for (const change of requests) append(world, change);
        return result;
      }),
    replace: (make) =>
      lock(file, clock, async () => {
        const world = await make();
        save(world);
        saveWindows(world);
        return world;
      }),
    async settle() {
      if (getSize(changesFile) === 0) return;
      await lock(file, clock, async () => {
        const world = await load();
        if (world !== undefined && loaded !== undefined && loaded.length > 0) save(world);
      });
    },
  };
}

/** @returns how many bytes it takes */
function appendChange(disk: StoreDisk, { stamp, length }: Loaded, change: Change): number {
  const data = Buffer.from(`${JSON.stringify({ of: stamp, ...change })}\n`);
  disk.append(`${disk.file}.changes`, length, data);
  return data.length;
}

/** @returns how many of the bytes are whole lines of this very state @throws Error for what cannot be repeated */
function repeatChanges({ world, stamp, length: known }: Loaded, changes: Buffer | undefined): number {
  const bytes = changes?.subarray(known) ?? Buffer.alloc(0);
  const length = bytes.lastIndexOf('\n') + 1;
  for (const line of bytes.toString('utf8', 0, length).split('\n').slice(0, -1)) {
    const { of, ...change } = JSON.parse(line) as Change & { readonly of: string };
    if (of !== stamp) return 0;
    repeatRequest(world, change);
  }
  return length;
}

const getSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Tells one generation of a file from the next; undefined where there is no file. */
function getRevision(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
}

/** @throws Failure where the text is no state of this version. */
function parseState(file: string, text: string): Pick<Loaded, 'world' | 'stamp'> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createDamagedError(file, 'It is not JSON.');
  }
  if (!isWorld(value)) throw createDamagedError(file, 'It is not the state of a sandbox of this version.');
  const { stamp = '', ...world } = value as World & { readonly stamp?: string };
  return { world, stamp };
}

function createDamagedError(file: string, reason: string): Failure {
  return new Failure(`the state of the sandbox is damaged: ${file}`, {
    code: 'sandbox_damaged',
    exit: EXIT.fault,
    reason,
    hint: 'Start over: ttctl --profile sandbox sandbox reset',
  });
}

function readWindows(read: StoreDisk['read'], file: string): Record<string, SentTimes> {
  try {
    const value: unknown = JSON.parse(read(file)?.toString('utf8') ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    const windows = Object.entries(value).filter(
      ([, window]) => Array.isArray(window?.requests) && Array.isArray(window?.writes),
    );
    return Object.fromEntries(windows);
  } catch {
    return {};
  }
}
