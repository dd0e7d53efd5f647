import { allOperations } from '../../api/operations.ts';
import type { ListPage, Row } from '../../api/page.ts';
import type { Column, Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { findNearest } from '../../parsing/names.ts';
import { createChangeColumn } from '../change-column.ts';

/** How the history is listed. */

export const createEntryColumns = (context: Context): readonly Column[] => [
  { field: 'time', kind: 'age', drop: 2 },
  { field: 'status', kind: 'state' },
  { field: 'operation', drop: 1 },
  { field: 'label', title: 'record', show: ({ label, target }) => label ?? target, least: 20 },
  createChangeColumn(context),
  { field: 'target', drop: 3 },
  { field: 'id', short: true },
];

/** Words for `--operation`. */
export const listOperationWords = (): readonly string[] => [
  ...allOperations().flatMap(({ id, method }) => (method === 'GET' ? [] : [id])),
  'api',
];

/** @throws UsageError for what is no operation */
export const checkOperation = (operation: string | undefined): void => {
  if (operation === undefined || listOperationWords().includes(operation)) return;
  const nearest = findNearest(operation, listOperationWords());
  throw new UsageError(`--operation: "${operation}" is not an operation that writes`, {
    hint: nearest === undefined ? 'Use one such as timesheets.approve, or api.' : `Did you mean ${nearest}?`,
  });
};

/** Rows of one page: enough that it matters little, and few enough to begin with soon. */
const PAGE = 100;

/** Read only as far as they are wanted: there may be very many. */
export async function* paginate(
  entries: Iterable<Row>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<ListPage> {
  let rows: Row[] = [];
  let count = 0;
  for (const entry of entries) {
    if (count >= limit) {
      yield { rows, total: undefined, shortened: true };
      return;
    }
    rows.push(entry);
    count += 1;
    if (rows.length < PAGE) continue;
    yield { rows, total: undefined };
    rows = [];
  }
  yield { rows, total: count };
}
