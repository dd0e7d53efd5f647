import type { ListPage, Row } from '../../api/page.ts';
import { printChange } from '../../changes/report-one.ts';
import { pluralize } from '../../changes/run-summary.ts';
import type { Column, Context } from '../../context.ts';
import { formatInspect } from './target.ts';

/** How deliveries are shown: one after what was done to it, or many. */

export const deliveryColumns: readonly Column[] = [
  { field: 'event' },
  { field: 'status', kind: 'state' },
  { field: 'attempts', title: 'tries', kind: 'number' },
  { field: 'last_status', title: 'answer', sparse: true, drop: 1 },
  { field: 'next_attempt_at', title: 'next', kind: 'age', sparse: true, drop: 2 },
  { field: 'created_at', title: 'created', kind: 'age', drop: 3 },
  { field: 'reason', sparse: true, drop: 4 },
  { field: 'url', drop: 5 },
  { field: 'webhook_id', title: 'webhook', drop: 6 },
  { field: 'id' },
];

/** Members of a delivery in a list. */
export const deliveryFields = [...deliveryColumns.map(({ field }) => field), 'workspace_id'];

/** Prints the deliveries that were sent. @param emptyMessage where there are none */
export const printSentDeliveries = async (
  { output }: Pick<Context, 'output'>,
  sent: readonly object[],
  options: Readonly<Record<string, unknown>>,
  emptyMessage?: string,
): Promise<void> => {
  const printing = listDeliveries({ output }, sent, { emptyMessage });
  if (sent.length === 0) return printing;
  const text = `${pluralize(sent.length, ['delivery was', 'deliveries were'])} sent`;
  await printChange({ output }, printing, {
    text,
    inspectLine: formatInspect('webhooks deliveries', options),
  });
};

interface DeliveryListOptions {
  /** At most so many: the first. */
  readonly limit?: number | undefined;
  readonly emptyMessage?: string | undefined;
}

/** Prints deliveries as a list. */
export const listDeliveries = async (
  { output }: Pick<Context, 'output'>,
  found: readonly object[],
  { limit, emptyMessage }: DeliveryListOptions,
): Promise<void> => {
  const rows: Row[] = found.slice(0, limit).map((row) => ({ ...row }));
  const pages = async function* (): AsyncGenerator<ListPage> {
    yield { rows, total: found.length, shortened: rows.length < found.length };
  };
  const view = { noun: 'deliveries', columns: deliveryColumns };
  await output.list(pages(), emptyMessage === undefined ? view : { ...view, emptyMessage });
};
