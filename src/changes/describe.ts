import type { Row } from '../api/page.ts';
import type { Column, Context } from '../context.ts';
import { SAMPLE } from './permit.ts';

/** Which of its targets a write describes in words, and to whom. */

/** Whether a person looks on: then the names behind ids are worth their requests. */
export const isWatched = ({ prompter, settings }: Context): boolean =>
  prompter.available && settings.output.value.shape === 'screen';

/** A dry run is there to be read, by whom it may be: of each is said what takes no look-ups of names. */
const isPlan = ({ settings }: Context, columns: readonly Column[]): boolean =>
  settings.dryRun.value &&
  settings.output.value.shape === 'screen' &&
  columns.every(({ load }) => load === undefined);

/** The rows of `--all` that a person reads about: all, for what became of them; else the sample above the question. */
export const rowsToDescribe = (
  context: Context,
  rows: readonly Row[],
  columns: readonly Column[],
): readonly Row[] => {
  if (isWatched(context) || isPlan(context, columns)) return rows;
  return context.prompter.available ? rows.slice(0, SAMPLE) : [];
};

/** Whether targets that were named are read for their words: before a question, and in a dry run. */
export const describesNamed = (
  context: Context,
  { asks, count, columns }: { asks: boolean; count: number; columns: readonly Column[] },
): boolean => {
  const { prompter, settings } = context;
  if (!asks && count < 2) return false;
  if (settings.dryRun.value) return isPlan(context, columns);
  return prompter.available && !settings.yes.value;
};
