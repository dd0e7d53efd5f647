import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is done at the end of each test file: test files share their worker, and each module runs once in it. */
const always: (() => unknown)[] = [];
const once: (() => unknown)[] = [];

/** Of a module: at the end of every file. */
export const atFileEnd = (work: () => unknown): void => {
  always.push(work);
};

/** Of a test: at the end of its file. */
export const atThisFileEnd = (work: () => unknown): void => {
  once.push(work);
};

export const endFile = async (): Promise<void> => {
  for (const work of [...once.splice(0), ...always]) await work();
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
