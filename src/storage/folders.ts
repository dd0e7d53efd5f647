import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createDiskFailure } from './failure.ts';

/**
 * Folders, step by step. The recursive `mkdirSync` of Node never ends under /proc, where a folder that exists says
 * ENOENT; on a read-only disk that of Node 20 says ENOENT too.
 */

/** Makes the folder and its missing parents, each 0700 whatever the umask. One that is there keeps its mode. @throws Failure (exit 1) */
export function makePrivateDirectory(path: string): void {
  try {
    listMissingFolders(path).forEach(makeFolder);
  } catch (error) {
    throw createDiskFailure(error, 'use the directory', path);
  }
}

/** The folders that are missing for this one to be there, the outermost first. @throws Error where it cannot be */
export function listMissingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); !isDirectory(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  return missing;
}

/** @throws Error ENOTDIR for anything else */
function isDirectory(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
  return true;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, 0o700);
    if ((statSync(path).mode & 0o700) !== 0o700) chmodSync(path, 0o700);
  } catch (error) {
    // Another process may have made it just now.
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists || !isDirectory(path)) throw error;
  }
}
