import type { Row } from '../../api/page.ts';
import { createRunFailure, type RunSummary } from '../../changes/run-summary.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import type { Failure } from '../../outcome.ts';

/** The result of a listener with `--limit`: what became of its deliveries, as `webhooks replay` reports it. */

/** Yields at most `limit` rows, and adds each to the summary. */
export async function* countForwarded(
  rows: AsyncIterable<Row>,
  limit: number,
  getFailure: (row: Row) => Failure | undefined,
  summary: RunSummary,
): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of rows) {
    const failure = getFailure(row);
    if (failure === undefined) summary.done.push(toText(row['id']));
    else summary.failures.push(failure);
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

const WORDS = { verb: ['forward', 'forwarded'], noun: ['delivery', 'deliveries'] } as const;
const REPLAY_HINT = 'Forward them again with: ttctl webhooks replay <id>';

/** @throws Failure where a delivery could not be forwarded; not after Ctrl-C, which ends a listener */
export const createForwardingFailure = (context: Context, summary: RunSummary): void => {
  if (context.interrupted.aborted) return;
  const count = summary.done.length + summary.failures.length;
  const failure = createRunFailure(context, { summary, count, words: WORDS, job: { hint: REPLAY_HINT } });
  if (failure !== undefined) throw failure;
};
