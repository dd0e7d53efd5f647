import type { World } from '../world.ts';
import { createSeed, SEEDS } from './seed.ts';

/** Whether a seed is named by the path of a file: what has a `/`, a `\` or ends in `.json`. */
export const isSeedFile = (name: string): boolean =>
  /[/\\]|\.json$/.test(name) && !SEEDS.some((seed) => seed === name);

/** A seed by name, or a seed file by its path. */
export const loadSeed = async (name: string, now: number): Promise<World> => {
  if (!isSeedFile(name)) return createSeed(name, { now });
  const { readSeedFile } = await import('./read-file.ts');
  return readSeedFile(name, { now });
};
