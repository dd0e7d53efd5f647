import type { Row } from '../../api/page.ts';
import { createRunFailure, type RunSummary } from '../../changes/run-summary.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import type { Failure } from '../../outcome.ts';

/** The result of a listener with `--limit`: what became of its deliveries, as `webhooks replay` reports it. */

/** Yields at most `limit` deliveries, further attempts beside them, and adds what became of each to the summary. */
export async function* countForwarded(
  rows: AsyncIterable<Row>,
  limit: number,
  getFailure: (row: Row) => Failure | undefined,
  summary: RunSummary,
): AsyncGenerator<Row> {
  const ends = new Map<unknown, Row>();
  let count = 0;
  for await (const row of rows) {
    if (!ends.has(row['key']) || row['repeat'] === true) count += 1;
    // A later attempt takes the place of an earlier one.
    ends.set(row['key'], row);
    yield row;
    if (count >= limit) break;
  }
  for (const row of ends.values()) {
    const failure = getFailure(row);
    if (failure === undefined) summary.done.push(toText(row['id']));
    else summary.failures.push(failure);
  }
}

const WORDS = { verb: ['forward', 'forwarded'], noun: ['delivery', 'deliveries'] } as const;
const REPLAY_HINT =
  'The next listener that forwards tries them again. To do it now: ttctl webhooks replay <id>';

/** @throws Failure where a delivery could not be forwarded; not after Ctrl-C, which ends a listener */
export const createForwardingFailure = (context: Context, summary: RunSummary): void => {
  if (context.interrupted.aborted) return;
  const count = summary.done.length + summary.failures.length;
  const failure = createRunFailure(context, { summary, count, words: WORDS, job: { hint: REPLAY_HINT } });
  if (failure !== undefined) throw failure;
};
