import type { Failure } from '../outcome.ts';
import type { Change, ChangeOfRun } from './change.ts';
import { toFailure } from './send.ts';
import type { Observation, SendResult } from './send-result.ts';

/** Where a run writes down what it does. */
export interface RunLog {
  /**
   * The row is about to go out. Its end means that this is on the disk.
   * @param known what the proof needs from before the write, and what was seen of the record
   */
  beforeSend(
    row: Change & Pick<ChangeOfRun, 'n' | 'resolved'>,
    known: { readonly before: unknown; readonly observation: Observation | undefined },
  ): Promise<void>;
  /** What became of the row. */
  logResult(n: number, sent: SendResult): Promise<void>;
}

/** The row has its result all the same; that it could not be written down ends the run. */
export const writeDown = async (
  { n }: Pick<ChangeOfRun, 'n'>,
  sent: SendResult,
  { log, breaker }: { readonly log?: RunLog | undefined; readonly breaker: { trip(failure: Failure): void } },
): Promise<SendResult> => {
  await log?.logResult(n, sent).catch((error: unknown) => breaker.trip(toFailure(error)));
  return sent;
};
