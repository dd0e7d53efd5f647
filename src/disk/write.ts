import { chmodSync, statSync } from 'node:fs';
import { UsageError } from '../outcome.ts';
import { diskFailure } from './failure.ts';
import { makeFolders } from './folders.ts';
import { doubtFor, takeOver } from './own.ts';
import { reserveWrite, type WriteOptions } from './reserve.ts';
import { ownUid } from './user.ts';

/**
 * Replaces a file so that at every instant, on a full disk and after a power cut too, `path` is the whole old
 * or the whole new content (design: reliability). Throws a `Failure` (exit 1) that names the path.
 */
export const writeDurably = (path: string, data: string | Uint8Array, options: WriteOptions = {}): void =>
  reserveWrite(path, 0, options).commit(data);

const unsafe = (message: string, hint: string): UsageError =>
  new UsageError(message, { code: 'unsafe_directory', hint });

const tighten = (path: string): void => {
  const stats = statSync(path);
  if ((stats.mode & 0o1000) !== 0)
    throw unsafe(
      `${path} is a directory that all users share`,
      'Name a directory of its own with TTCTL_CONFIG_DIR or TTCTL_STATE_DIR.',
    );
  // Its owner could open it again, whoever closes it.
  if (doubtFor(stats) === 'owner') throw unsafe(`${path} belongs to another user`, takeOver(path));
  if (ownUid() !== undefined && (stats.mode & 0o777) !== 0o700) chmodSync(path, 0o700);
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
