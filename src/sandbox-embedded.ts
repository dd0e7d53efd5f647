import { dirname } from 'node:path';
import type { Clock } from './clock.ts';
import { withLock } from './disk/lock.ts';
import { makePrivateDirectory, writeDurably } from './disk/write.ts';
import type { Machine } from './machine.ts';
import { EXIT, Failure } from './outcome.ts';
import { createEmbedded, type Embedded } from './sandbox/embedded.ts';
import type { StoreDisk } from './sandbox/store.ts';

/** Joins the embedded sandbox to its state file on this machine. */

/** @throws Failure (exit 1) where no state directory is known */
export const sandboxDisk = (file: string | undefined, clock: Clock): StoreDisk => {
  if (file === undefined) {
    throw new Failure('there is no place to keep the sandbox', {
      code: 'no_state_directory',
      exit: EXIT.fault,
      hint: 'Set TTCTL_STATE_DIR (or HOME), or use a server in memory: ttctl sandbox start',
    });
  }
  makePrivateDirectory(dirname(file));
  return { file, clock, lock: withLock, write: writeDurably };
};

export const openEmbedded = (
  file: string | undefined,
  { clock, interrupted }: Pick<Machine, 'clock' | 'interrupted'>,
): Embedded => createEmbedded({ ...sandboxDisk(file, clock), interrupted });
