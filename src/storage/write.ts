import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EXIT, Failure } from '../errors.ts';

/** The calls that a disk can fail in the middle of a write; replaced in tests. */
export interface DiskCalls {
  /** Answers how many bytes it took, which may be fewer than it was given. */
  write(fd: number, data: Uint8Array, offset: number, length: number, position: number): number;
  flush(fd: number): void;
  rename(from: string, to: string): void;
}

const diskCalls: DiskCalls = { write: writeSync, flush: fsyncSync, rename: renameSync };

export interface WriteOptions {
  /** Forced whatever the umask. Default 0o600. */
  readonly mode?: number;
  /** Keep the previous generation as `<path>.bak`. Default false. */
  readonly backup?: boolean;
  readonly calls?: Partial<DiskCalls>;
}

/**
 * Replaces a file so that at every instant, on a full disk and after a power cut too, `path` is the whole old
 * or the whole new content. Throws a `Failure` (exit 1) that names the path.
 */
export function writeDurably(path: string, data: string | Uint8Array, options?: WriteOptions): void {
  reserveWrite(path, 0, options).commit(data);
}

/**
 * Takes `bytes` of space beside `path`, before something that must not fail for want of it afterwards
 * (a refresh token that is spent at once). `commit` replaces the file, once; `release` gives the space back, and is
 * harmless after that. Throws a `Failure` (exit 1) that names the path.
 */
export function reserveWrite(
  path: string,
  bytes: number,
  { mode = 0o600, backup = false, calls: replaced }: WriteOptions = {},
) {
  const calls = { ...diskCalls, ...replaced };
  let temporary: string | undefined;
  let copy: string | undefined;
  let fd: number | undefined;
  const release = (): void => {
    // The system may give the number of a closed file to another one.
    const open = fd;
    for (const left of [temporary, copy]) if (left !== undefined) removeQuietly(left);
    fd = temporary = copy = undefined;
    if (open !== undefined) closeSync(open);
  };
  try {
    // A process of another container may have the same number.
    temporary = `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`;
    fd = openSync(temporary, 'wx', mode);
    fchmodSync(fd, mode);
    if (bytes > 0) fill(fd, new Uint8Array(bytes), calls);
  } catch (error) {
    release();
    throw createDiskFailure(error, 'write', path);
  }
  const commit = (data: string | Uint8Array): void => {
    try {
      if (fd === undefined || temporary === undefined) throw new Error(`${path} was written already`);
      fill(fd, typeof data === 'string' ? Buffer.from(data) : data, calls);
      if (backup && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) {
        // Under a second name first, so that there is no moment without a good `path`.
        copy = `${temporary.slice(0, -'.tmp'.length)}.bak.tmp`;
        linkSync(path, copy);
        chmodSync(copy, mode);
        // Does nothing where both are one file.
        calls.rename(copy, `${path}.bak`);
      }
      // Windows renames no open file.
      closeSync(fd);
      fd = undefined;
      calls.rename(temporary, path);
      temporary = undefined;
      fd = openSync(dirname(path), 'r');
      calls.flush(fd);
      release();
    } catch (error) {
      const isRenamed = temporary === undefined;
      release();
      // Systems that cannot open or flush a folder bring it to the disk by themselves.
      if (!isRenamed || !/^(EISDIR|EPERM|EACCES|EINVAL|ENOTSUP|EBADF)$/.test(getErrno(error) ?? ''))
        throw createDiskFailure(error, 'write', path);
    }
  };
  return { commit, release };
}

/** Makes `data` the whole content and brings it to the disk. One `write` may take only a part. */
function fill(fd: number, data: Uint8Array, calls: DiskCalls): void {
  for (let done = 0; done < data.length; ) {
    const count = calls.write(fd, data, done, data.length - done, done);
    if (count <= 0) throw createFullError();
    done += count;
  }
  ftruncateSync(fd, data.length);
  calls.flush(fd);
}

/** As `reserveWrite` and the package `conf` make it. */
const TEMPORARY_NAME = /\.(?:\d+(?:\.bak)?\.tmp|tmp-\w{16})$/;

/** No write takes this long; what is older was left by a killed process. */
const ABANDONED_MS = 10 * 60_000;

/** Removes what killed writers of `target` left behind. `now`: milliseconds since the epoch. */
export function sweepTemporaries(target: string, now: number): void {
  try {
    for (const name of readdirSync(dirname(target))) {
      if (!name.startsWith(`${basename(target)}.`) || !TEMPORARY_NAME.test(name)) continue;
      const path = join(dirname(target), name);
      if (now - statSync(path).mtimeMs > ABANDONED_MS) removeQuietly(path);
    }
  } catch {
    // Tidying only: the write itself says what is wrong.
  }
}

export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there, or is swept later.
  }
}

/**
 * Makes the folder and its missing parents, each 0700 whatever the umask; one that is there keeps its mode. Step by
 * step: the recursive `mkdirSync` of Node never ends under /proc, and that of Node 20 says ENOENT on a read-only disk.
 * @throws Failure (exit 1)
 */
export function makePrivateDirectory(path: string): void {
  try {
    for (const folder of listMissingFolders(path)) {
      try {
        mkdirSync(folder, 0o700);
      } catch (error) {
        // Another process may have made it just now.
        if (getErrno(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
      }
      if ((statSync(folder).mode & 0o700) !== 0o700) chmodSync(folder, 0o700);
    }
  } catch (error) {
    throw createDiskFailure(error, 'use the directory', path);
  }
}

/** The folders that are missing for this one to be there, the outermost first. @throws Error where it cannot be */
export function listMissingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats?.isDirectory() === false)
      throw Object.assign(new Error(`${at} is not a directory`), { code: 'ENOTDIR' });
    if (stats !== undefined || at === dirname(at)) return missing;
    missing.unshift(at);
  }
}

/** The errno name of a system error (`ENOENT`), or undefined for any other thrown value. */
export function getErrno(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z\d]+$/.test(error.code) ? error.code : undefined;
}

/** What a write that takes nothing means. */
export function createFullError(): Error {
  return Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
}

/** `ulimit -n`, of this process or of the whole machine: for files and for connections. */
export const TOO_MANY_FILES = {
  code: 'too_many_files',
  reason: 'too many open files',
  hint: 'Raise the limit in this shell: ulimit -n 1024',
} as const;

const CHOOSE = 'Make it writable, or use another directory.';
const IN_PLACE = 'a file is in place of a directory, or a directory in place of the file';

const EXPLANATIONS: readonly (readonly [RegExp, Failure['code'], string, string])[] = [
  [
    /^(ENOSPC|EDQUOT)$/,
    'disk_full',
    'no space left on the disk (or in your quota)',
    'Free some space and run the command again. The file is as it was.',
  ],
  [/^(EACCES|EPERM)$/, 'no_permission', 'permission denied', CHOOSE],
  [/^EROFS$/, 'read_only_disk', 'the disk is read-only', CHOOSE],
  [/^(ENOTDIR|EEXIST|EISDIR)$/, 'disk_error', IN_PLACE, 'Use another directory.'],
  [/^E[MN]FILE$/, TOO_MANY_FILES.code, TOO_MANY_FILES.reason, TOO_MANY_FILES.hint],
];

/**
 * A system error as an end that people can act on (exit 1). `action` is a verb phrase: `write`, `lock`.
 * A `Failure` is passed on as it is.
 */
export function createDiskFailure(error: unknown, action: string, path: string): Failure {
  if (error instanceof Failure) return error;
  const errno = getErrno(error);
  const [, code, reason, hint] = EXPLANATIONS.find(([errnos]) => errnos.test(errno ?? '')) ?? [];
  return new Failure(`cannot ${action} ${path}`, {
    code: code ?? 'disk_error',
    exit: EXIT.fault,
    reason: reason ?? (error instanceof Error ? error.message : String(error)),
    hint: hint ?? 'Check the disk and the path, then run the command again.',
    details: { path, ...(errno === undefined ? {} : { errno }) },
    cause: error,
  });
}
