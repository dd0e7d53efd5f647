import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { withLock } from '../disk/lock.ts';
import { readOwn } from '../disk/own.ts';
import { makeNamedDirectory, makePrivateDirectory, writeDurably } from '../disk/write.ts';
import type { Transport } from '../http/transport.ts';
import { EXIT, Failure } from '../outcome.ts';
import { createEmbedded, type Embedded } from '../sandbox/embedded.ts';
import type { StoreDisk } from '../sandbox/store.ts';
import type { Way } from './wire.ts';

/** Joins the embedded sandbox to its state file on this machine. */

/**
 * @param named whether somebody named the file: what else lies in its folder is not ours to close
 * @throws Failure (exit 1) where no state directory is known
 */
export const sandboxDisk = (file: string | undefined, clock: Clock, named = false): StoreDisk => {
  if (file === undefined) {
    throw new Failure('no place to store the sandbox', {
      code: 'no_state_directory',
      exit: EXIT.fault,
      hint: 'Set TTCTL_STATE_DIR (or HOME), or use a server in memory: ttctl sandbox start',
    });
  }
  (named ? makeNamedDirectory : makePrivateDirectory)(dirname(file));
  return { file, clock, lock: withLock, read: readOwn, write: writeDurably };
};

export interface EmbeddedService extends Omit<Embedded, 'answer'> {
  readonly transport: Transport;
}

export const openEmbedded = (file: string | undefined, way: Way): EmbeddedService => {
  const { answer, ...rest } = createEmbedded({
    ...sandboxDisk(file, way.clock),
    interrupted: way.interrupt,
  });
  return {
    ...rest,
    async transport(request) {
      const { wire, fault: _fault, ...response } = await answer(request);
      if (wire === undefined) return response;
      const { overWire } = await import('./wire.ts');
      return overWire(request, response, wire, way);
    },
  };
};
