import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many as systems follow. */
const MOST_LINKS = 40;

/**
 * The folders that a path leads through where links stand in its place: that of the path itself, then that of each
 * link's target, without links in them. Whoever may write in one of them says what is read.
 * @throws Error what the system says, ELOOP for links without an end
 */
export const foldersOf = (path: string): readonly string[] => {
  const folders = [dirname(path)];
  for (let at = path; lstatSync(at).isSymbolicLink(); ) {
    if (folders.length > MOST_LINKS)
      throw Object.assign(new Error(`${path}: too many links`), { code: 'ELOOP' });
    const target = resolve(realpathSync(dirname(at)), readlinkSync(at));
    const folder = realpathSync(dirname(target));
    at = join(folder, basename(target));
    folders.push(folder);
  }
  return folders;
};
