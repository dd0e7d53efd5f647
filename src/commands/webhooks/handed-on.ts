import type { Row } from '../../api/page.ts';
import { endOf, type Tally } from '../../changes/tally.ts';
import type { Context } from '../../context.ts';
import { textOf } from '../../json/text.ts';
import type { Failure } from '../../outcome.ts';

/** How a listener ends that was to take so many deliveries: by what became of them, as `webhooks replay` does. */

/** So many rows, added up. */
export async function* handedOn(
  rows: AsyncIterable<Row>,
  limit: number,
  failureOf: (row: Row) => Failure | undefined,
  tally: Tally,
): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of rows) {
    const failure = failureOf(row);
    if (failure === undefined) tally.done.push(textOf(row['id']));
    else tally.failures.push(failure);
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

const WORDS = { verb: ['forward', 'forwarded'], noun: ['delivery', 'deliveries'] } as const;
const AGAIN = 'Forward them again with: ttctl webhooks replay <id>';

/** @throws Failure where one was not handed on; not after Ctrl-C, by which a listener is ended */
export const endOfHandingOn = (context: Context, tally: Tally): void => {
  if (context.interrupted.aborted) return;
  const count = tally.done.length + tally.failures.length;
  const end = endOf(context, { tally, count, words: WORDS, job: { hint: AGAIN } });
  if (end !== undefined) throw end;
};
