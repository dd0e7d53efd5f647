import type { Context } from '../context.ts';
import { UsageError } from '../outcome.ts';

/** Targets as people write them: arguments, or `-` for one on each line of stdin. */
export const readTargets = async (context: Context, named: readonly string[]): Promise<readonly string[]> => {
  if (!named.includes('-')) return named;
  if (named.length > 1) throw new UsageError('- (stdin) cannot be mixed with other targets');
  const lines = (await context.stdin()).replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '');
};

/** @throws UsageError for a person where a record is named that has an id alone */
export const checkTarget = (
  { noun, resolve }: { readonly noun: readonly [string, string]; readonly resolve?: unknown },
  target: string,
): void => {
  if (resolve !== undefined || !target.includes('@')) return;
  throw new UsageError(`"${target}" is an e-mail address, and ${noun[1]} are named by id`, {
    hint: 'The ids stand in the list of them.',
  });
};
