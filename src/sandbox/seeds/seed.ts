import { UsageError } from '../../outcome.ts';
import { parseDuration } from '../../parsing/duration.ts';
import { findNearestWord } from '../dialect.ts';
import type { World } from '../world.ts';
import type { SeedOptions } from './builder.ts';

export const SEEDS = ['demo', 'agency', 'month-end', 'messy', 'big', 'empty'] as const;

const MOST_MEMBERS = 200_000;

const bigSize = (text: string | undefined): number => {
  const size = text === undefined ? 5000 : Number(text);
  if (!Number.isInteger(size) || size < 1 || size > MOST_MEMBERS) {
    throw new UsageError(`big takes a number of members from 1 to ${MOST_MEMBERS}: ${text ?? ''}`, {
      hint: 'For example big:50000.',
    });
  }
  return size;
};

const unknownSeed = (name: string): UsageError => {
  const meant = findNearestWord(name, SEEDS);
  return new UsageError(`unknown seed: ${name}`, {
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}Known: ${SEEDS.join(', ')}, simulate:4w; or a file.`,
  });
};

/** `simulate:4w`, `simulate:agency:4w`: another seed, and people at work in it for so long, until now. */
const lived = async (name: string, { now, ...more }: SeedOptions): Promise<World> => {
  const words = name.split(':').slice(1);
  const duration = words.pop() ?? '';
  const base = words.length === 0 ? 'demo' : words.join(':');
  const { checkSpan, simulate } = await import('../simulation/simulate.ts');
  const from = now - checkSpan(parseDuration(duration));
  const world = await createSeed(base, { now: from, ...more });
  simulate(world, { from, to: now });
  return { ...world, seed: name };
};

/**
 * A fresh world by the name of a seed (`demo`, `big:50000`, `simulate:4w` …). The same options give the same world.
 * @throws UsageError for a name that is not known, with a suggestion.
 */
export const createSeed = async (name: string, options: SeedOptions): Promise<World> => {
  const [kind = '', size] = name.split(':');
  if (kind === 'simulate') return lived(name, options);
  if (size !== undefined && kind !== 'big') throw unknownSeed(name);
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
      return (await import('./big.ts')).seedBig(options, bigSize(size));
    default:
      throw unknownSeed(name);
  }
};
