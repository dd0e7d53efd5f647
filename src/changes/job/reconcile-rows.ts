import type { ApiCall } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { Cancelled, NetworkError, toFailureJson } from '../../outcome.ts';
import { type Reconciliation, reconciliationOf } from '../find-unsaved.ts';
import { createNotSavedError } from '../not-saved.ts';
import { lookUpOutcome, type Settled } from '../reconcile.ts';
import { createDoneResult, type SendResult, toFailure } from '../send.ts';
import { type CircuitBreaker, runOrderedPool } from '../send-all.ts';
import type { JobLog } from './log.ts';
import type { JobRowStatus } from './record.ts';

/** What the service's records say of the rows that were on their way when a run ended. */

const OVERLAP = 8;

const WHY = 'the run ended before the response arrived';

const unknown = ({ target, operation, message, error }: JobRowStatus): SendResult => {
  const what = message ?? `${WHY}, and the records do not tell`;
  const failure = new NetworkError(what, true, { code: 'unknown_outcome' });
  return {
    result: { target, status: 'unknown', operation, message: what, error: error ?? toFailureJson(failure) },
    failure,
  };
};

const halfSaved = (
  { target, operation }: JobRowStatus,
  reconciliation: Reconciliation,
  found: Settled,
): SendResult => {
  const failure = createNotSavedError(reconciliation, target, found, undefined);
  const { message } = failure;
  return {
    result: { target, status: 'failed', operation, message, error: toFailureJson(failure) },
    failure,
  };
};

/** What became of a row that was sent; undefined where it is shown not done. */
const sentBefore = (
  row: JobRowStatus,
  reconciliation: Reconciliation,
  found: Settled,
): SendResult | undefined => {
  if (found.became === 'not-done') return undefined;
  if (found.became === 'unknown') return unknown(row);
  if (found.became === 'not-saved') return halfSaved(row, reconciliation, found);
  return { result: createDoneResult(row.target, row.operation, WHY) };
};

const notAsked = ({ target, operation }: JobRowStatus): SendResult => ({
  result: { target, status: 'skipped', operation, message: 'not checked yet' },
});

/** Milliseconds until the time has passed in which the answer to the row would have been waited for. */
const restOf = ({ clock, settings }: Context, { sent }: JobRowStatus): number => {
  const patience = settings.timeoutSeconds.value * 1000;
  return Math.min(patience - (clock.now() - (sent?.at ?? 0)), patience);
};

/** The service may still be at work on what was sent just now: that it shows nothing then counts only later. */
const lookedUp = async (
  context: Context,
  row: JobRowStatus,
  reconciliation: Reconciliation,
): Promise<Settled> => {
  const rest = restOf(context, row);
  const first = await lookUpOutcome(reconciliation, row.sent?.before);
  // The service said that it made the record: it is not sent again, whatever its lists show.
  if (first.became === 'not-done' && row.error?.['created'] !== undefined) return { became: 'unknown' };
  if (first.became !== 'not-done' || rest <= 0) return first;
  await pause(context, rest);
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
  const settled = new Map<number, SendResult>(rows.map((row) => [row.n, notAsked(row)]));
  const attempt = async (row: JobRowStatus): Promise<void> => {
    const call = calls.get(row.n);
    if (call === undefined) return;
    try {
      const reconciliation = await reconciliationOf(context.api, call);
      const found = await lookedUp(context, row, reconciliation);
      const sent = sentBefore(row, reconciliation, found);
      if (sent === undefined) settled.delete(row.n);
      else settled.set(row.n, sent);
      await log?.settled(row.n, sent);
    } catch (error) {
      // An interrupt; the login has ended; the journal cannot be written.
      const failure = toFailure(error);
      if (!(failure instanceof Cancelled)) breaker.trip(failure);
    }
  };
  const stopped = (): boolean => context.interrupted.aborted || breaker.tripped !== undefined;
  const ended = runOrderedPool(rows, attempt, { width: OVERLAP, ahead: OVERLAP, stopped });
  while ((await ended.next()).done !== true);
  return settled;
};
