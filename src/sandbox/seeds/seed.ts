import { UsageError } from '../../errors.ts';
import { findNearest } from '../../parsing/text.ts';
import type { World } from '../world.ts';
import type { SeedOptions } from './build.ts';

const MAX_MEMBERS = 200_000;

export const SEEDS: readonly string[] = ['demo', 'agency', 'month-end', 'messy', 'big', 'empty'];

/**
 * A fresh world by the name of a seed (`demo`, `big:50000` …). The same options give the same world.
 * @throws UsageError for a name that is not known, with a suggestion.
 */
export async function createSeed(name: string, options: SeedOptions): Promise<World> {
  const [kind = '', size] = name.split(':');
  if (!SEEDS.includes(kind) || (size !== undefined && kind !== 'big')) throw createUnknownSeedError(name);
  if (kind === 'demo' || kind === 'empty') {
    const { seedDemo, seedEmpty } = await import('./demo.ts');
    return kind === 'demo' ? seedDemo(options) : seedEmpty(options);
  }
  const seeds = await import('./staff.ts');
  if (kind === 'agency') return seeds.seedAgency(options);
  if (kind === 'month-end') return seeds.seedMonthEnd(options);
  return kind === 'messy' ? seeds.seedMessy(options) : seeds.seedBig(options, parseSize(size));
}

function parseSize(text = '5000'): number {
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_MEMBERS) return size;
  throw new UsageError(`big takes a number of members from 1 to ${MAX_MEMBERS}: ${text}`, {
    hint: 'For example big:50000.',
  });
}

function createUnknownSeedError(name: string): UsageError {
  if (/^simulate(:|$)/.test(name)) {
    const hint = 'Use demo: it has ten weeks of timesheets.';
    return new UsageError('the seed simulate is no longer available', { hint });
  }
  const nearest = findNearest(name, SEEDS);
  return new UsageError(`unknown seed: ${name}`, {
    hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Known: ${SEEDS.join(', ')} or a file.`,
  });
}

/** Whether a seed is named by the path of a file: what has a `/`, a `\` or ends in `.json`. */
export function isSeedFile(name: string): boolean {
  return /[/\\]|\.json$/.test(name) && !SEEDS.includes(name);
}

/** A seed by name, or a seed file by its path. */
export async function loadSeed(name: string, now: number): Promise<World> {
  if (!isSeedFile(name)) return createSeed(name, { now });
  const { readSeedFile } = await import('./file.ts');
  return readSeedFile(name, { now });
}
