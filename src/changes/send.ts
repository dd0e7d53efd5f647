import type { ApiCall } from '../api/client.ts';
import type { Context } from '../context.ts';
import { Cancelled, EXIT, Failure, toFailureJson } from '../errors.ts';
import { lazy } from '../lazy.ts';
import type { Result } from '../output/result.ts';
import { isOtherRecord } from '../resources/reconcile/reconciler.ts';
import { checkAccepted } from './accepted.ts';
import type { Change } from './change.ts';
import type { LookResult } from './look-up.ts';
import type { Verdict } from './moved.ts';
import { classifyFailure } from './outcomes.ts';
import { createReconciliation, type Reconciliation, readBefore } from './reconcile.ts';
import { NOT_FOUND, type Observation, type SendResult } from './send-result.ts';
import { formatInspectHint } from './unknown-outcome.ts';

/** Why what was not begun after an interrupt was not sent. */
export const INTERRUPTED = 'interrupted; not sent';

export interface SendOneOptions {
  /**
   * Looks at the record, before the write where that is needed. Undefined: there is none.
   * @param anew whatever was read before: after it was refused
   */
  readonly look?: (anew?: boolean) => Promise<Observation | undefined>;
  /** Whether the write is only planned: then its record is looked at in any case. */
  readonly dryRun?: boolean;
  /** What must be known from before the write. Default: it is read now. */
  readonly before?: () => Promise<unknown>;
  readonly verify?: () => Promise<Verdict>;
  /** Told what is known from before, just before the write goes out. When it fails, nothing goes out. */
  readonly beforeSend?: (before: unknown, observation: Observation | undefined) => Promise<void>;
  /** Goes out with the request, so that the service's own log tells which write it was. */
  readonly requestId?: string | undefined;
  /** Whether a record of its like is as good: looked for when the service refuses to make another. */
  readonly takesAlike?: boolean | undefined;
}

/** @throws what is no `Failure`: a fault of ours */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  throw error;
};

export const createMissingResult = ({ call, target }: Pick<Change, 'call' | 'target'>): SendResult => ({
  result: { target, status: 'skipped', operation: call.operation.id, message: NOT_FOUND },
  missing: true,
});

/** The result of a write that the service's records show done, though its answer did not come. */
export const createDoneResult = (target: string, operation: string, why: string): Result => ({
  target,
  status: 'done',
  operation,
  message: `The response was lost (${why}), but the records show that it was done.`,
});

const toPlanned = (
  { redact }: ApiCall,
  base: Pick<Result, 'target' | 'operation'>,
  request: NonNullable<Result['request']>,
  observation: Observation | undefined,
): SendResult => {
  const { before, after, problem } = observation ?? {};
  const changed = { ...(before && { before }), ...(after === undefined ? {} : { after }) };
  // The request has been masked on its way.
  const masked = redact(changed) as typeof changed;
  const message =
    problem === undefined ? {} : { message: `The current record could not be read: ${problem}` };
  return { result: { ...base, status: 'planned', ...message, ...masked, request }, observation };
};

/** Whether it may have been refused because the record is as the write would make it, or one of its like is there. */
const isRefusal = (failure: Failure): boolean =>
  classifyFailure(failure) === 'refused' && failure.exit !== EXIT.notFound;

type SendContext = Pick<Context, 'api' | 'clock'>;

type RefusedWrite = Pick<SendOneOptions, 'look' | 'takesAlike'> & Pick<Change, 'call' | 'target'>;

/** What is so already where the service refused a write: somebody was faster. */
const findAlike = async (
  { api }: SendContext,
  { call, target, look, takesAlike }: RefusedWrite,
): Promise<SendResult | undefined> => {
  if ((await look?.(true))?.unchanged === true)
    return { result: { target, operation: call.operation.id, status: 'unchanged' } };
  if (takesAlike !== true) return undefined;
  const { createAlikeResult, findLikes } = await import('./if-missing.ts');
  const find = await findLikes(api, [call]).catch(toFailure);
  const record = find instanceof Failure ? undefined : find(call);
  return record && createAlikeResult({ call, target }, record);
};

/** What became of a write that ended with an error. @throws what is no `Failure`: a fault of ours */
const toFailedResult = async (
  context: SendContext,
  reconciliation: Reconciliation,
  write: RefusedWrite & { readonly before: unknown },
  error: unknown,
): Promise<SendResult> => {
  const { call, target, before } = write;
  const base = { target, operation: call.operation.id };
  const failure = toFailure(error);
  // An interrupt ends what has not left; a write on its way is finished.
  if (failure instanceof Cancelled) {
    return { result: { ...base, status: 'skipped', message: INTERRUPTED }, failure, unbegun: true };
  }
  const alike = isRefusal(failure) ? await findAlike(context, write) : undefined;
  if (alike !== undefined) return alike;
  const ended = { message: failure.message, error: toFailureJson(failure) };
  if (classifyFailure(failure) !== 'silence')
    return { result: { ...base, status: 'failed', ...ended }, failure };
  const open = { reconciliation, before, lostAt: context.clock.now(), failure };
  return { result: { ...base, status: 'unknown', ...ended }, failure, open };
};

/**
 * Sends one write once. What its answer leaves open is told as such (`settleOpen`). Nothing is sent where the record is
 * already as the write would make it, as far as that was looked at.
 */
export const sendOne = async (
  context: SendContext,
  { call, target }: Pick<Change, 'call' | 'target'>,
  options: SendOneOptions = {},
): Promise<SendResult> => {
  const { before: readKnown, beforeSend, look, verify, requestId, takesAlike, dryRun = false } = options;
  // An address may have a password in it.
  const base = { target: String(call.redact(target)), operation: call.operation.id };
  const reconciliation = await createReconciliation(context.api, call);
  let before: unknown;
  let observation: Observation | undefined;
  try {
    const verdict = await verify?.();
    if (verdict?.instead !== undefined) return verdict.instead;
    observation = verdict?.observation;
    const { first } = reconciliation.reconciler?.record ?? {};
    const isRecorded = requestId !== undefined;
    if (dryRun || first === true || (first === 'old-values' && isRecorded)) observation ??= await look?.();
    if (observation?.unchanged === true) return { result: { ...base, status: 'unchanged' }, observation };
    before = await (readKnown === undefined ? readBefore(reconciliation) : readKnown());
    const { message, data, planned } = await call.send({
      ...{ target, requestId },
      beforeSend: beforeSend && (() => beforeSend(before, observation)),
    });
    if (planned !== undefined) return toPlanned(call, base, planned, observation);
    const accepted: Result = {
      ...base,
      status: 'done',
      ...(message === undefined ? {} : { message }),
      data: isOtherRecord(call, data) ? null : data,
    };
    return { ...checkAccepted(reconciliation, accepted), observation };
  } catch (error) {
    const write = { call, target: base.target, before, look, takesAlike };
    return toFailedResult(context, reconciliation, write, error);
  }
};

type ReconcileReason = Parameters<Context['events']['reconciled']>[1];

/** `not-done` as a log has it. */
export const toReason = (shown: LookResult['shown']): ReconcileReason => {
  if (shown === 'done') return shown;
  return shown === 'not-done' ? 'not_done' : 'unknown';
};

/** As `sendOne`. A second Ctrl-C while the write is on its way says that nobody knows what becomes of it. */
export const sendWithExitNotice = (
  { exitNotices, ...context }: SendContext & Pick<Context, 'exitNotices'>,
  change: Pick<Change, 'call' | 'target'>,
  options: SendOneOptions = {},
): Promise<SendResult> => {
  let isSent = false;
  const beforeSend: SendOneOptions['beforeSend'] = async (before, observation) => {
    await options.beforeSend?.(before, observation);
    isSent = true;
  };
  const getNotice = () =>
    isSent
      ? {
          message: 'stopped during a write; its outcome is unknown',
          hint: formatInspectHint(change),
        }
      : undefined;
  const { requestId } = options;
  const send = async () => {
    const sent = await sendOne(context, change, { ...options, beforeSend });
    return requestId === undefined ? sent : { ...sent, requestId };
  };
  return exitNotices.during(getNotice, send, true);
};

/** Looks at the record of a change; what does that is loaded when it is needed. */
export const createLazyLook = (context: Context, calls: Iterable<ApiCall>) => {
  const look = lazy(async () => (await import('./effect.ts')).createLook(context, calls));
  return async ({ call, before }: Pick<Change, 'call' | 'before'>, anew = false) =>
    anew ? (await import('./effect.ts')).lookNow(context, call) : (await look())(call, before);
};

/** A result with the words for its target, where people read them. */
export const withLabel = async (
  context: Context,
  change: Pick<Change, 'label' | 'labelColumns' | 'call' | 'target'>,
  sent: SendResult,
): Promise<SendResult> => {
  const { label } = change;
  const { result, observation: { record } = {} } = sent;
  if (label !== undefined) return { ...sent, result: { ...result, label } };
  if (record === undefined || !context.settings.dryRun.value) return sent;
  const { describeRecord } = await import('./describe-change.ts');
  return { ...sent, result: { ...result, label: await describeRecord(context, change, record) } };
};
