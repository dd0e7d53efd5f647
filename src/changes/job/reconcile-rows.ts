import type { ApiCall } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { Cancelled, NetworkError, parseFailureJson } from '../../outcome.ts';
import { createReconciliation } from '../reconcile.ts';
import { toFailure } from '../send.ts';
import type { CircuitBreaker } from '../send-all.ts';
import { findCreatedId, type OpenResult, type SendResult } from '../send-result.ts';
import { settleOpen } from '../settle.ts';
import type { JobLog } from './log.ts';
import type { JobRowStatus } from './record.ts';

/** What the service's records say of the rows that were on their way when a run ended. */

const ENDED = new NetworkError('the run ended before the response arrived', true, {
  code: 'unknown_outcome',
});

function toUncheckedResult({ target, operation }: JobRowStatus): SendResult {
  return { result: { target, status: 'skipped', operation, message: 'not checked yet' } };
}

/** The row as its run left it: its answer was lost, or the run ended before it came. */
function toOpenResult(
  { target, operation, message, error, sent, lost }: JobRowStatus,
  reconciliation: Awaited<ReturnType<typeof createReconciliation>>,
): OpenResult {
  const { code, exit, message: text, reason, details } = parseFailureJson({ message, ...error }, ENDED);
  const failure = new NetworkError(text, true, { code, ...(reason && { reason }), details });
  const lostAt = lost ?? sent?.at ?? 0;
  return {
    result: { target, status: 'unknown', operation },
    failure: exit === failure.exit ? failure : ENDED,
    open: { reconciliation, before: sent?.before, lostAt, failure },
  };
}

/**
 * Looks up the rows together: at once, and what is shown not done once more when `settle` has passed. Given are those
 * of which the records tell that they are done, those of which they cannot tell, and those that could not be asked;
 * what is shown not done is not among them: it is to be sent.
 */
export async function reconcileRows(
  context: Context,
  rows: readonly JobRowStatus[],
  calls: ReadonlyMap<number, ApiCall>,
  breaker: CircuitBreaker,
  log: JobLog | undefined,
): Promise<ReadonlyMap<number, SendResult>> {
  const results = new Map<number, SendResult>(rows.map((row) => [row.n, toUncheckedResult(row)]));
  const open = new Map<OpenResult, { readonly row: JobRowStatus; readonly call: ApiCall }>();
  for (const row of rows) {
    const call = calls.get(row.n);
    if (call === undefined) continue;
    open.set(toOpenResult(row, await createReconciliation(context.api, call)), { row, call });
  }
  try {
    await settleOpen(
      context,
      [...open.keys()],
      async (sent, final) => {
        const { row, call } = open.get(sent) ?? {};
        if (row === undefined) return;
        if (final.isNotDone === true) results.delete(row.n);
        else {
          const { data: _, ...result } = final.result;
          results.set(row.n, { ...final, result, created: findCreatedId(call, final.result.data) });
        }
        await log?.logReconciled(row.n, final.isNotDone === true ? undefined : results.get(row.n));
      },
      { isResumed: true },
    );
  } catch (error) {
    // The sign-in has ended; the journal cannot be written.
    const failure = toFailure(error);
    if (!(failure instanceof Cancelled)) breaker.trip(failure);
  }
  return results;
}
