import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Transport } from '../http/transport.ts';
import { EXIT, Failure } from '../outcome.ts';
import { createEmbeddedSandbox, type EmbeddedSandbox } from '../sandbox/embedded.ts';
import type { StoreDisk } from '../sandbox/store.ts';
import { createDiskFailure } from '../storage/failure.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { withLock } from '../storage/lock.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { overwrite, writeDurably } from '../storage/write.ts';
import type { EmbeddedTransportOptions } from './wire.ts';

/** Joins the embedded sandbox to its state file on this machine. */

/**
 * @param writeNamed where somebody named the file: what else lies in its folder is not ours to close
 * @throws Failure (exit 1) where no state directory is known
 */
export const createSandboxDisk = (
  file: string | undefined,
  clock: Clock,
  writeNamed?: StoreDisk['write'],
): StoreDisk => {
  if (file === undefined) {
    throw new Failure('no directory to store the sandbox in', {
      code: 'no_state_directory',
      exit: EXIT.fault,
      hint: 'Set TTCTL_STATE_DIR (or HOME), or use a server in memory: ttctl sandbox start',
    });
  }
  makePrivateDirectory(dirname(file));
  const read = (path: string) => readOwnFile(path, writeNamed && { kind: 'named' });
  return { file, clock, lock: withLock, read, write: writeNamed ?? writeDurably, overwrite, append };
};

/** Plainly: of a line that the power took with it, as of one that was torn off, the practice data are without. */
export function append(path: string, length: number, data: Buffer): void {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
    try {
      if (fstatSync(fd).size !== length) ftruncateSync(fd, length);
      for (let written = 0; written < data.length; )
        written += writeSync(fd, data, written, data.length - written, length + written);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw createDiskFailure(error, 'write', path);
  }
}

export interface EmbeddedService extends Omit<EmbeddedSandbox, 'answer'> {
  readonly transport: Transport;
}

export const openEmbedded = (
  file: string | undefined,
  options: EmbeddedTransportOptions,
): EmbeddedService => {
  const { answer, ...rest } = createEmbeddedSandbox({
    ...createSandboxDisk(file, options.clock),
    interrupted: options.interrupt,
  });
  return {
    ...rest,
    async transport(request) {
      const { wire, fault: _fault, ...response } = await answer(request);
      if (wire === undefined) return response;
      const { simulateWire } = await import('./wire.ts');
      return simulateWire(request, response, wire, options);
    },
  };
};
