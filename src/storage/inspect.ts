import { accessSync, constants, lstatSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrno } from './failure.ts';
import { judgeOwnFile } from './own-files.ts';
import { listMissingFolders, type TrustProblem } from './trust.ts';

/** What lies at a path, without following it. */
export interface Inspection {
  readonly kind: 'absent' | 'file' | 'directory' | 'link' | 'other' | 'unreadable';
  /** Permission bits as text: `600`. Absent where nothing is known. */
  readonly mode?: string;
  /** Who else has a say in it. */
  readonly trustProblem?: TrustProblem | undefined;
}

/** Never throws: what cannot be looked at is `unreadable`. */
export const inspectPath = (path: string): Inspection => {
  try {
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
    // Everybody may write a link: what it leads to counts.
    if (stats.isSymbolicLink()) {
      const target = statSync(path, { throwIfNoEntry: false });
      return { kind: 'link', mode, trustProblem: target && judgeOwnFile(target) };
    }
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
    return { kind, mode, trustProblem: judgeOwnFile(stats) };
  } catch (error) {
    const errno = getErrno(error);
    return { kind: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'absent' : 'unreadable' };
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
