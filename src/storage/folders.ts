import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!there || !isDirectory(path)) throw error;
  }
};

/** Makes the folder and its missing parents with 0700. @throws Error what the disk says */
export const makeFolders = (path: string): void => listMissingFolders(path).forEach(makeFolder);
