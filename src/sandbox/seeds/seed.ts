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
  if (/[/\\]|\.json$/.test(name)) return (await import('./file.ts')).readSeedFile(name, options);
  const [kind = '', text] = name.split(':');
  if (!SEEDS.includes(kind) || (text !== undefined && kind !== 'big')) {
    const hint = suggestFrom(name, SEEDS).replace(/\.$/, ' or a file.');
    throw new Problem(`unknown seed: ${name}`, { hint });
  }
  if (kind === 'demo') return (await import('./demo.ts')).seedDemo(options);
  const seeds = await import('./staff.ts');
  if (kind === 'empty') return seeds.seedEmpty(options);
  if (kind === 'agency') return seeds.seedAgency(options);
  if (kind === 'month-end') return seeds.seedMonthEnd(options);
  if (kind === 'messy') return seeds.seedMessy(options);
  const size = Number(text ?? 5000);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_MEMBERS) return seeds.seedBig(options, size);
  throw new Problem(`big takes a number of members from 1 to ${MAX_MEMBERS}: ${text}`, {
    hint: 'For example big:50000.',
  });
}
