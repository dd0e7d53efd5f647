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
      return (await import('./month-end.ts')).seedMonthEnd(options);
    case 'messy':
      return (await import('./messy.ts')).seedMessy(options);
    case 'empty':
      return (await import('./empty.ts')).seedEmpty(options);
    case 'big':
      return (await import('./big.ts')).seedBig(options, parseSize(size));
    default:
      throw createUnknownSeedError(name);
  }
};
