import type { ApiCall } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { Cancelled, NetworkError, toFailureJson } from '../../outcome.ts';
import { checkAccepted } from '../accepted.ts';
import { runOrderedPool } from '../ordered-pool.ts';
import { createReconciliation, lookUpOutcome, type Reconciliation, type WriteOutcome } from '../reconcile.ts';
import { findCreatedId } from '../references.ts';
import { createDoneResult, toFailure, toReason } from '../send.ts';
import type { CircuitBreaker } from '../send-all.ts';
import type { SendResult } from '../send-result.ts';
import type { JobLog } from './log.ts';
import type { JobRowStatus } from './record.ts';

/** What the service's records say of the rows that were on their way when a run ended. */

const MAX_IN_FLIGHT = 8;

const WHY = 'the run ended before the response arrived';

const toUnknownResult = ({ target, operation, message, error }: JobRowStatus): SendResult => {
  const what = message ?? `${WHY}, and the records do not show the outcome`;
  const failure = new NetworkError(what, true, { code: 'unknown_outcome' });
  return {
    result: { target, status: 'unknown', operation, message: what, error: error ?? toFailureJson(failure) },
    failure,
  };
};

/** What became of a row that was sent; undefined where it is shown not done. */
const toSendResult = async (
  row: JobRowStatus,
  reconciliation: Reconciliation,
  { became, record }: WriteOutcome,
): Promise<SendResult | undefined> => {
  if (became === 'not-done') return undefined;
  if (became === 'unknown') return toUnknownResult(row);
  const shown = createDoneResult(row.target, row.operation, WHY);
  if (record === undefined) return { result: shown };
  const { result, failure } = await checkAccepted(reconciliation, { ...shown, data: record });
  const { data: _, ...withoutData } = result;
  const created = findCreatedId(reconciliation.call, [record]);
  return { result: withoutData, created, ...(failure && { failure }) };
};

const toUncheckedResult = ({ target, operation }: JobRowStatus): SendResult => ({
  result: { target, status: 'skipped', operation, message: 'not checked yet' },
});

/** Milliseconds until the time has passed in which the answer to the row would have been waited for. */
const getRemainingTimeout = ({ clock, settings }: Context, { sent }: JobRowStatus): number => {
  const timeoutMs = settings.timeoutSeconds.value * 1000;
  return Math.min(timeoutMs - (clock.now() - (sent?.at ?? 0)), timeoutMs);
};

/** The service may still be at work on what was sent just now: that it shows nothing then counts only later. */
const lookUpRow = async (
  context: Context,
  row: JobRowStatus,
  reconciliation: Reconciliation,
): Promise<WriteOutcome> => {
  const remainingMs = getRemainingTimeout(context, row);
  const first = await lookUpOutcome(reconciliation, row.sent?.before);
  if (first.became !== 'not-done' || remainingMs <= 0) return first;
  await pause(context, remainingMs);
  return lookUpOutcome(reconciliation, row.sent?.before);
};

const pause = async ({ clock, interrupted }: Context, ms: number): Promise<void> => {
  interrupted.throwIfAborted();
  await clock.sleep(ms, interrupted);
};

/**
 * Looks up each row. Given are those of which the records tell that they are done, those of which they cannot tell,
 * and those that could not be asked; what is shown not done is not among them: it is to be sent.
 */
export const reconcileRows = async (
  context: Context,
  rows: readonly JobRowStatus[],
  calls: ReadonlyMap<number, ApiCall>,
  breaker: CircuitBreaker,
  log: JobLog | undefined,
): Promise<ReadonlyMap<number, SendResult>> => {
  const results = new Map<number, SendResult>(rows.map((row) => [row.n, toUncheckedResult(row)]));
  const attempt = async (row: JobRowStatus): Promise<void> => {
    const call = calls.get(row.n);
    if (call === undefined) return;
    try {
      const reconciliation = await createReconciliation(context.api, call);
      const outcome = await lookUpRow(context, row, reconciliation);
      context.events.reconciled(row, toReason(outcome.became));
      const sent = await toSendResult(row, reconciliation, outcome);
      if (sent === undefined) results.delete(row.n);
      else results.set(row.n, sent);
      await log?.logReconciled(row.n, sent);
    } catch (error) {
      // An interrupt; the login has ended; the journal cannot be written.
      const failure = toFailure(error);
      if (!(failure instanceof Cancelled)) breaker.trip(failure);
    }
  };
  const stopped = (): boolean => context.interrupted.aborted || breaker.tripped !== undefined;
  const pool = runOrderedPool(rows, attempt, { width: MAX_IN_FLIGHT, ahead: MAX_IN_FLIGHT, stopped });
  while ((await pool.next()).done !== true);
  return results;
};
