import { isUtf8 } from 'node:buffer';
import { closeSync, fchmodSync, fstatSync, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from './failure.ts';
import {
  checkFolder,
  createUnsafeFileError,
  formatNewMode,
  formatRestrictAccess,
  isReadOnlyDisk,
  judgeOwnFile,
  tryFix,
  type Warn,
} from './folders.ts';
import { followLinks, getOwnUid, judgeTrust, openWithoutWaiting } from './trust.ts';

/**
 * Reading files of ours. A mode that is too open is corrected and reported; what somebody else could have written is
 * refused: a settings file says where a token is sent.
 */

export const formatTakeOwnership = (path: string): string =>
  `Run ttctl as that user, or check the contents and take ownership: ${commandLine`chown "$(id -u)" ${path}`}`;

export interface ReadOptions {
  /** Others must not read it either, and it is no symbolic link. */
  readonly secret?: boolean;
  /** The folder is one that somebody named for this: what else lies there is not ours to judge. */
  readonly anyFolder?: boolean;
  /** It never grows large; what is secret never does. */
  readonly bounded?: boolean;
  /** Called for each mode that was corrected; absent: none is corrected, and what is too open is refused. */
  readonly warn?: Warn | undefined;
}

/** Others can come to it only through a folder that lets them in. */
const isReachableByOthers = (path: string): boolean => (statSync(dirname(path)).mode & 0o001) !== 0;

const checkMode = (path: string, fd: number, stats: Stats, options: ReadOptions): void => {
  const { secret = false, anyFolder = false, warn } = options;
  const newMode = secret ? 0o600 : stats.mode & 0o7755;
  const isWritableByOthers = (stats.mode & 0o022) !== 0;
  if (getOwnUid() === undefined || (!isWritableByOthers && (!secret || (stats.mode & 0o077) === 0))) return;
  if (isReadOnlyDisk(path)) return;
  const verb = secret ? 'read' : 'changed';
  const warning = `${path} could be ${verb} by other users; ${formatNewMode(newMode)}`;
  const mayBeChanged = (stats.mode & 0o002) !== 0 && !anyFolder && isReachableByOthers(path);
  if (!mayBeChanged && tryFix(() => fchmodSync(fd, newMode), warn, warning)) return;
  if (isWritableByOthers)
    throw createUnsafeFileError(
      path,
      'others can write to it',
      formatRestrictAccess(path, secret ? '600' : 'go-w'),
    );
  warn?.(`${path} can be read by other users, and its mode cannot be changed`);
};

const MAX_BYTES = 16 * 1024 * 1024;

/** The path, or with a number behind it, so that nothing is there. */
export const findFreeName = (path: string): string => {
  let [free, number] = [path, 2];
  while (lstatSync(free, { throwIfNoEntry: false }) !== undefined) free = `${path}${number++}`;
  return free;
};

const formatMoveAwayHint = (path: string): string =>
  `Move it away: ${commandLine`mv ${path} ${findFreeName(`${path}.old`)}`}`;

const checkFile = (path: string, fd: number, stats: Stats, options: ReadOptions): void => {
  const { secret = false, anyFolder = false, bounded = false } = options;
  // Others need the device.
  const isDevice = stats.isCharacterDevice() || stats.isBlockDevice();
  const elsewhere = isDevice ? 'Use a regular file instead.' : formatMoveAwayHint(path);
  if (!stats.isFile()) throw createUnsafeFileError(path, 'it is not a regular file', elsewhere);
  if ((secret || bounded) && stats.size > MAX_BYTES)
    throw createUnsafeFileError(path, 'it is too large', elsewhere);
  // A secret that root wrote for somebody, or took from him, would be lost to one of them.
  const trustProblem = secret ? judgeTrust(stats, getOwnUid()) : judgeOwnFile(stats);
  if (trustProblem === 'owner')
    throw createUnsafeFileError(path, 'it belongs to another user', formatTakeOwnership(path));
  if (!anyFolder) {
    const [own = '.', ...linked] = followLinks(path).folders;
    checkFolder(path, own, options.warn, false);
    for (const folder of linked) checkFolder(path, folder, options.warn, true);
  }
  checkMode(path, fd, stats, options);
};

/** Undefined where there is none. @throws what the system says */
const openChecked = (path: string, options: ReadOptions): { fd: number; stats: Stats } | undefined => {
  let fd: number;
  try {
    fd = openWithoutWaiting(path, options.secret !== true);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(getErrno(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory() && options.secret !== true)
      throw Object.assign(new Error(`${path} is a directory`), { code: 'EISDIR' });
    checkFile(path, fd, stats, options);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
};

const readChecked = (path: string, options: ReadOptions): Buffer | undefined => {
  const opened = openChecked(path, options);
  if (opened === undefined) return undefined;
  try {
    return readFileSync(opened.fd);
  } finally {
    closeSync(opened.fd);
  }
};

/**
 * The bytes of a file of ours; undefined where there is none. Never waits.
 * @throws UsageError `unsafe_file` for what somebody else could have written; Failure (exit 1) what the disk says
 */
export const readOwnFile = (path: string, options: ReadOptions = {}): Buffer | undefined => {
  try {
    return readChecked(path, options);
  } catch (error) {
    throw createDiskFailure(error, 'read', path);
  }
};

/** `utf8: false`: the bytes are not UTF-8, and `text` is not what they were. */
export interface PrivateText {
  readonly text: string;
  readonly utf8: boolean;
}

interface PrivateOptions extends Pick<ReadOptions, 'anyFolder'> {
  /** What chooses the directory that the file belongs in. */
  readonly variable?: 'TTCTL_CONFIG_DIR' | 'TTCTL_STATE_DIR';
}

const refuseLink = (path: string, { variable }: PrivateOptions): void => {
  // Not every system has O_NOFOLLOW; where it is, it closes the gap between looking and opening.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  const hint = 'Replace the link with the file.';
  const elsewhere = variable === undefined ? '' : ` To keep such files elsewhere, set ${variable}.`;
  throw createUnsafeFileError(path, 'it is a symbolic link', hint + elsewhere);
};

/**
 * Reads a secret file; undefined when there is none. A symbolic link, a foreign owner, anything but a regular file and
 * what others could have written are refused; a mode that lets others read is set to 0600 and reported to `warn`.
 * @throws UsageError `unsafe_file` (exit 2); Failure (exit 1) what the disk says
 */
export const readPrivate = (
  path: string,
  warn: Warn = () => {},
  options: PrivateOptions = {},
): PrivateText | undefined => {
  try {
    refuseLink(path, options);
    const bytes = readChecked(path, { ...options, secret: true, warn });
    return bytes && { text: bytes.toString('utf8'), utf8: isUtf8(bytes) };
  } catch (error) {
    if (getErrno(error) === 'ENOTDIR') return undefined;
    throw createDiskFailure(error, 'read', path);
  }
};
