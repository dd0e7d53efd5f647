import { isUtf8 } from 'node:buffer';
import { closeSync, fchmodSync, fstatSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { UsageError } from '../outcome.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/input-limits.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from './failure.ts';
import { getOwnUid, judgeTrust, openWithoutWaiting } from './trust.ts';

/** Reading files of ours. Each is judged by itself, on its open descriptor: a settings file says where a token is sent. */

export interface ReadOptions {
  /** Settings, plans, files that somebody named: a link is followed, and root takes them from others with a warning. */
  readonly lenient?: boolean;
  /** Told of what was mended and of what root takes from others; absent: nothing is mended. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** `utf8: false`: the bytes are not UTF-8, and `text` is not what they were. */
export interface PrivateText {
  readonly text: string;
  readonly utf8: boolean;
}

/**
 * The bytes of a file of ours: credentials, journals, state; undefined where there is none. Never waits.
 * @throws UsageError `unsafe_file` (exit 2) for what somebody else could have written; Failure (exit 1) what the disk says
 */
export function readOwnFile(path: string, options: ReadOptions = {}): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openWithoutWaiting(path, options.lenient);
    checkOwnFile(path, fd, options);
    return readFileSync(fd);
  } catch (error) {
    const errno = getErrno(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    if (errno === 'ELOOP') throw createUnsafeFileError(path, 'it is a symbolic link', REPLACE_LINK);
    throw createDiskFailure(error, 'read', path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Its text. */
export function readPrivate(path: string, warn: ReadOptions['warn'] = () => {}): PrivateText | undefined {
  const bytes = readOwnFile(path, { warn });
  return bytes && { text: bytes.toString('utf8'), utf8: isUtf8(bytes) };
}

/**
 * Whether the open file can be used: a regular one of ours or root's that nobody else may write. One that others may
 * read is closed to them, with a warning.
 * @throws UsageError `unsafe_file` (exit 2)
 */
export function checkOwnFile(path: string, fd: number, { lenient = false, warn }: ReadOptions = {}): Stats {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw createUnsafeFileError(path, 'it is not a regular file', formatMoveAway(path));
  if (stats.size > MAX_BYTES)
    throw createUnsafeFileError(path, `it is larger than ${MAX_SIZE}`, formatMoveAway(path));
  const me = getOwnUid();
  if (me === undefined) return stats;
  const isForeign = judgeTrust(stats, me) === 'owner';
  if (isForeign && !(lenient && me === 0))
    throw createUnsafeFileError(path, 'it belongs to another user', formatTakeOwnership(path));
  if ((stats.mode & 0o022) !== 0)
    throw createUnsafeFileError(path, 'others can write to it', formatRestrictAccess(path));
  if (isForeign) warn?.(`${path} belongs to another user`);
  else if ((stats.mode & 0o077) !== 0 && warn !== undefined) closeToOthers(path, fd, lenient, warn);
  return stats;
}

/** Settings hold no secret: those that root has put there for all stay as they are. */
function closeToOthers(path: string, fd: number, lenient: boolean, warn: (text: string) => void): void {
  try {
    fchmodSync(fd, 0o600);
    warn(`${path} could be read by other users; its mode is now 0600`);
  } catch {
    if (!lenient) warn(`${path} can be read by other users, and its mode cannot be changed`);
  }
}

const REPLACE_LINK = 'Replace the link with the file.';

export const createUnsafeFileError = (path: string, why: string, hint: string): UsageError =>
  new UsageError(`refusing to read ${path}: ${why}`, { code: 'unsafe_file', hint, details: { path } });

export const formatRestrictAccess = (path: string): string =>
  `Check its contents, then run: ${commandLine`chmod 600 ${path}`}`;

export const formatTakeOwnership = (path: string): string =>
  `Run ttctl as that user, or check the contents and take ownership: ${commandLine`chown "$(id -u)" ${path}`}`;

const formatMoveAway = (path: string): string =>
  `Move it away: ${commandLine`mv ${path} ${findFreeName(`${path}.old`)}`}`;

/** The path, or with a number behind it, so that nothing is there. */
export function findFreeName(path: string): string {
  let [free, number] = [path, 2];
  while (lstatSync(free, { throwIfNoEntry: false }) !== undefined) free = `${path}${number++}`;
  return free;
}
