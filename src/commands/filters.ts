import type { ListPage, Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Run } from '../run.ts';

/** Flags that choose among what `--all` finds, beside the parameters of the list. */
export const CHOOSING = ['member', 'where', 'except', 'clean'];
/** Those of them that keep a part; `--except` keeps nearly all. */
const NARROWING = ['member', 'where', 'clean'];

/**
 * Filters beside named targets would be without effect, and the person believes in them.
 * @param names of the list's parameters that are filters here
 * @param action what `--all` would do: `archive every viewer`
 * @throws UsageError for one that was given without `--all`
 */
export function checkFilters(
  names: readonly string[],
  values: Values,
  options: Readonly<Record<string, unknown>>,
  action: string,
): void {
  if (options.all === true) return;
  const choosing = CHOOSING.find((name) => options[name] !== undefined);
  if (choosing === undefined && names.every((name) => values[name] === undefined)) return;
  throw new UsageError(choosing === undefined ? 'filters need --all' : `--${choosing} needs --all`, {
    hint: `Omit ${choosing === undefined ? 'them' : 'it'}. To ${action} that ${choosing === undefined ? 'they match' : 'it matches'}, use --all; try it first with --all --dry-run`,
  });
}

/** `checkFilters` of what archives, which is bounded too. @throws UsageError */
export function checkArchive({ settings, invocation }: Run, ...args: Parameters<typeof checkFilters>): void {
  checkFilters(...args);
  if (!settings.dryRun.value && invocation.options.fromFile === undefined) requireFilterOrLimit(...args);
}

/**
 * `--all` without a filter would be the whole workspace, which is seldom meant where it is hard to take back. A dry
 * run may ask how many that is.
 * @param names of the list's parameters that are filters here
 * @param action what `--all` would do: `archive every viewer`
 * @throws UsageError for `--all` with neither a filter nor a bound
 */
function requireFilterOrLimit(
  names: readonly string[],
  values: Values,
  options: Readonly<Record<string, unknown>>,
  action: string,
): void {
  const isBounded = ['maxChanges', ...NARROWING].some((name) => options[name] !== undefined);
  if (options.all !== true || isBounded || names.some((name) => values[name] !== undefined)) return;
  throw new UsageError(`--all without a filter would ${action} of the workspace`, {
    hint: 'Add a filter, or set a limit with --max-changes. Use --dry-run to preview.',
  });
}

/** One record of a list, by the list's own filter; a service that does not know the filter gives others too. */
export async function findRow(pages: AsyncIterable<ListPage>, id: string): Promise<Row | undefined> {
  for await (const page of pages) return page.rows.find((row) => toText(row.id) === id);
  return undefined;
}
