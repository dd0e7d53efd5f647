import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
} from 'node:fs';
import { UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import { createDiskFailure, getErrno } from './write.ts';

/** Reading files of ours. Each is judged by itself, on its open descriptor: a settings file says where a token is sent. */

interface ReadOptions {
  /**
   * Of settings, and of what a command line names, a link is followed, and root takes them from others with a warning;
   * what is named keeps its mode. Absent: credentials, journals, state.
   */
  readonly kind?: 'settings' | 'named';
  /** Told of what was mended and of what root takes from others; absent: nothing is mended. */
  readonly warn?: ((text: string) => void) | undefined;
}

/**
 * The bytes of a file of ours: credentials, journals, state; undefined where there is none. Never waits.
 * @throws UsageError `unsafe_file` (exit 2) for what somebody else could have written; Failure (exit 1) what the disk says
 */
export function readOwnFile(path: string, options: ReadOptions = {}): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, options.kind === undefined ? READ_NO_LINK : READ);
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

/** `utf8: false`: the bytes are not UTF-8, and `text` is not what they were. @throws as `readOwnFile` */
export function readPrivate(path: string, warn: ReadOptions['warn'] = () => {}) {
  const bytes = readOwnFile(path, { warn });
  return bytes && { text: bytes.toString('utf8'), utf8: isUtf8(bytes) };
}

/** Never waits, as the opening of a pipe does. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Of a link it says ELOOP. */
const READ_NO_LINK = READ | (constants.O_NOFOLLOW ?? 0);

/**
 * Whether the open file can be used: a regular one of ours or root's that nobody else may write. One that others may
 * read is closed to them, with a warning.
 * @throws UsageError `unsafe_file` (exit 2)
 */
export function checkOwnFile(path: string, fd: number, { kind, warn }: ReadOptions = {}): void {
  const stats = fstatSync(fd);
  const { size, uid, mode } = stats;
  if (!stats.isFile()) {
    const hint = kind === 'named' ? 'Use a regular file instead.' : formatMoveAway(path);
    throw createUnsafeFileError(path, 'it is not a regular file', hint);
  }
  if (size > MAX_BYTES)
    throw createUnsafeFileError(path, `it is larger than ${MAX_SIZE}`, formatMoveAway(path));
  // Files of Windows have no such owner.
  const me = process.geteuid?.();
  if (me === undefined) return;
  const isForeign = uid !== me && uid !== 0;
  if (isForeign && (kind === undefined || me !== 0)) {
    const hint = `Run ttctl as that user, or check the contents and take ownership: ${commandLine`chown "$(id -u)" ${path}`}`;
    throw createUnsafeFileError(path, FOREIGN, kind === 'named' ? formatCopy(path) : hint);
  }
  if ((mode & 0o022) !== 0) throw createUnsafeFileError(path, WRITABLE, formatRestrictAccess(path));
  if (isForeign) warn?.(`${path} belongs to another user`);
  if (isForeign || (mode & 0o077) === 0 || warn === undefined || kind === 'named') return;
  try {
    fchmodSync(fd, 0o600);
    warn(`${path} could be read by other users; its mode is now 0600`);
  } catch {
    // Settings hold no secret: those that root has put there for all stay as they are.
    if (kind !== 'settings') warn(`${path} can be read by other users, and its mode cannot be changed`);
  }
}

/**
 * Whether a file that is there may be replaced, a link followed: ours or root's, not for others to write, and of its
 * kind. What is no regular file is judged by whoever writes it.
 * @param kind how files of this kind begin, and what they are: `a plan`
 * @throws UsageError (exit 2)
 */
export function checkReplaced(path: string, kind: { readonly start: string; readonly noun: string }): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, READ);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return;
    const problem = judgeTrust(stats);
    if (problem === 'owner') throw createUnsafeFileError(path, FOREIGN, formatCopy(path), 'write to');
    if (problem === 'writable')
      throw createUnsafeFileError(path, WRITABLE, formatRestrictAccess(path), 'write to');
    const start = Buffer.alloc(kind.start.length);
    const length = readSync(fd, start, 0, start.length, 0);
    if (length > 0 && start.toString('utf8', 0, length) !== kind.start)
      throw createUnsafeFileError(path, `it is not ${kind.noun}`, 'Name another file.', 'write to');
  } catch (error) {
    const isMissing = getErrno(error) === 'ENOENT';
    if (isMissing && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw createUnsafeFileError(path, 'it is a link to nothing', REPLACE_LINK, 'write to');
    // What else is wrong with the place shows when it is written.
    if (error instanceof UsageError) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * `owner`: it is somebody else's. `writable`: others may write to it. Root is nobody else: what is root's could be
 * changed by root in any case.
 * @param me the effective user; none on Windows
 */
export function judgeTrust(
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  me: number | undefined = process.geteuid?.(),
): 'owner' | 'writable' | undefined {
  if (me === undefined) return undefined;
  if (uid !== me && uid !== 0) return 'owner';
  return (mode & 0o022) === 0 ? undefined : 'writable';
}

/** Its first bytes; undefined where there is none that only this user, or root, could have written. Never throws or waits. */
export function readStart(path: string, maxBytes: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, READ_NO_LINK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || judgeTrust(stats) !== undefined) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The text of one that has no more than so many bytes; else as `readStart`. */
export function readSmall(path: string, maxBytes: number): string | undefined {
  const bytes = readStart(path, maxBytes + 1);
  return bytes === undefined || bytes.length > maxBytes ? undefined : bytes.toString('utf8');
}

const FOREIGN = 'it belongs to another user';
const WRITABLE = 'others can write to it';
const REPLACE_LINK = 'Replace the link with the file.';

function createUnsafeFileError(path: string, why: string, hint: string, verb = 'read'): UsageError {
  return new UsageError(`refusing to ${verb} ${path}: ${why}`, {
    code: 'unsafe_file',
    hint,
    details: { path },
  });
}

function formatRestrictAccess(path: string): string {
  return `Check its contents, then run: ${commandLine`chmod 600 ${path}`}`;
}

function formatCopy(path: string): string {
  return `Check its contents, then use a copy of your own: ${commandLine`cp ${path} ${findFreeName(`${path}.copy`)}`}`;
}

/**
 * What to do about a damaged file of ours.
 * @param isWhole whether another generation of it can be read
 * @param startOver how a new one is made: `sign in again: ttctl auth login`
 */
export function formatRepair(path: string, isWhole: (path: string) => boolean, startOver: string): string {
  const [old, backup] = [findFreeName(`${path}.old`), `${path}.bak`];
  return isWhole(backup)
    ? `Restore the previous version: ${commandLine`mv ${path} ${old} && cp ${backup} ${path}`}`
    : `${formatMoveAway(path)}; then ${startOver}`;
}

function formatMoveAway(path: string): string {
  return `Move it away: ${commandLine`mv ${path} ${findFreeName(`${path}.old`)}`}`;
}

/** The path, or with a number behind it, so that nothing is there. */
function findFreeName(path: string): string {
  let [free, number] = [path, 2];
  while (lstatSync(free, { throwIfNoEntry: false }) !== undefined) free = `${path}${number++}`;
  return free;
}
