import { UsageError } from '../../outcome.ts';
import { findNearestWord } from '../dialect.ts';
import type { World } from '../world.ts';
import type { SeedOptions } from './builder.ts';

export const SEEDS = ['demo', 'agency', 'month-end', 'messy', 'big', 'empty'] as const;

const MAX_MEMBERS = 200_000;

const parseSize = (text: string | undefined): number => {
  const size = text === undefined ? 5000 : Number(text);
  if (!Number.isInteger(size) || size < 1 || size > MAX_MEMBERS) {
    throw new UsageError(`big takes a number of members from 1 to ${MAX_MEMBERS}: ${text ?? ''}`, {
      hint: 'For example big:50000.',
    });
  }
  return size;
};

const createUnknownSeedError = (name: string): UsageError => {
  const suggestion = findNearestWord(name, SEEDS);
  return new UsageError(`unknown seed: ${name}`, {
    hint: `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Known: ${SEEDS.join(', ')} or a file.`,
  });
};

/**
 * A fresh world by the name of a seed (`demo`, `big:50000` …). The same options give the same world.
 * @throws UsageError for a name that is not known, with a suggestion.
 */
export const createSeed = async (name: string, options: SeedOptions): Promise<World> => {
  const [kind = '', size] = name.split(':');
  if (size !== undefined && kind !== 'big') throw createUnknownSeedError(name);
  switch (kind) {
    case 'demo':
      return (await import('./demo.ts')).seedDemo(options);
    case 'agency':
      return (await import('./agency.ts')).seedAgency(options);
    case 'month-end':
      return (await import('./agency.ts')).seedMonthEnd(options);
    case 'messy':
      return (await import('./messy.ts')).seedMessy(options);
    case 'empty':
      return (await import('./demo.ts')).seedEmpty(options);
    case 'big':
      return (await import('./agency.ts')).seedBig(options, parseSize(size));
    default:
      throw createUnknownSeedError(name);
  }
};

/** Whether a seed is named by the path of a file: what has a `/`, a `\` or ends in `.json`. */
export const isSeedFile = (name: string): boolean =>
  /[/\\]|\.json$/.test(name) && !SEEDS.some((seed) => seed === name);

/** A seed by name, or a seed file by its path. */
export const loadSeed = async (name: string, now: number): Promise<World> => {
  if (!isSeedFile(name)) return createSeed(name, { now });
  const { readSeedFile } = await import('./file.ts');
  return readSeedFile(name, { now });
};
