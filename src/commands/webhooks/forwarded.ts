import type { Row } from '../../api/page.ts';
import { createRunFailure, type RunSummary } from '../../changes/run-summary.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import type { Failure } from '../../outcome.ts';

/** How a listener ends that was to take so many deliveries: by what became of them, as `webhooks replay` does. */

/** So many rows, added up. */
export async function* countForwarded(
  rows: AsyncIterable<Row>,
  limit: number,
  failureOf: (row: Row) => Failure | undefined,
  summary: RunSummary,
): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of rows) {
    const failure = failureOf(row);
    if (failure === undefined) summary.done.push(toText(row['id']));
    else summary.failures.push(failure);
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

const WORDS = { verb: ['forward', 'forwarded'], noun: ['delivery', 'deliveries'] } as const;
const AGAIN = 'Forward them again with: ttctl webhooks replay <id>';

/** @throws Failure where one was not handed on; not after Ctrl-C, by which a listener is ended */
export const createForwardingFailure = (context: Context, summary: RunSummary): void => {
  if (context.interrupted.aborted) return;
  const count = summary.done.length + summary.failures.length;
  const end = createRunFailure(context, { summary, count, words: WORDS, job: { hint: AGAIN } });
  if (end !== undefined) throw end;
};
