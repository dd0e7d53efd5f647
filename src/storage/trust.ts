import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';

/** Who else could have written a file: its owner and its mode, read from the open descriptor. */

/** `owner`: it is somebody else's. `writable`: others may write to it. */
export type TrustProblem = 'owner' | 'writable';

/** The effective user, or undefined where files have no such owner (Windows). */
export const getOwnUid = (uid: number | undefined = process.geteuid?.()): number | undefined => uid;

/** Root is nobody else: what is root's could be changed by root in any case. @param me the effective user, if there is one */
export function judgeTrust(
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  me: number | undefined = getOwnUid(),
): TrustProblem | undefined {
  if (me === undefined) return undefined;
  if (uid !== me && uid !== 0) return 'owner';
  return (mode & 0o022) === 0 ? undefined : 'writable';
}

/** Whether a file that this process makes belongs to the same user and group. */
export const ownsAlike = ({ uid, gid }: Pick<Stats, 'uid' | 'gid'>): boolean =>
  getOwnUid() === undefined || (uid === getOwnUid() && gid === process.getegid?.());

/** Opens for reading without ever waiting, as the opening of a FIFO does. @throws what the system says: ELOOP for a link */
export const openWithoutWaiting = (path: string, follow = false): number =>
  openSync(
    path,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (follow ? 0 : (constants.O_NOFOLLOW ?? 0)),
  );

/** Undefined for what is no regular file, or could have been written by anybody else. @throws what the system says */
export function openOwnFile(path: string, me = getOwnUid()): { fd: number; stats: Stats } | undefined {
  const fd = openWithoutWaiting(path);
  const stats = fstatSync(fd);
  if (stats.isFile() && judgeTrust(stats, me) === undefined) return { fd, stats };
  closeSync(fd);
  return undefined;
}
