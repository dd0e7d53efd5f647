import type { Values } from '../api/plan.ts';
import { UsageError } from '../outcome.ts';

/**
 * Filters beside named targets would be without effect, and the person believes in them.
 * @param names of the list's parameters that are filters here
 * @param all what `--all` would do: `archive every viewer`
 * @throws UsageError for one that was given without `--all`
 */
export const checkFilters = (
  names: readonly string[],
  values: Values,
  options: Readonly<Record<string, unknown>>,
  all: string,
): void => {
  if (options.all === true || names.every((name) => values[name] === undefined)) return;
  throw new UsageError('filters are for --all', {
    hint: `Add --all to ${all} that they match, or leave them out.`,
  });
};
