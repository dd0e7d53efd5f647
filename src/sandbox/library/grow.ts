import { growFromText } from '../seeds/file.ts';
import { readSeedFile } from '../seeds/read-file.ts';
import { seed } from '../seeds/seed.ts';
import { isSeedFile } from '../seeds/seed-or-file.ts';
import type { World } from '../world.ts';
import { momentMs } from './moments.ts';
import type { Chosen } from './options.ts';
import type { Seed } from './types.ts';

const worldOf = (
  wanted: Seed,
  options: { readonly now: number; readonly number: number },
): World | Promise<World> => {
  // As a file would have it, so that a line can be told.
  if (typeof wanted !== 'string') return growFromText(JSON.stringify(wanted, null, 2), 'the seed', options);
  return isSeedFile(wanted) ? readSeedFile(wanted, options) : seed(wanted, options);
};

/**
 * The world that a sandbox begins with, its clock as the options have it.
 * @param machine the machine's time, ms
 * @throws UsageError for an unknown seed, and for what is wrong in a file or an object
 */
export const grown = async (
  wanted: Seed,
  { now, frozen, seedNumber }: Chosen,
  machine: number,
): Promise<World> => {
  const begin = now === undefined ? machine : momentMs(now);
  const world = await worldOf(wanted, { now: begin, number: seedNumber });
  return { ...world, time: { offset_ms: begin - machine, frozen_ms: frozen === true ? begin : null } };
};
