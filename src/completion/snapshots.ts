import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded } from './cache.ts';
import type { Candidate } from './plain.ts';
import { type CompletionEnvironment, getGivenValue, isEmbedded } from './scope.ts';
import type { Position } from './walk.ts';

/** The snapshots of the sandbox that a command line means: of the server that runs, else of the embedded one. */

const NAME = /^(.+)\.snapshot$/;
/** A larger one is offered by its name alone. */
const MAX_BYTES = 512 * 1024;

/** The first line of a snapshot's file, in words. */
const describeSnapshot = (file: string): string | undefined => {
  try {
    const [head = ''] = readBounded(file, MAX_BYTES).split('\n', 1);
    const { seed, now } = JSON.parse(head);
    return typeof seed === 'string' && typeof now === 'string' ? `${seed}, at ${now}` : undefined;
  } catch {
    return undefined;
  }
};

/** Whether a server lives that commands find by its file. */
const isServed = (state: string, { kill }: CompletionEnvironment): boolean => {
  try {
    const { pid } = JSON.parse(readBounded(join(state, 'sandbox.json'), MAX_BYTES));
    return Number.isInteger(pid) && kill(pid, 0);
  } catch {
    return false;
  }
};

/** @throws UsageError where settings are damaged; what reading the folder throws */
export const listSnapshotCandidates = (
  state: string,
  surroundings: CompletionEnvironment,
  position: Position,
): readonly Candidate[] => {
  const hasServer =
    getGivenValue(position, '--url') !== undefined ||
    (!isEmbedded(surroundings, position) && isServed(state, surroundings));
  const folder = join(hasServer ? state : join(state, 'sandbox'), 'sandbox-snapshots');
  return readdirSync(folder)
    .sort()
    .flatMap((file): readonly Candidate[] => {
      const value = NAME.exec(file)?.[1];
      if (value === undefined) return [];
      const about = describeSnapshot(join(folder, file));
      return [{ value, ...(about === undefined ? {} : { about }) }];
    });
};
