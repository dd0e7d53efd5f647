import { accessSync, constants, lstatSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrno } from './failure.ts';
import { listMissingFolders } from './folders.ts';
import { judgeTrust, type TrustProblem } from './trust.ts';

/** What lies at a path. */
export interface Inspection {
  /** Of the target, where it is a link that leads somewhere. */
  readonly kind: 'absent' | 'file' | 'directory' | 'other' | 'unreadable';
  readonly isLink: boolean;
  /** Permission bits as text: `600`; of a link those of its target, since everybody may write the link itself. */
  readonly mode?: string;
  /** Who else has a say in it. */
  readonly trustProblem?: TrustProblem | undefined;
}

/** Never throws: what cannot be looked at is `unreadable`. */
export const inspectPath = (path: string): Inspection => {
  let isLink = false;
  try {
    isLink = lstatSync(path).isSymbolicLink();
    const stats = statSync(path);
    const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
    return { kind, isLink, mode, trustProblem: judgeTrust(stats) };
  } catch (error) {
    const errno = getErrno(error);
    return { kind: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'absent' : 'unreadable', isLink };
  }
};

/**
 * Whether files can be written in this folder, or it can be made. Permissions alone do not tell (root, /proc), so a
 * folder is made where the first missing one would be, and taken away again.
 * @returns what the disk says against it: `EROFS`
 */
export const explainUnwritable = (path: string): string | undefined => {
  try {
    const [first] = listMissingFolders(path);
    if (first === undefined) accessSync(path, constants.W_OK | constants.X_OK);
    else rmdirSync(mkdtempSync(join(dirname(first), '.ttctl-')));
    return undefined;
  } catch (error) {
    return getErrno(error) ?? 'unknown';
  }
};
