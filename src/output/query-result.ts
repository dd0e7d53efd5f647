import { EXIT, Failure, OutputError } from '../outcome.ts';
import { writeQueryAnswer } from './answer.ts';
import type { Column } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** The result of a command that has been carried out, as its `--query` wants it. */

/** The same without `--query`, and without `--columns`, which are of its answer. */
const withoutQuery = (service: OutputContext): OutputContext => {
  const { columns: _columns, query: _query, ...options } = service.options;
  const context: OutputContext['context'] = (view) => ({ ...service.context(view), columns: undefined });
  return { ...service, query: undefined, options, context };
};

const toOutputError = (error: Failure): OutputError =>
  new OutputError(error.message, {
    code: error.code,
    exit: EXIT.fault,
    reason: error.reason,
    hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
    cause: error,
  });

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written.
 * @param writeAll writes the data with the context it is given, which has no query
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export const writeQueryResult = async (
  service: OutputContext,
  data: unknown,
  writeAll: (service: OutputContext) => Promise<void>,
  view: readonly Column[] = [],
): Promise<void> => {
  let answer: unknown;
  try {
    answer = service.query?.(data);
  } catch (error) {
    if (service.options.isRead === true || !(error instanceof Failure)) throw error;
    await writeAll(withoutQuery(service));
    throw toOutputError(error);
  }
  return writeQueryAnswer(service, answer, view);
};
