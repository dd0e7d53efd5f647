import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
  const wrapErrors = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw createDiskFailure(error, 'write', path);
    }
  };
  const temporary = wrapErrors(() => createTemporary(path, mode));
  let isOpen = true;
  const release = (): void => {
    if (isOpen) discardTemporary(temporary);
    isOpen = false;
  };
  const runOrRelease = (action: () => void): void =>
    wrapErrors(() => {
      try {
        action();
      } catch (error) {
        release();
        throw error;
      }
    });
  if (bytes > 0) runOrRelease(() => fillTemporary(temporary, new Uint8Array(bytes), calls));
  const commit = (data: string | Uint8Array): void =>
    runOrRelease(() => {
      fillTemporary(temporary, typeof data === 'string' ? Buffer.from(data) : data, calls);
      if (options.backup === true) keepPrevious(path, temporary.path, mode, calls);
      // Windows renames no open file.
      closeTemporary(temporary);
      calls.rename(temporary.path, path);
      isOpen = false;
      flushDirectory(dirname(path), calls);
    });
  return { commit, release };
};

/**
 * Replaces a file so that at every instant, on a full disk and after a power cut too, `path` is the whole old
 * or the whole new content. Throws a `Failure` (exit 1) that names the path.
 */
export const writeDurably = (path: string, data: string | Uint8Array, options: WriteOptions = {}): void =>
  reserveWrite(path, 0, options).commit(data);

/** A pipe in the place of the file is an error, not waited for. */
const OVERWRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0);

/** Writes over a file, or makes it with 0600: for what may be lost. Throws a `Failure` (exit 1) that names the path. */
export const overwrite = (path: string, data: string): void => {
  try {
    const fd = openSync(path, OVERWRITE, 0o600);
    try {
      writeFileSync(fd, data);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw createDiskFailure(error, 'write', path);
  }
};
