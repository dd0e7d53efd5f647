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
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT, Failure, getMessage } from '../errors.ts';

export interface WriteOptions {
  /** Forced whatever the umask. Default 0o600. */
  readonly mode?: number;
  /** Keep the previous generation as `<path>.bak`. Default false. */
  readonly backup?: boolean;
  /** False: not worth waiting for the disk. */
  readonly flush?: boolean;
}

/**
 * Replaces a file so that at every instant, on a full disk and after a power cut too, `path` is the whole old
 * or the whole new content. Throws a `Failure` (exit 1) that names the path.
 */
export function writeDurably(path: string, data: string, options?: WriteOptions): void {
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
  { mode = 0o600, backup = false, flush = true }: WriteOptions = {},
) {
  // A process of another container may have the same number.
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`;
  let fd: number | undefined;
  const close = (): void => {
    const open = fd;
    // The system may give the number of a closed file to another one.
    fd = undefined;
    if (open !== undefined) closeSync(open);
  };
  const release = (): void => {
    removeQuietly(temporary);
    close();
  };
  /** Makes `data` the whole content. One `write` may take only a part. */
  const fill = (file: number, data: Uint8Array): void => {
    for (let done = 0; done < data.length; ) {
      const count = writeSync(file, data, done, data.length - done, done);
      if (count <= 0) throw createFullError();
      done += count;
    }
    ftruncateSync(file, data.length);
    if (flush) fsyncSync(file);
  };
  try {
    fd = openSync(temporary, 'wx', mode);
    fchmodSync(fd, mode);
    if (bytes > 0) fill(fd, new Uint8Array(bytes));
  } catch (error) {
    release();
    throw createDiskFailure(error, 'write', path);
  }
  const commit = (data: string): void => {
    try {
      if (fd === undefined) throw new Error(`${path} was written already`);
      fill(fd, Buffer.from(data));
      if (backup && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) {
        removeQuietly(`${path}.bak`);
        linkSync(path, `${path}.bak`);
        chmodSync(`${path}.bak`, mode);
      }
      // Windows renames no open file.
      close();
      renameSync(temporary, path);
    } catch (error) {
      release();
      throw createDiskFailure(error, 'write', path);
    }
    try {
      fd = flush ? openSync(dirname(path), 'r') : undefined;
      if (fd !== undefined) fsyncSync(fd);
    } catch {
      // Systems that cannot open or flush a folder bring it to the disk by themselves.
    }
    close();
  };
  return { commit, release };
}

export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there, or stays.
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
        chmodSync(folder, 0o700);
      } catch (error) {
        // Another process may have made it just now.
        if (getErrno(error) !== 'EEXIST') throw error;
      }
    }
  } catch (error) {
    throw createDiskFailure(error, 'use the directory', path);
  }
}

/** The file, its folder made. @param what is to be stored in it. @throws Failure (exit 1), also where no place is known */
export function prepareFile(file: string | undefined, what: string): string {
  if (file === undefined)
    throw new Failure(`no directory to store ${what} in`, {
      code: 'no_config_directory',
      exit: EXIT.fault,
      reason: 'there is no home directory',
      hint: 'Set TTCTL_CONFIG_DIR (or HOME), or pass the values as TTCTL_ variables.',
    });
  makePrivateDirectory(dirname(file));
  return file;
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
    reason: reason ?? getMessage(error),
    hint: hint ?? 'Check the disk and the path, then run the command again.',
    details: { path, ...(errno === undefined ? {} : { errno }) },
    cause: error,
  });
}
