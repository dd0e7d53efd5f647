import { EXIT, Failure, OutputError } from '../outcome.ts';
import { writeQueryAnswer } from './answer.ts';
import type { Column } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** The result of a command that has been carried out, as its `--query` wants it. */

/** The same without `--query`, and without `--columns`, which are of its answer. */
const plain = (service: OutputContext): OutputContext => {
  const { columns: _columns, query: _query, ...options } = service.options;
  const context: OutputContext['context'] = (view) => ({ ...service.context(view), columns: undefined });
  return { ...service, query: undefined, options, context };
};

const unfit = (error: Failure): OutputError =>
  new OutputError(error.message, {
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
export const writeQueryResult = async (
  service: OutputContext,
  data: unknown,
  whole: (service: OutputContext) => Promise<void>,
  view: readonly Column[] = [],
): Promise<void> => {
  let answer: unknown;
  try {
    answer = service.query?.(data);
  } catch (error) {
    if (service.options.reads === true || !(error instanceof Failure)) throw error;
    await whole(plain(service));
    throw unfit(error);
  }
  return writeQueryAnswer(service, answer, view);
};
