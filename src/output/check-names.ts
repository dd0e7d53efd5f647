import { type NamedFields, resolveFieldNames } from './field-names.ts';
import type { Column } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** What the options name of an answer that is not there yet: a write is refused for it before it is sent. */

/** The members of a result, in the order in which they are printed. */
export const RESULT_MEMBERS = ['target', 'status', 'operation', 'message', 'data', 'request', 'error'];

/** One that says nothing of what others have. */
async function* unknownRow() {
  yield { rows: [{}], total: 1 };
}

/**
 * @param columns of the record that the service answers with; absent: results are the answer
 * @throws UsageError for names that no record and no result has
 */
export const checkNames = async (
  { options, query }: OutputContext,
  columns?: readonly Column[],
): Promise<void> => {
  const { columns: names = [], sort = [] } = options;
  const named: readonly NamedFields[] = [
    // After a query they are of its answer.
    { flag: '--columns', names: query === undefined ? names : [] },
    { flag: '--sort', names: sort.map(({ field }) => field) },
  ];
  // A dry run, and an outcome that is not known, answer a result in place of the record.
  const documented = async () =>
    columns === undefined ? RESULT_MEMBERS : [...((await options.documented?.()) ?? []), ...RESULT_MEMBERS];
  const { problem } = await resolveFieldNames(unknownRow(), { columns: columns ?? [], documented }, named);
  if (problem !== undefined) throw problem;
};
