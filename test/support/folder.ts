import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Done at the end of the test file: files share their worker. */
const atEnd: (() => unknown)[] = [];

export const atThisFileEnd = (work: () => unknown): void => {
  atEnd.push(work);
};

export const endFile = async (): Promise<void> => {
  for (const work of atEnd.splice(0)) await work();
};

/**
 * Removes a folder in which a process that is just ending may still write: Node tries to remove the folder again, but not
 * what has come into it meanwhile.
 */
export const removeFolder = (folder: string, tries = 20): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (tries === 0) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    removeFolder(folder, tries - 1);
  }
};

/** A folder of its own, which is removed when the test file ends. */
export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-'));
  atThisFileEnd(() => removeFolder(folder));
  return folder;
};
