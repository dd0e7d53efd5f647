import { UsageError } from '../../outcome.ts';
import { parseDuration } from '../../parsing/duration.ts';
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
    hint: `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Known: ${SEEDS.join(', ')}, simulate:4w; or a file.`,
  });
};

/** `simulate:4w`, `simulate:agency:4w`: another seed, and people at work in it for so long, until now. */
const createSimulatedSeed = async (name: string, { now, ...rest }: SeedOptions): Promise<World> => {
  const parts = name.split(':').slice(1);
  const duration = parts.pop() ?? '';
  const base = parts.length === 0 ? 'demo' : parts.join(':');
  const { checkSpan, simulate } = await import('../simulation/simulate.ts');
  const from = now - checkSpan(parseDuration(duration));
  const world = await createSeed(base, { now: from, ...rest });
  simulate(world, { from, to: now });
  return { ...world, seed: name };
};

/**
 * A fresh world by the name of a seed (`demo`, `big:50000`, `simulate:4w` …). The same options give the same world.
 * @throws UsageError for a name that is not known, with a suggestion.
 */
export const createSeed = async (name: string, options: SeedOptions): Promise<World> => {
  const [kind = '', size] = name.split(':');
  if (kind === 'simulate') return createSimulatedSeed(name, options);
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
