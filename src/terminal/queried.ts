import { EXIT, Failure, Unprinted } from '../outcome.ts';
import { writeAnswer } from './answer.ts';
import type { Desk } from './desk.ts';
import type { Column } from './list-view.ts';

/** The result of a command that has been carried out, as its `--query` wants it. */

/** The same without `--query`, and without `--columns`, which are of its answer. */
const plain = (desk: Desk): Desk => {
  const { columns: _columns, query: _query, ...options } = desk.options;
  const context: Desk['context'] = (view) => ({ ...desk.context(view), columns: undefined });
  return { ...desk, query: undefined, options, context };
};

const unfit = (error: Failure): Unprinted =>
  new Unprinted(error.message, {
    code: error.code,
    exit: EXIT.fault,
    reason: error.reason,
    hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
    cause: error,
  });

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written.
 * @param whole writes the data at a desk that has no query
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else Unprinted, for a query that cannot be used on the data
 */
export const writeQueried = async (
  desk: Desk,
  data: unknown,
  whole: (desk: Desk) => Promise<void>,
  view: readonly Column[] = [],
): Promise<void> => {
  let answer: unknown;
  try {
    answer = desk.query?.(data);
  } catch (error) {
    if (desk.options.reads === true || !(error instanceof Failure)) throw error;
    await whole(plain(desk));
    throw unfit(error);
  }
  return writeAnswer(desk, answer, view);
};
