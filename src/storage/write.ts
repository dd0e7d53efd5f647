import { chmodSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../outcome.ts';
import { createDiskFailure } from './failure.ts';
import { makeFolders } from './folders.ts';
import { formatTakeOwnership, judgeOwnFile } from './own-files.ts';
import { reserveWrite, type WriteOptions } from './reserve.ts';
import type { TrustProblem } from './trust.ts';
import { getOwnUid } from './user.ts';

/**
 * Replaces a file so that at every instant, on a full disk and after a power cut too, `path` is the whole old
 * or the whole new content (docs/requirements.md, B3). Throws a `Failure` (exit 1) that names the path.
 */
export const writeDurably = (path: string, data: string | Uint8Array, options: WriteOptions = {}): void =>
  reserveWrite(path, 0, options).commit(data);

const unsafe = (message: string, hint: string): UsageError =>
  new UsageError(message, { code: 'unsafe_directory', hint });

type Warn = (text: string) => void;

const closed = (path: string, mode: number): string =>
  `others could write to ${path}; its mode is now 0${mode.toString(8)}`;

/** @throws UsageError for a directory that others have a say in @returns why it is still to be closed */
const refuseShared = (path: string, stats: Stats): TrustProblem | undefined => {
  if ((stats.mode & 0o1000) !== 0)
    throw unsafe(
      `${path} is shared by all users`,
      'Set TTCTL_CONFIG_DIR or TTCTL_STATE_DIR to a private directory.',
    );
  // Its owner could open it again, whoever closes it.
  const doubt = judgeOwnFile(stats);
  if (doubt === 'owner') throw unsafe(`${path} belongs to another user`, formatTakeOwnership(path));
  return doubt;
};

const tighten = (path: string, warn: Warn | undefined): void => {
  const stats = statSync(path);
  const doubt = refuseShared(path, stats);
  if (getOwnUid() === undefined || (stats.mode & 0o777) === 0o700) return;
  chmodSync(path, 0o700);
  if (doubt !== undefined) warn?.(closed(path, 0o700));
};

/** The folder above may have been named by somebody: what all users share, or is not ours, stays as it is. */
const tightenAbove = (path: string, warn: Warn): void => {
  const { uid, mode } = statSync(path);
  if (uid !== getOwnUid() || (mode & 0o1000) !== 0 || (mode & 0o022) === 0) return;
  chmodSync(path, mode & 0o755);
  warn(closed(path, mode & 0o755));
};

/**
 * Makes the directory and its missing parents with 0700, and forces 0700 on the last one.
 * @param warn of a folder of our state: told that others could write there, or in the one above, which is closed too
 */
export const makePrivateDirectory = (path: string, warn?: Warn): void => {
  try {
    makeFolders(path);
    tighten(path, warn);
    if (warn !== undefined) tightenAbove(dirname(path), warn);
  } catch (error) {
    throw createDiskFailure(error, 'use the directory', path);
  }
};

/** Makes the directory of a file that somebody named, and its missing parents with 0700. One that is there keeps its mode. */
export const makeNamedDirectory = (path: string): void => {
  try {
    makeFolders(path);
    refuseShared(path, statSync(path));
  } catch (error) {
    throw createDiskFailure(error, 'use the directory', path);
  }
};
