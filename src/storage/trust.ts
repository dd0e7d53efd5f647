import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Whether anybody else has a say in a file or folder of ours: one rule of owner, mode and type for settings,
 * credentials, state, cache and the folders of them. Of a path only the last folder counts: what somebody puts in the
 * place of a folder above would belong to him.
 */

/** `owner`: it is somebody else's. `others`, `group`: they may write it. */
export type TrustProblem = 'owner' | 'others' | 'group';

/**
 * @param me the effective user; undefined where files have no such owner (Windows)
 * @param isTrusted whose they may be. Root is nobody else: what is root's could be changed by root in any case
 */
export const judgeTrust = (
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  me: number | undefined,
  isTrusted: (uid: number) => boolean = (owner) => owner === me || owner === 0,
): TrustProblem | undefined => {
  if (me === undefined) return undefined;
  if (!isTrusted(uid)) return 'owner';
  if ((mode & 0o002) !== 0) return 'others';
  return (mode & 0o020) === 0 ? undefined : 'group';
};

/** Opens for reading without ever waiting, as the opening of a FIFO does. @throws what the system says: ELOOP for a link */
export const openWithoutWaiting = (path: string, follow = false): number =>
  openSync(
    path,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (follow ? 0 : (constants.O_NOFOLLOW ?? 0)),
  );

/** Undefined for what is no regular file, or could have been written by anybody else. @throws what the system says */
export const openOwnFile = (
  path: string,
  me: number | undefined,
): { fd: number; stats: Stats } | undefined => {
  const fd = openWithoutWaiting(path);
  const stats = fstatSync(fd);
  if (stats.isFile() && judgeTrust(stats, me) === undefined) return { fd, stats };
  closeSync(fd);
  return undefined;
};

/** Whether nobody else can put anything into the folder. */
export const isOwnFolder = (path: string, me: number | undefined): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && judgeTrust(stats, me) === undefined;
};

/** As many as systems follow. */
const MAX_LINKS = 40;

export interface LinkedPath {
  /** Where the last link leads, whether or not anything is there. */
  readonly target: string;
  /** That of the path itself, then that of each link's target, without links in them. */
  readonly folders: readonly string[];
}

/**
 * Follows the links in the place of a path. Whoever may write in one of the folders says what is read.
 * @throws Error what the system says, ELOOP for links without an end
 */
export const followLinks = (path: string): LinkedPath => {
  const folders = [dirname(path)];
  let target = path;
  while (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    if (folders.length > MAX_LINKS)
      throw Object.assign(new Error(`${path}: too many links`), { code: 'ELOOP' });
    const next = resolve(realpathSync(dirname(target)), readlinkSync(target));
    const folder = realpathSync(dirname(next));
    target = join(folder, basename(next));
    folders.push(folder);
  }
  return { target, folders };
};

/** The user that this process works for. Apart from holder.ts: every command asks it. */

/** The effective user, or undefined where files have no such owner (Windows). */
export const getOwnUid = (uid: number | undefined = process.geteuid?.()): number | undefined => uid;

/** Whether a file that this process makes belongs to the same user and group. */
export const ownsAlike = ({ uid, gid }: Pick<Stats, 'uid' | 'gid'>): boolean =>
  getOwnUid() === undefined || (uid === getOwnUid() && gid === process.getegid?.());

/** Who owns the home folder; undefined where there is none. */
export const getHomeOwner = (home: string | undefined = process.env.HOME): number | undefined => {
  try {
    return home === undefined ? undefined : statSync(home).uid;
  } catch {
    return undefined;
  }
};

/**
 * Folders, step by step. The recursive `mkdirSync` of Node never ends under /proc, where a folder that exists says
 * ENOENT; on a read-only disk that of Node 20 says ENOENT too.
 */

/** @throws Error ENOTDIR for anything else */
const isDirectory = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
  return true;
};

/** The folders that are missing for this one to be there, the outermost first. @throws Error where it cannot be */
export const listMissingFolders = (path: string): readonly string[] => {
  const missing: string[] = [];
  for (let at = resolve(path); !isDirectory(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  return missing;
};

const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process may have made it just now.
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists || !isDirectory(path)) throw error;
  }
};

/** Makes the folder and its missing parents with 0700. @throws Error what the disk says */
export const makeFolders = (path: string): void => listMissingFolders(path).forEach(makeFolder);
