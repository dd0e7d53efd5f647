import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import { createDiskFailure, getErrno, type WriteOptions, writeDurably } from './write.ts';

/**
 * Files of ours, and those that a command line names to be written. Each is judged by itself, on its open descriptor: a
 * settings file says where a token is sent.
 */

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
 * The bytes of a file of ours; undefined where there is none. Never waits.
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
    if (errno === 'ELOOP')
      throw createUnsafe(path, 'it is a symbolic link', 'Replace the link with the file.');
    throw createDiskFailure(error, 'read', path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The text of one that is mended where others can read it. @throws as `readOwnFile` */
export function readPrivate(path: string, warn: ReadOptions['warn'] = () => {}): string | undefined {
  return readOwnFile(path, { warn })?.toString('utf8');
}

const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const READ_NO_LINK = READ | (constants.O_NOFOLLOW ?? 0);

/**
 * Whether the open file can be used: a regular one of ours or root's that nobody else may write. One that others may
 * read is closed to them, with a warning.
 * @throws UsageError `unsafe_file` (exit 2)
 */
export function checkOwnFile(path: string, fd: number, { kind, warn }: ReadOptions = {}): void {
  const stats = fstatSync(fd);
  const advice = kind === 'named' ? 'Use a regular file instead.' : formatMoveAway(path);
  if (!stats.isFile()) throw createUnsafe(path, 'it is not a regular file', advice);
  if (stats.size > MAX_BYTES) throw createUnsafe(path, `it is larger than ${MAX_SIZE}`, formatMoveAway(path));
  // Files of Windows have no such owner and mode.
  if (process.geteuid === undefined) return;
  const isForeign = judgeTrust(stats) === 'owner';
  if (isForeign && (kind === undefined || process.geteuid() !== 0))
    throw createDistrustError(path, 'owner', kind);
  if ((stats.mode & 0o022) !== 0) throw createDistrustError(path, 'writable', kind);
  if (isForeign) warn?.(`${path} belongs to another user`);
  if (isForeign || (stats.mode & 0o077) === 0 || warn === undefined || kind === 'named') return;
  try {
    fchmodSync(fd, 0o600);
    warn(`${path} could be read by other users; its mode is now 0600`);
  } catch {
    // Settings hold no secret: those that root has put there for all stay as they are.
    if (kind !== 'settings') warn(`${path} can be read by other users, and its mode cannot be changed`);
  }
}

/**
 * `owner`: it is somebody else's. `writable`: others may write to it. Root is nobody else: what is root's could be
 * changed by root in any case.
 * @param me the effective user; none on Windows
 */
export function judgeTrust({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, me = process.geteuid?.()) {
  if (me === undefined) return undefined;
  if (uid !== me && uid !== 0) return 'owner';
  return (mode & 0o022) === 0 ? undefined : 'writable';
}

function createDistrustError(
  path: string,
  problem: 'owner' | 'writable',
  kind: ReadOptions['kind'],
  verb?: string,
): UsageError {
  let [why, hint] = ['others can write to it', commandLine`run: chmod 600 ${path}`];
  if (problem === 'owner') {
    why = 'it belongs to another user';
    const copy = commandLine`use a copy of your own: cp ${path} ${`${path}.copy`}`;
    hint = kind === 'named' ? copy : commandLine`run: chown "$(id -u)" ${path}`;
  }
  return createUnsafe(path, why, `Check its contents, then ${hint}`, verb);
}

/** The first bytes as text; undefined for what is no file that only this user, or root, could have written. Never throws or waits. */
export function readSmall(path: string, maxBytes: number): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, READ_NO_LINK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || judgeTrust(stats) !== undefined) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Why a named file could not be written, as far as that shows before it is: `out/plan: there is no folder of that name`. */
export function findWriteProblem(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return `${path}: it is a folder`;
    if (stats?.isFile() === false) return `${path}: it is not a file`;
    // It could be replaced all the same, wherever its folder can be written: a shell would refuse it.
    if (stats !== undefined) accessSync(path, constants.W_OK);
    accessSync(dirname(resolveLink(path)), constants.W_OK);
    return undefined;
  } catch (error) {
    const isMissing = getErrno(error) === 'ENOENT';
    return `${path}: ${isMissing ? 'there is no folder of that name' : 'no permission to write there'}`;
  }
}

const REPLACED = {
  plan: { start: '{"ttctl_plan":', noun: 'a plan' },
  state: { start: '{"version":1,', noun: 'the state of a sandbox' },
} as const;

/**
 * Whether a named file that is there may be replaced, a link followed: ours or root's, not for others to write, and of
 * its kind. What is no regular file is judged by whoever writes it.
 * @throws UsageError (exit 2)
 */
export function checkReplaced(path: string, kind: keyof typeof REPLACED): void {
  const { start: head, noun } = REPLACED[kind];
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return;
  const problem = judgeTrust(stats);
  if (problem !== undefined) throw createDistrustError(path, problem, 'named', 'write to');
  const start = readSmall(resolveLink(path), head.length) ?? '';
  if (start !== '' && start !== head)
    throw createUnsafe(path, `it is not ${noun}`, 'Name another file.', 'write to');
}

/**
 * Replaces a file, or the target of a link, as `writeDurably` does. It keeps its mode, unless one is given.
 * @throws UsageError for what is no file, or may not be written; Failure (exit 1)
 */
export function replaceNamed(path: string, text: string, options?: WriteOptions): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const problem = stats && findWriteProblem(path);
  if (problem !== undefined) throw new UsageError(`cannot write to ${problem}`);
  writeDurably(resolveLink(path), text, { ...(stats && { mode: stats.mode & 0o777 }), ...options });
}

export function resolveLink(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/**
 * What to do about a damaged file of ours.
 * @param read throws where another generation of it is damaged too
 * @param startOver how a new one is made: `sign in again: ttctl auth login`
 */
export function formatRepair(path: string, read: (path: string) => unknown, startOver: string): string {
  const [old, backup] = [`${path}.old`, `${path}.bak`];
  try {
    statSync(backup);
    read(backup);
    return `Restore the previous version: ${commandLine`mv ${path} ${old} && cp ${backup} ${path}`}`;
  } catch {
    return `${formatMoveAway(path)}; then ${startOver}`;
  }
}

function formatMoveAway(path: string): string {
  return `Move it away: ${commandLine`mv ${path} ${`${path}.old`}`}`;
}

function createUnsafe(path: string, why: string, hint: string, verb = 'read'): UsageError {
  return new UsageError(`refusing to ${verb} ${path}: ${why}`, {
    code: 'unsafe_file',
    hint,
    details: { path },
  });
}
