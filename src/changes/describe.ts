import type { Row } from '../api/page.ts';
import type { Column, Context } from '../context.ts';
import { ApiError } from '../outcome.ts';
import type { Selected, WriteMany } from './change.ts';

/** Which of its targets a write describes in words, to whom, and how. */

/** So many are shown before the question. */
export const SAMPLE_SIZE = 5;

/** Whether a person looks on: then the names behind ids are worth their requests. */
const isWatched = ({ prompter, settings }: Context): boolean =>
  prompter.available && settings.output.value.shape === 'screen';

/** Whether results are told with the words of their targets. */
export const labels = (context: Context): boolean => isWatched(context) || context.settings.dryRun.value;

/** A dry run is there to be read, by whom it may be: of each is said what takes no look-ups of names. */
const isPlan = ({ settings }: Context, columns: readonly Column[]): boolean =>
  settings.dryRun.value &&
  settings.output.value.shape === 'screen' &&
  columns.every(({ load }) => load === undefined);

/** The rows of `--all` that a person reads about: all, for what became of them; else the sample above the question. */
const rowsToDescribe = (
  context: Context,
  rows: readonly Row[],
  columns: readonly Column[],
): readonly Row[] => {
  if (isWatched(context) || isPlan(context, columns)) return rows;
  return context.prompter.available ? rows.slice(0, SAMPLE_SIZE) : [];
};

/** The rows of `--all` that a person reads about, in words. */
export const describeRows = (
  context: Context,
  rows: readonly Row[],
  columns: readonly Column[],
): Promise<readonly (readonly string[])[]> =>
  context.output.inWords(rowsToDescribe(context, rows, columns), columns);

/** Whether targets that were named are read for their words: before a question, and in a dry run. */
const describesNamed = (
  context: Context,
  { asks = false }: Pick<WriteMany, 'asks'>,
  { count, columns }: { readonly count: number; readonly columns: readonly Column[] },
): boolean => {
  const { prompter, settings } = context;
  if (!asks && count < 2) return false;
  if (settings.dryRun.value) return isPlan(context, columns);
  return prompter.available && !settings.yes.value;
};

/** The first targets with their records in words, but those that are known. Who may not read them is asked about ids. */
export const describeNamed = async <V>(
  context: Context,
  work: WriteMany<V>,
  targets: readonly Selected[],
): Promise<readonly Selected[]> => {
  const { row: find, columns } = work.shown ?? work.all ?? {};
  if (find === undefined || columns === undefined) return targets;
  if (!describesNamed(context, work, { count: targets.length, columns })) return targets;
  try {
    const unknown = ({ id }: Selected) => (context.picked.has(id) ? undefined : find(id));
    const rows = await Promise.all(targets.slice(0, SAMPLE_SIZE).map(unknown));
    const found = rows.filter((row) => row !== undefined);
    const words = await context.output.inWords(found, columns);
    return targets.map((target, i) => {
      const before = rows[i];
      const known = before === undefined ? undefined : words[found.indexOf(before)];
      return known === undefined ? target : { ...target, before, words: known };
    });
  } catch (error) {
    if (error instanceof ApiError) return targets;
    throw error;
  }
};

/** The words of a target without what it is called by already. */
export const labelOf = ({ target, id, words }: Selected): string | undefined => {
  const rest = words.filter((word) => word !== target && word !== id && word !== '').join('  ');
  return rest === '' ? undefined : rest;
};
