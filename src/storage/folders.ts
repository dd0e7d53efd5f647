import { accessSync, chmodSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { getErrno } from './failure.ts';
import { getHomeOwner, getOwnUid, judgeTrust, type TrustProblem } from './trust.ts';

/**
 * Directories that others can write to. One that holds nothing but what is ours is closed, and that is reported; one
 * that holds something else keeps its mode, for it has other users.
 */

/** Root that is given somebody's home, as in a container or by sudo, works for whoever owns it. */
const isTrustedOwner = (uid: number): boolean => {
  const me = getOwnUid();
  return uid === me || uid === 0 || (me === 0 && uid === getHomeOwner());
};

/** Who else could change a file or folder that this process uses. */
export const judgeOwnFile = (stats: Pick<Stats, 'uid' | 'mode'>): TrustProblem | undefined =>
  judgeTrust(stats, getOwnUid(), isTrustedOwner);

/** All that this program makes in its directories, and in those within. */
const OWN_NAMES: readonly RegExp[] = [
  /^(?:settings|credentials|sandbox)\.json|^cache\.key/,
  /^(?:code|completion|faults|inbox|jobs|limits|sandbox|sandbox-snapshots|webhooks)$/,
  /^\d{8}(?:-\d{4}-[a-z]{3,})?\.(?:jsonl|lock|failed\.csv)|^plan-[0-9a-f]+\.lock$/,
  /^[0-9a-f]{16}\.\d+-\d+$/,
  /^world\.json|^(?:reasons|drafts)\.json/,
  /^delivery\.(?:[0-9a-f]{32}|trial)\.|^forwarding\.lock$/,
  /^\d{4}-\d\d-\d\dT\d+Z-\d+\.txt/,
  /^\d+\.[a-z-]+\.json|^workspace\.json/,
];

/** Whether nothing lies there that this program did not make. @throws Error what the disk says */
export const holdsOnlyOurs = (folder: string): boolean =>
  readdirSync(folder).every((name) => OWN_NAMES.some((form) => form.test(name)));

export const PRIVATE_DIRECTORY_HINT = 'Set TTCTL_CONFIG_DIR or TTCTL_STATE_DIR to a private directory.';
export const formatOtherDirectory = (variable: string): string =>
  `Set ${variable} to another directory, or run ttctl as that user.`;
export const OTHER_DIRECTORY_HINT = 'Run ttctl as that user, or use another directory.';

export const formatRestrictAccess = (path: string, mode: string): string =>
  `Check its contents, then run: ${commandLine`chmod ${mode} ${path}`}`;

export const createUnsafeFileError = (path: string, why: string, hint: string): UsageError =>
  new UsageError(`refusing to read ${path}: ${why}`, { code: 'unsafe_file', hint, details: { path } });

/** Whatever the modes say there, nobody can write: a volume that is mounted for reading. */
export const isReadOnlyDisk = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return getErrno(error) === 'EROFS';
  }
};

export type Warn = (text: string) => void;

/** Makes the change and warns of it; does nothing without `warn`. @returns whether it was made */
export const tryFix = (change: () => void, warn: Warn | undefined, warning: string): boolean => {
  if (warn === undefined) return false;
  try {
    change();
  } catch {
    return false;
  }
  warn(warning);
  return true;
};

export const formatNewMode = (mode: number): string => `its mode is now 0${(mode & 0o7777).toString(8)}`;

/**
 * @param path the file in it that is read
 * @param warn absent: nothing is corrected
 * @param isLinked whether a link leads there: it is no directory of ours
 * @throws UsageError `unsafe_file` where others can write and it was not corrected
 */
export const checkFolder = (
  path: string,
  folder: string,
  warn: Warn | undefined,
  isLinked: boolean,
): void => {
  const stats = statSync(folder);
  const trustProblem = judgeOwnFile(stats);
  if (trustProblem === undefined) return;
  if (trustProblem === 'owner')
    throw createUnsafeFileError(path, `${folder} belongs to another user`, OTHER_DIRECTORY_HINT);
  if (isReadOnlyDisk(folder)) return;
  const newMode = stats.mode & 0o7755;
  const warning = `the group could write to ${folder}; ${formatNewMode(newMode)}`;
  const isShared = (stats.mode & 0o1000) !== 0 || (!isLinked && !holdsOnlyOurs(folder));
  const isFixable = trustProblem === 'group' && !isShared && !isLinked;
  if (isFixable && tryFix(() => chmodSync(folder, newMode), warn, warning)) return;
  const hint = isShared ? PRIVATE_DIRECTORY_HINT : formatRestrictAccess(folder, 'go-w');
  throw createUnsafeFileError(path, `others can write to ${folder}`, hint);
};

/**
 * Closes a directory that others may write in, and tells of one that is not closed. One that all users share stays
 * as it is: in it, only the folders of it are used that nobody else made. Never throws.
 */
export const secureDirectory = (path: string, variable: string, warn: Warn): void => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    const trustProblem = stats?.isDirectory() ? judgeOwnFile(stats) : undefined;
    if (stats === undefined || trustProblem === undefined) return;
    const newMode = stats.mode & 0o7755;
    const warning = `others could write to ${path}; ${formatNewMode(newMode)}`;
    if (trustProblem !== 'owner') {
      if ((stats.mode & 0o1000) !== 0 || isReadOnlyDisk(path)) return;
      if (holdsOnlyOurs(path) && tryFix(() => chmodSync(path, newMode), warn, warning)) return;
    }
    warn(
      trustProblem === 'owner'
        ? `${path} belongs to another user. ${formatOtherDirectory(variable)}`
        : `${path} can be written to by others. Set ${variable} to a private directory.`,
    );
  } catch {
    // What is written there says what is wrong.
  }
};
