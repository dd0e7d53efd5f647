import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateDirectory } from '../storage/folders.ts';
import { sweepTemporaries, writeDurably } from '../storage/write.ts';

/** Writes a file of the completion's cache. Loaded for what has changed alone: most runs see what is known already. */

/** Kept of the services of one profile: a sandbox on a free port is another one each time. */
const MAX_SERVICES = 10;

/** As `getCacheFolder` names them: an address. What else lies there is not ours. */
const SERVICE_NAME = /^https?%3A%2F%2F/;

const removeOldest = (folder: string): void => {
  const parent = dirname(folder);
  const folders = readdirSync(parent)
    .filter((name) => SERVICE_NAME.test(name))
    .map((name) => join(parent, name))
    .filter((path) => path !== folder)
    .map((path) => ({ path, used: statSync(path).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of folders.slice(MAX_SERVICES - 1)) rmSync(path, { recursive: true, force: true });
};

/**
 * @param isNew whether there was no such file: then the folder may be new
 * @param now milliseconds since the epoch
 * @throws what the disk says
 */
export const writeCacheFile = (file: string, text: string, isNew: boolean, now: number): void => {
  const folder = dirname(file);
  makePrivateDirectory(folder);
  if (isNew) removeOldest(folder);
  sweepTemporaries(file, now);
  // Not for ever: it is not worth waiting for the disk.
  writeDurably(file, text, { calls: { flush: () => {} } });
};
