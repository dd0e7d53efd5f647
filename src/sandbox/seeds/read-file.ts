import { readFileSync } from 'node:fs';
import { EXIT, Failure } from '../../outcome.ts';
import type { World } from '../world.ts';
import type { SeedOptions } from './builder.ts';
import { growFromText } from './file.ts';

/**
 * The world of a seed file (an adapter).
 * @throws Failure where the file cannot be read, UsageError where something in it is wrong.
 */
export const readSeedFile = (path: string, options: SeedOptions): World => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure(`cannot read the seed file ${path}`, {
      code: 'seed_file',
      exit: EXIT.usage,
      reason: cause instanceof Error ? cause.message : 'unknown',
      cause,
    });
  }
  return growFromText(text, path, options);
};
