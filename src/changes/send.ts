import type { Api } from '../api/client.ts';
import type { Context, TargetResult } from '../context.ts';
import { Cancelled, Failure, toFailureJson } from '../outcome.ts';
import type { Change } from './change.ts';
import {
  createReconciliation,
  isOtherRecord,
  type Reconciliation,
  readAnswerRecord,
} from './find-unsaved.ts';
import { checkDone, readBefore, reconcile, type WriteOutcome } from './reconcile.ts';
import { explainUnknownOutcome, formatInspectHint } from './unknown-outcome.ts';

/** A result, and the failure behind it where there is one. */
export interface SendResult {
  readonly result: TargetResult;
  readonly failure?: Failure;
  /** Not begun, because the whole run ended: people are told so once, by the end of the run. */
  readonly unbegun?: true;
  /** Why the answer to what is done did not come. */
  readonly lostAnswer?: Failure;
}

/** Why what was not begun after an interrupt was not sent. */
export const INTERRUPTED = 'interrupted; not sent';

export interface SendOneOptions {
  /** What must be known from before the write. Default: it is read now. */
  readonly before?: () => Promise<unknown>;
  /** Told what is known from before, just before the write goes out. When it fails, nothing goes out. */
  readonly beforeSend?: (before: unknown) => Promise<void>;
}

/** @throws what is no `Failure`: a fault of ours */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  throw error;
};

/** The result of a write that the service's records show done, though its answer did not come. */
export const createDoneResult = (target: string, operation: string, why: string): TargetResult => ({
  target,
  status: 'done',
  operation,
  message: `The response was lost (${why}), but the records show that it was done.`,
});

/** Of a write that was carried out, and not all of whose fields are known to be saved. */
const toUnsaved = async (
  { target, operation, data }: TargetResult,
  reconciliation: Reconciliation,
  outcome: WriteOutcome,
): Promise<SendResult> => {
  const { createNotSavedError, mergeCurrentRecord } = await import('./not-saved.ts');
  const answer = readAnswerRecord(reconciliation.call, data);
  const failure = createNotSavedError(reconciliation, target, outcome, answer);
  const status = outcome.became === 'unknown' ? 'unknown' : 'failed';
  const current = mergeCurrentRecord(answer, outcome);
  const shown = current === undefined ? {} : { data: current };
  return {
    result: { target, status, operation, message: failure.message, ...shown, error: toFailureJson(failure) },
    failure,
  };
};

/** Sends one write once, and tells what became of it. After a lost answer the service's records are read. */
export const sendOne = async (
  api: Api,
  { call, target }: Pick<Change, 'call' | 'target'>,
  { before: readKnown, beforeSend }: SendOneOptions = {},
): Promise<SendResult> => {
  const base = { target, operation: call.operation.id };
  const reconciliation = await createReconciliation(api, call);
  let before: unknown;
  try {
    before = await (readKnown === undefined ? readBefore(reconciliation) : readKnown());
    const sendOptions = beforeSend === undefined ? undefined : { beforeSend: () => beforeSend(before) };
    const { message, data, planned } = await call.send(sendOptions);
    if (planned !== undefined) return { result: { ...base, status: 'planned', request: planned } };
    const accepted: TargetResult = {
      ...base,
      status: 'done',
      ...(message === undefined ? {} : { message }),
      data: isOtherRecord(call, data) ? null : data,
    };
    const outcome = await checkDone(reconciliation, before, data);
    if (outcome.became === 'done') return { result: accepted };
    return await toUnsaved(accepted, reconciliation, outcome);
  } catch (error) {
    const failure = toFailure(error);
    // An interrupt ends what has not left; a write on its way is finished.
    if (failure instanceof Cancelled) {
      return { result: { ...base, status: 'skipped', message: INTERRUPTED }, failure, unbegun: true };
    }
    const outcome = await reconcile(reconciliation, before, error);
    const { became, record, fields } = outcome;
    if (fields !== undefined) return toUnsaved({ ...base, status: 'failed' }, reconciliation, outcome);
    if (became === 'done') {
      const shown = createDoneResult(target, base.operation, failure.message);
      return { result: record === undefined ? shown : { ...shown, data: record }, lostAnswer: failure };
    }
    const status = became === 'unknown' ? 'unknown' : 'failed';
    const end = explainUnknownOutcome(failure, { call, target }, outcome);
    return { result: { ...base, status, message: end.message, error: toFailureJson(end) }, failure: end };
  }
};

/** As `sendOne`. A second Ctrl-C while the write is on its way says that nobody knows what becomes of it. */
export const sendWithExitNotice = (
  { api, exitNotices }: Pick<Context, 'api' | 'exitNotices'>,
  change: Pick<Change, 'call' | 'target'>,
  options: SendOneOptions = {},
): Promise<SendResult> => {
  let isSent = false;
  const beforeSend = async (before: unknown): Promise<void> => {
    await options.beforeSend?.(before);
    isSent = true;
  };
  const getNotice = () =>
    isSent
      ? {
          message: 'stopped during a write; its outcome is unknown',
          hint: formatInspectHint(change),
        }
      : undefined;
  const send = () => sendOne(api, change, { ...options, beforeSend });
  return exitNotices.during(getNotice, send, true);
};
