import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { EXIT, Failure } from '../../outcome.ts';
import { MAX_BYTES, MAX_SIZE } from '../../parsing/input-limits.ts';
import type { World } from '../world.ts';
import type { SeedOptions } from './builder.ts';
import { seedFromText } from './file.ts';

/** Of regular files alone: to open a pipe may wait for ever, and what it has may never end. */
const readRegularFile = (path: string): string => {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('It is not a regular file.');
    if (stats.size > MAX_BYTES) throw new Error(`It is larger than ${MAX_SIZE}.`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
};

/**
 * The world of a seed file (an adapter).
 * @throws Failure where the file cannot be read, UsageError where something in it is wrong.
 */
export const readSeedFile = (path: string, options: SeedOptions): World => {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (cause) {
    throw new Failure(`cannot read the seed file ${path}`, {
      code: 'seed_file',
      exit: EXIT.usage,
      reason: cause instanceof Error ? cause.message : 'unknown',
      cause,
    });
  }
  return seedFromText(text, path, options);
};
