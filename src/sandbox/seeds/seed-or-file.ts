import type { World } from '../world.ts';
import { SEEDS, seed } from './seed.ts';

/** A seed by name, or a seed file by its path (what has a `/`, a `\` or ends in `.json`). */
export const seedOrFile = async (name: string, now: number): Promise<World> => {
  const isFile = /[/\\]|\.json$/.test(name) && !SEEDS.some((known) => known === name);
  if (!isFile) return seed(name, { now });
  const { readSeedFile } = await import('./read-file.ts');
  return readSeedFile(name, { now });
};
