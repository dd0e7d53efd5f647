import type { Column } from '../context.ts';
import type { Selected } from './change.ts';

/** What is said of a record when its write is done: what it was before must not pass for what it is. */

/** What a write changes, or time does. */
const CHANGING: ReadonlySet<unknown> = new Set(['state', 'age', 'list', 'status', 'created_at']);

/** Whether a column is still true of a record after the write. */
export const isLasting = ({ field, kind }: Column): boolean => !CHANGING.has(kind) && !CHANGING.has(field);

/** A target as the question has it without what may not be true any more. */
export const keepLastingWords = (selected: Selected): Selected => {
  const { words, columns = [] } = selected;
  const isKept = (_: string, i: number): boolean => columns[i] === undefined || isLasting(columns[i]);
  return { ...selected, words: words.filter(isKept) };
};
