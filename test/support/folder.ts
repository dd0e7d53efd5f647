import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';

const folders: string[] = [];
atFileEnd(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own, which is removed when the test file ends. */
export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-'));
  folders.push(folder);
  return folder;
};
