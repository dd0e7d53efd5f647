import type { Call } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { Cancelled, failureJson, NetworkError } from '../../outcome.ts';
import { notSaved } from '../not-saved.ts';
import { overlapped } from '../overlap.ts';
import { lookUp, type Settled } from '../reconcile.ts';
import { type Reconciliation, reconciliationOf } from '../saved.ts';
import { asFailure, type Sent, shownDone } from '../send.ts';
import type { Brake } from '../send-all.ts';
import type { JobLog } from './log.ts';
import type { RowNow } from './record.ts';

/** What the service's records say of the rows that were on their way when a run ended. */

const OVERLAP = 8;

const WHY = 'the run ended before the response arrived';

const unknown = ({ target, operation, message, error }: RowNow): Sent => {
  const what = message ?? `${WHY}, and the records do not tell`;
  const failure = new NetworkError(what, true, { code: 'unknown_outcome' });
  return {
    result: { target, status: 'unknown', operation, message: what, error: error ?? failureJson(failure) },
    failure,
  };
};

const halfSaved = ({ target, operation }: RowNow, reconciliation: Reconciliation, found: Settled): Sent => {
  const failure = notSaved(reconciliation, target, found, undefined);
  const { message } = failure;
  return {
    result: { target, status: 'failed', operation, message, error: failureJson(failure) },
    failure,
  };
};

/** What became of a row that was sent; undefined where it is shown not done. */
const sentBefore = (row: RowNow, reconciliation: Reconciliation, found: Settled): Sent | undefined => {
  if (found.became === 'not-done') return undefined;
  if (found.became === 'unknown') return unknown(row);
  if (found.became === 'not-saved') return halfSaved(row, reconciliation, found);
  return { result: shownDone(row.target, row.operation, WHY) };
};

const notAsked = ({ target, operation }: RowNow): Sent => ({
  result: { target, status: 'skipped', operation, message: 'not checked yet' },
});

/** Milliseconds until the time has passed in which the answer to the row would have been waited for. */
const restOf = ({ clock, settings }: Context, { sent }: RowNow): number => {
  const patience = settings.timeoutSeconds.value * 1000;
  return Math.min(patience - (clock.now() - (sent?.at ?? 0)), patience);
};

/** The service may still be at work on what was sent just now: that it shows nothing then counts only later. */
const lookedUp = async (context: Context, row: RowNow, reconciliation: Reconciliation): Promise<Settled> => {
  const rest = restOf(context, row);
  const first = await lookUp(reconciliation, row.sent?.before);
  // The service said that it made the record: it is not sent again, whatever its lists show.
  if (first.became === 'not-done' && row.error?.['created'] !== undefined) return { became: 'unknown' };
  if (first.became !== 'not-done' || rest <= 0) return first;
  await pause(context, rest);
  return lookUp(reconciliation, row.sent?.before);
};

const pause = async ({ clock, interrupted }: Context, ms: number): Promise<void> => {
  interrupted.throwIfAborted();
  await clock.sleep(ms, interrupted);
};

/**
 * Looks up each row. Given are those of which the records tell that they are done, those of which they cannot tell,
 * and those that could not be asked; what is shown not done is not among them: it is to be sent.
 */
export const settleRows = async (
  context: Context,
  rows: readonly RowNow[],
  calls: ReadonlyMap<number, Call>,
  brake: Brake,
  log: JobLog | undefined,
): Promise<ReadonlyMap<number, Sent>> => {
  const settled = new Map<number, Sent>(rows.map((row) => [row.n, notAsked(row)]));
  const attempt = async (row: RowNow): Promise<void> => {
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
      const failure = asFailure(error);
      if (!(failure instanceof Cancelled)) brake.pull(failure);
    }
  };
  const stopped = (): boolean => context.interrupted.aborted || brake.pulled !== undefined;
  const ended = overlapped(rows, attempt, { width: OVERLAP, ahead: OVERLAP, stopped });
  while ((await ended.next()).done !== true);
  return settled;
};
