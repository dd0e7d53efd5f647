import type { Context } from '../context.ts';
import { UsageError } from '../outcome.ts';

/** Targets as people write them: arguments, or `-` for one on each line of stdin. */
export const readTargets = async (context: Context, named: readonly string[]): Promise<readonly string[]> => {
  if (!named.includes('-')) return named;
  if (named.length > 1) throw new UsageError('- (stdin) cannot be mixed with other targets');
  const lines = (await context.stdin()).replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '');
};
