import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A process whose time goes a thousand times faster, from one moment on for all of them, and whose disk is full while a
 * file is there: it is loaded into it before the program.
 */

export const SPEED = 1000;

const preload = (start: number, marker: string): string => `
const fs = require('node:fs');
const [now, wait] = [Date.now, setTimeout];
Date.now = () => Math.round(${start} + (now() - ${start}) * ${SPEED});
globalThis.setTimeout = (work, ms, ...rest) => wait(work, (ms ?? 0) / ${SPEED}, ...rest);
const { fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  if (fs.existsSync(${JSON.stringify(marker)}))
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  return fsyncSync(fd);
};
require('node:module').syncBuiltinESMExports();
`;

export const prepareQuickProcesses = (folder: string) => {
  const [file, marker] = [join(folder, 'quick.cjs'), join(folder, 'disk-is-full')];
  writeFileSync(file, preload(Date.now(), marker));
  return {
    env: { NODE_OPTIONS: `--require "${file}"` },
    setFull(full: boolean): void {
      if (full) writeFileSync(marker, '');
      else if (existsSync(marker)) rmSync(marker);
    },
  };
};
