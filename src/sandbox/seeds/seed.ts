import { Problem, suggestFrom } from '../basics.ts';
import type { World } from '../world.ts';
import type { SeedOptions } from './build.ts';

const MAX_MEMBERS = 200_000;

export const SEEDS: readonly string[] = ['demo', 'agency', 'month-end', 'messy', 'big', 'empty'];

/**
 * A fresh world by the name of a seed (`demo`, `big:50000`), or by the path of a seed file: what has a `/`, a `\` or
 * ends in `.json`. The same options give the same world.
 * @throws Problem for a name that is not known, with a suggestion; as `readSeedFile`
 */
export async function createSeed(name: string, options: SeedOptions): Promise<World> {
  // Mostly there is a state already.
  const { readSeedFile, seedBig, WORLDS } = await import('./staff.ts');
  if (/[/\\]|\.json$/.test(name)) return readSeedFile(name, options);
  const create = Object.hasOwn(WORLDS, name) ? WORLDS[name] : undefined;
  if (create !== undefined) return create(options);
  const [big, text = '5000'] = /^big(?::(.*))?$/.exec(name) ?? [];
  const size = Number(text);
  if (big === undefined) {
    const hint = suggestFrom(name, SEEDS).replace(/\.$/, ' or a file.');
    throw new Problem(`unknown seed: ${name}`, { hint });
  }
  if (Number.isInteger(size) && size >= 1 && size <= MAX_MEMBERS) return seedBig(options, size);
  throw new Problem(`big takes a number of members from 1 to ${MAX_MEMBERS}: ${text}`, {
    hint: 'For example big:50000.',
  });
}
