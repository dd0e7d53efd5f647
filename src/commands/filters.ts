import type { Values } from '../api/plan.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../outcome.ts';

/** The filters of `--all`. */

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
  throw new UsageError('filters need --all', {
    hint: `Omit them. To ${all} that they match, preview with: --all --dry-run`,
  });
};

/**
 * `--all` without a filter would be the whole workspace, which is seldom meant where it is hard to take back. A dry
 * run may ask how many that is.
 * @param names of the list's parameters that are filters here
 * @param all what `--all` would do: `archive every viewer`
 * @throws UsageError for `--all` with neither a filter nor a bound
 */
const checkWide = (
  names: readonly string[],
  values: Values,
  options: Readonly<Record<string, unknown>>,
  all: string,
): void => {
  const bounded = options.maxChanges !== undefined;
  if (options.all !== true || bounded || names.some((name) => values[name] !== undefined)) return;
  throw new UsageError(`--all without a filter would ${all} of the workspace`, {
    hint: 'Add a filter, or set a limit with --max-changes. Use --dry-run to preview.',
  });
};

/** `checkFilters` of what archives, which is bounded too. @throws UsageError */
export const checkArchive = (
  { settings, sheet }: Pick<Context, 'settings' | 'sheet'>,
  ...given: Parameters<typeof checkFilters>
): void => {
  checkFilters(...given);
  if (!settings.dryRun.value && sheet === undefined) checkWide(...given);
};
