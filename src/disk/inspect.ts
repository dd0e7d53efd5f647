import { lstatSync } from 'node:fs';
import { errnoOf } from './failure.ts';

/** What lies at a path, without following it. */
export interface Inspection {
  readonly kind: 'absent' | 'file' | 'directory' | 'link' | 'other' | 'unreadable';
  /** Permission bits as text: `600`. Absent where nothing is known. */
  readonly mode?: string;
}

/** Never throws: what cannot be looked at is `unreadable`. */
export const inspect = (path: string): Inspection => {
  try {
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
    if (stats.isSymbolicLink()) return { kind: 'link', mode };
    if (stats.isFile()) return { kind: 'file', mode };
    return { kind: stats.isDirectory() ? 'directory' : 'other', mode };
  } catch (error) {
    const errno = errnoOf(error);
    return { kind: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'absent' : 'unreadable' };
  }
};
