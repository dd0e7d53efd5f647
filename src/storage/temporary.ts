import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getErrno } from './failure.ts';
import { getOwnPid } from './holder.ts';

/** The calls that a disk can fail in the middle of a write; replaced in tests. */
export interface DiskCalls {
  /** Answers how many bytes it took, which may be fewer than it was given. */
  write(fd: number, data: Uint8Array, offset: number, length: number, position: number): number;
  flush(fd: number): void;
  rename(from: string, to: string): void;
}

export const diskCalls: DiskCalls = { write: writeSync, flush: fsyncSync, rename: renameSync };

/** A temporary file beside its target. */
export interface Temporary {
  readonly path: string;
  /** Undefined once it is closed: the system may have given the number to another file. */
  fd: number | undefined;
}

const SUFFIX = '.tmp';
/** Behind the name of a target, or of any delivery (webhooks/store.ts): as `openNew` and `keepPrevious` (write.ts) make it. */
const TEMPORARY_NAME =
  /^(?:(?:\.[0-9a-f]{32}\.(?:json|state))?\.\d+\.\d+(?:\.bak)?\.tmp|\.tmp-\d{10}[0-9a-f]{6})$/;
/** No write takes this long; what is older was left by a killed process. */
const ABANDONED_MS = 10 * 60_000;

const openFd = ({ path, fd }: Temporary): number => {
  if (fd === undefined) throw new Error(`${path} is already closed`);
  return fd;
};

const openNew = (target: string, mode: number): Temporary => {
  for (let attempt = 0; ; attempt += 1) {
    const path = `${target}.${getOwnPid()}.${attempt}${SUFFIX}`;
    try {
      return { path, fd: openSync(path, 'wx', mode) };
    } catch (error) {
      if (getErrno(error) !== 'EEXIST' || attempt > 1_000) throw error;
    }
  }
};

/** Sets the mode whatever the umask; file systems without modes (FAT, some network mounts) refuse, harmlessly. */
const forceMode = (fd: number, mode: number): void => {
  if ((fstatSync(fd).mode & 0o777) === mode) return;
  try {
    fchmodSync(fd, mode);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(getErrno(error) ?? '')) throw error;
  }
};

export const createTemporary = (target: string, mode: number): Temporary => {
  const temporary = openNew(target, mode);
  try {
    forceMode(openFd(temporary), mode);
    return temporary;
  } catch (error) {
    discardTemporary(temporary);
    throw error;
  }
};

/** Makes `data` the whole content and brings it to the disk. One `write` may take only a part. */
export const fillTemporary = (temporary: Temporary, data: Uint8Array, calls: DiskCalls): void => {
  const fd = openFd(temporary);
  for (let done = 0; done < data.length; ) {
    const count = calls.write(fd, data, done, data.length - done, done);
    if (count <= 0) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    done += count;
  }
  ftruncateSync(fd, data.length);
  calls.flush(fd);
};

export const closeTemporary = (temporary: Temporary): void => {
  if (temporary.fd === undefined) return;
  const { fd } = temporary;
  temporary.fd = undefined;
  closeSync(fd);
};

/** Closes and removes; never throws, since it runs when something else already failed. */
export const discardTemporary = (temporary: Temporary): void => {
  try {
    closeTemporary(temporary);
  } catch {
    // The content no longer matters.
  }
  removeQuietly(temporary.path);
};

export const removeQuietly = (path: string): void => {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is swept later.
  }
};

/** Brings a rename to the disk. Systems that cannot open or flush a directory do that by themselves. */
export const flushDirectory = (directory: string, calls: DiskCalls): void => {
  let fd: number | undefined;
  try {
    fd = openSync(directory, 'r');
    calls.flush(fd);
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(getErrno(error) ?? ''))
      throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** Removes what killed writers of `target` left behind. `now`: milliseconds since the epoch. */
export const sweepTemporaries = (target: string, now: number): void => {
  const directory = dirname(target);
  const prefix = basename(target);
  try {
    for (const name of readdirSync(directory)) {
      if (!name.startsWith(prefix) || !TEMPORARY_NAME.test(name.slice(prefix.length))) continue;
      const path = join(directory, name);
      if (now - statSync(path).mtimeMs > ABANDONED_MS) rmSync(path, { force: true });
    }
  } catch {
    // Tidying only: the write itself says what is wrong.
  }
};
