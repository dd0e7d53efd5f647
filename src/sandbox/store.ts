import { statSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import { createSeed } from './seeds/seed.ts';
import { isWorld } from './state.ts';
import type { StateAccess } from './state-access.ts';
import type { SentTimes, World } from './world.ts';

/**
 * The state file of the sandbox (an adapter). The state is written durably and only when it changed. The limit
 * windows change with every request and lie beside it in `<file>.limits`: written plainly, since losing them
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
}

/** The first use of a state that is not there yet seeds the demo. */
export interface StateStore extends StateAccess {
  /** Keeps the state; for who has it alone in another way than `use`. */
  save(world: World): void;
  /** Within `use`. */
  saveWindows(world: World): void;
}

interface CachedState {
  readonly revision: string;
  readonly world: World;
}

const createDamagedError = (file: string, reason: string): Failure =>
  new Failure(`the state of the sandbox is damaged: ${file}`, {
    code: 'sandbox_damaged',
    exit: EXIT.fault,
    reason,
    hint: 'Start over: ttctl --profile sandbox sandbox reset',
  });

/** Tells one generation of a file from the next; undefined where there is no file. */
const getRevision = (file: string): string | undefined => {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
};

/** @throws Failure where the text is no state of this version. */
const parseWorld = (file: string, text: string): World => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createDamagedError(file, 'It is not JSON.');
  }
  if (!isWorld(value)) throw createDamagedError(file, 'It is not the state of a sandbox of this version.');
  return value;
};

const readWindows = (read: StoreDisk['read'], file: string): Record<string, SentTimes> => {
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
};

/** The state as it stands in its file; read again only when that has changed. */
const openState = ({ file, read, write }: StoreDisk): Pick<StateStore, 'peek' | 'save'> => {
  let cached: CachedState | undefined;
  return {
    peek() {
      const revision = getRevision(file);
      if (revision === undefined) return undefined;
      if (cached?.revision !== revision)
        cached = { revision, world: parseWorld(file, read(file)?.toString('utf8') ?? '') };
      return cached.world;
    },
    save(world) {
      // Forgotten first: after a write that failed, the state on disk is the one that counts.
      cached = undefined;
      write(file, JSON.stringify({ ...world, windows: {} }), { mode: 0o600 });
      cached = { revision: getRevision(file) ?? '', world };
    },
  };
};

export const openStateStore = (disk: StoreDisk): StateStore => {
  const { file } = disk;
  const windowsFile = `${file}.limits`;
  const { peek, save } = openState(disk);
  const createState = async (make: () => Promise<World>): Promise<World> => {
    const world = await make();
    save(world);
    return world;
  };
  const saveWindows = (world: World): void => disk.overwrite(windowsFile, JSON.stringify(world.windows));
  return {
    use: (work) =>
      disk.lock(file, disk.clock, async () => {
        const world = peek() ?? (await createState(() => createSeed('demo', { now: disk.clock.now() })));
        world.windows = readWindows(disk.read, windowsFile);
        let hasChanged = false;
        const result = work(world, () => {
          hasChanged = true;
        });
        if (hasChanged) save(world);
        return result;
      }),
    replace: (make) =>
      disk.lock(file, disk.clock, async () => {
        const world = await createState(make);
        saveWindows(world);
        return world;
      }),
    peek,
    save,
    saveWindows,
  };
};
