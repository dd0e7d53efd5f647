import type { Operation } from '../api/operation.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { getParentName } from '../cli/command.ts';
import { type Flag, formatLongFlag, getOptionKey } from '../cli/flag.ts';
import type { Invocation } from '../cli/invocation.ts';
import { listDestinationFlags } from '../config/command-line.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { UsageError } from '../outcome.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';
import { ARCHIVED } from '../resources/resource.ts';
import { findTransition } from '../resources/transitions.ts';
import { FILTERS } from './flags.ts';

/** The filters of `--all`. */

/**
 * Filters beside named targets would be without effect, and the person believes in them.
 * @param names of the list's parameters that are filters here
 * @param action what `--all` would do: `archive every viewer`
 * @throws UsageError for one that was given without `--all`
 */
export const checkFilters = (
  names: readonly string[],
  values: Values,
  options: Readonly<Record<string, unknown>>,
  action: string,
): void => {
  if (options.all === true || names.every((name) => values[name] === undefined)) return;
  throw new UsageError('filters need --all', {
    hint: `Omit them. To ${action} that they match, preview with: --all --dry-run`,
  });
};

/**
 * `--all` without a filter would be the whole workspace, which is seldom meant where it is hard to take back. A dry
 * run may ask how many that is.
 * @param names of the list's parameters that are filters here
 * @param action what `--all` would do: `archive every viewer`
 * @throws UsageError for `--all` with neither a filter nor a bound
 */
const requireFilterOrLimit = (
  names: readonly string[],
  values: Values,
  options: Readonly<Record<string, unknown>>,
  action: string,
): void => {
  const hasLimit = options.maxChanges !== undefined;
  if (options.all !== true || hasLimit || names.some((name) => values[name] !== undefined)) return;
  throw new UsageError(`--all without a filter would ${action} of the workspace`, {
    hint: 'Add a filter, or set a limit with --max-changes. Use --dry-run to preview.',
  });
};

/** `checkFilters` of what archives, which is bounded too. @throws UsageError */
export const checkArchive = (
  { settings, inputFile }: Pick<Context, 'settings' | 'inputFile'>,
  ...args: Parameters<typeof checkFilters>
): void => {
  checkFilters(...args);
  if (!settings.dryRun.value && inputFile === undefined) requireFilterOrLimit(...args);
};

/** `--query` beside `--all`: whoever writes it means to choose records with it, and it would choose none. */

/** Of what is archived no state tells. */
const getPastParticiple = ({ id }: Operation): string => findTransition(id)?.transition.verb[1] ?? ARCHIVED;

type Settings = Context['settings'];

/** The flags of the command line as it has them, but `--all`. */
const formatFlags = (
  { typed, options }: Invocation,
  isIncluded: (flag: Flag) => boolean,
): readonly string[] =>
  typed.flatMap((flag) => {
    if (flag.name === 'all' || !isIncluded(flag)) return [];
    const value = options[getOptionKey(flag)];
    const long = formatLongFlag(flag);
    if (typeof value === 'boolean') return [long];
    return [value].flat().flatMap((one) => [long, quoteShellWord(String(one))]);
  });

/** The same in two steps: exactly what the list shows is acted on. */
const formatListAndWrite = (invocation: Invocation, settings: Settings): string => {
  const { query, yes } = settings;
  const { command } = invocation;
  const noun = getParentName(command);
  const {
    from,
    oneByOne: { list: listPath, write: writePath } = { list: `${noun} list`, write: command.path },
  } = command;
  const isFilter = ({ group }: Flag): boolean => group === FILTERS;
  const isDestination = ({ name }: Flag): boolean => name === 'project' || name === 'url';
  const destination = listDestinationFlags(settings).map(quoteShellWord);
  const filters = formatFlags(invocation, (flag) => isFilter(flag) || isDestination(flag));
  const state = from === undefined || filters.includes('--status') ? [] : ['--status', from];
  const listArgs = [...filters, ...state, '--query', quoteShellWord(query?.value ?? ''), '--output ids'];
  const writeArgs = formatFlags(invocation, (flag) => !isFilter(flag));
  const list = ['ttctl', listPath, ...listArgs, ...destination].join(' ');
  const write = ['ttctl', writePath, '-', ...writeArgs, ...(yes.value ? ['--yes'] : []), ...destination];
  return `${list} | ${write.join(' ')}`;
};

/** @throws UsageError for a write over all that a list finds with a query */
export const checkAllQuery = (invocation: Invocation, settings: Settings): void => {
  if (settings.query === undefined || invocation.options.all !== true) return;
  const { operation } = invocation.command;
  if (operation?.method === 'GET') return;
  const pastVerb = operation === undefined ? 'done' : getPastParticiple(operation);
  throw new UsageError(`--query filters the output, not what is ${pastVerb}`, {
    code: 'query_with_all',
    reason: '--all applies to every record that the filters match, whatever the query shows.',
    hint: `List the records and pass their ids: ${formatListAndWrite(invocation, settings)}`,
  });
};

/** One record of a list, by the list's own filter; a service that does not know the filter gives others too. */
export const findRow = async (pages: AsyncIterable<ListPage>, id: string): Promise<Row | undefined> => {
  for await (const page of pages) return page.rows.find((row) => toText(row.id) === id);
  return undefined;
};
