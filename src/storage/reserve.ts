import { chmodSync, constants, copyFileSync, linkSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createDiskFailure } from './failure.ts';
import {
  closeTemporary,
  createTemporary,
  type DiskCalls,
  discardTemporary,
  diskCalls,
  fillTemporary,
  flushDirectory,
  removeQuietly,
} from './temporary.ts';

export interface WriteOptions {
  /** Forced whatever the umask. Default 0o600. */
  readonly mode?: number;
  /** Keep the previous generation as `<path>.bak`. Default false. */
  readonly backup?: boolean;
  readonly calls?: Partial<DiskCalls>;
}

/** Space for a file that is to be written later, already taken on the disk. */
export interface Reservation {
  /** Replaces the file. May be called once; frees the rest. */
  commit(data: string | Uint8Array): void;
  /** Gives the space back; harmless after `commit`. */
  release(): void;
}

/** Keeps the present file under a second name first, so that there is no moment without a good `path`. */
const keepPrevious = (path: string, temporary: string, mode: number, calls: DiskCalls): void => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const copy = `${temporary.slice(0, -'.tmp'.length)}.bak.tmp`;
  removeQuietly(copy);
  try {
    try {
      linkSync(path, copy);
    } catch {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
    }
    if ((statSync(copy).mode & 0o777 & ~mode) !== 0) chmodSync(copy, mode);
    calls.rename(copy, `${path}.bak`);
  } finally {
    // Renaming one link of a file onto another link of it does nothing and leaves both.
    removeQuietly(copy);
  }
};

/**
 * Takes `bytes` of space beside `path`, before something that must not fail for want of it afterwards
 * (a refresh token that is spent at once). Throws a `Failure` (exit 1) that names the path.
 */
export const reserveWrite = (path: string, bytes: number, options: WriteOptions = {}): Reservation => {
  const mode = options.mode ?? 0o600;
  const calls = { ...diskCalls, ...options.calls };
  const guarded = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw createDiskFailure(error, 'write', path);
    }
  };
  const temporary = guarded(() => createTemporary(path, mode));
  let open = true;
  const release = (): void => {
    if (open) discardTemporary(temporary);
    open = false;
  };
  const attempt = (action: () => void): void =>
    guarded(() => {
      try {
        action();
      } catch (error) {
        release();
        throw error;
      }
    });
  if (bytes > 0) attempt(() => fillTemporary(temporary, new Uint8Array(bytes), calls));
  const commit = (data: string | Uint8Array): void =>
    attempt(() => {
      fillTemporary(temporary, typeof data === 'string' ? Buffer.from(data) : data, calls);
      if (options.backup === true) keepPrevious(path, temporary.path, mode, calls);
      // Windows renames no open file.
      closeTemporary(temporary);
      calls.rename(temporary.path, path);
      open = false;
      flushDirectory(dirname(path), calls);
    });
  return { commit, release };
};
