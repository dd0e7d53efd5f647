import { isUtf8 } from 'node:buffer';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { shellWord } from '../notation/shell-word.ts';
import { EXIT, Failure } from '../outcome.ts';
import { diskFailure, errnoOf } from './failure.ts';
import { makeFolders } from './folders.ts';
import { ownUid } from './holder.ts';
import { reserveWrite, type WriteOptions } from './reserve.ts';

/**
 * Replaces a file so that at every instant, on a full disk and after a power cut too, `path` is the whole old
 * or the whole new content (design: reliability). Throws a `Failure` (exit 1) that names the path.
 */
export const writeDurably = (path: string, data: string | Uint8Array, options: WriteOptions = {}): void =>
  reserveWrite(path, 0, options).commit(data);

const tighten = (path: string): void => {
  const { mode } = statSync(path);
  if ((mode & 0o1000) !== 0) {
    throw new Failure(`${path} is a directory that all users share`, {
      code: 'unsafe_directory',
      exit: EXIT.usage,
      hint: 'Name a directory of its own with TTCTL_CONFIG_DIR or TTCTL_STATE_DIR.',
    });
  }
  if (ownUid() !== undefined && (mode & 0o777) !== 0o700) chmodSync(path, 0o700);
};

/** Makes the directory and its missing parents with 0700, and forces 0700 on the last one. */
export const makePrivateDirectory = (path: string): void => {
  try {
    makeFolders(path);
    tighten(path);
  } catch (error) {
    throw diskFailure(error, 'use the directory', path);
  }
};

const unsafe = (path: string, why: string, hint: string): Failure =>
  new Failure(`refusing to read ${path}: ${why}`, {
    code: 'unsafe_file',
    exit: EXIT.usage,
    hint,
    details: { path },
  });

const MAX_BYTES = 16 * 1024 * 1024;

const checkSafe = (path: string, stats: Stats): void => {
  if (!stats.isFile()) throw unsafe(path, 'it is not a regular file', 'Move it away and sign in again.');
  const uid = ownUid();
  if (uid !== undefined && stats.uid !== uid) {
    throw unsafe(
      path,
      'it belongs to another user',
      `Run ttctl as that user, or take the file over: chown "$(id -u)" ${shellWord(path)}`,
    );
  }
  if (stats.size > MAX_BYTES) throw unsafe(path, 'it is far too large', 'Move it away and sign in again.');
};

const mend = (path: string, fd: number, stats: Stats, warn: (text: string) => void): void => {
  if (ownUid() === undefined || (stats.mode & 0o077) === 0) return;
  try {
    fchmodSync(fd, 0o600);
    warn(`${path} could be read by other users; its mode is now 0600`);
  } catch {
    warn(`${path} can be read by other users, and its mode cannot be changed`);
  }
};

const openSafely = (path: string): number | undefined => {
  const symlink = () =>
    unsafe(
      path,
      'it is a symbolic link',
      'Put the file itself there, or name its directory with TTCTL_CONFIG_DIR.',
    );
  try {
    // Not every system has O_NOFOLLOW; where it is, it closes the gap between looking and opening.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw symlink();
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw errno === 'ELOOP' ? symlink() : diskFailure(error, 'read', path);
  }
};

/** `utf8: false`: the bytes are not UTF-8, and `text` is not what they were. */
export interface PrivateText {
  readonly text: string;
  readonly utf8: boolean;
}

/**
 * Reads a secret file; undefined when there is none. A symbolic link, a foreign owner and anything but a regular
 * file are refused (`Failure`, exit 2); a mode that lets others read is mended to 0600 and told to `warn`.
 */
export const readPrivate = (
  path: string,
  warn: (text: string) => void = () => {},
): PrivateText | undefined => {
  const fd = openSafely(path);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    checkSafe(path, stats);
    mend(path, fd, stats, warn);
    const bytes = readFileSync(fd);
    return { text: bytes.toString('utf8'), utf8: isUtf8(bytes) };
  } catch (error) {
    throw diskFailure(error, 'read', path);
  } finally {
    closeSync(fd);
  }
};
