import type { Context } from '../context.ts';
import { Cancelled, EXIT, Failure, toFailureJson } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { isOtherRecord } from '../resources/proof.ts';
import { checkAccepted, toFailure } from './accepted.ts';
import type { Change, Observation, Reconciliation, SendResult } from './change.ts';
import { lookNow } from './look.ts';
import { classifyFailure } from './outcomes.ts';
import { createAlikeResult, createReconciliation, findLikes, formatInspectHint } from './proof.ts';

/** Sends one write. */

/** Why what was not begun after an interrupt was not sent. */
export const INTERRUPTED = 'interrupted; not sent';

export interface SendOneOptions {
  /** Looks at the record, before the write where that is needed. Undefined: there is none. */
  readonly look: () => Promise<Observation | undefined>;
  /** What must be known from before the write. */
  readonly readBefore: () => Promise<unknown>;
  /** What was seen of a record that has to be as it was; or what becomes of the change in place of being sent. */
  readonly verify?: (() => Promise<Observation | SendResult | undefined>) | undefined;
  /** Told what is known from before, just before the write goes out. When it fails, nothing goes out. */
  readonly beforeSend: (before: unknown, observation: Observation | undefined) => Promise<void>;
  /** Goes out with the request, so that the service's own log tells which write it was. Absent: it is not recorded. */
  readonly requestId: string | undefined;
  /** Whether a record of its like is as good: looked for when the service refuses to make another. */
  readonly takesAlike: boolean;
}

type SendContext = Pick<Context, 'api' | 'clock' | 'names' | 'settings' | 'exitNotices'>;

/**
 * Sends a write once. What its answer leaves open is told as such (`settleOpen`). Nothing is sent where the record is
 * already as the write would make it, as far as that was looked at.
 */
export async function sendOne(
  context: SendContext,
  change: Change,
  options: SendOneOptions,
): Promise<SendResult> {
  const { requestId } = options;
  let isSent = false;
  const beforeSend: SendOneOptions['beforeSend'] = async (before, observation) => {
    await options.beforeSend(before, observation);
    isSent = true;
  };
  // A second Ctrl-C while the write is on its way says that nobody knows what becomes of it.
  const getNotice = () =>
    isSent
      ? { message: 'stopped during a write; its outcome is unknown', hint: formatInspectHint(change) }
      : undefined;
  const send = () => sendUnlessSo(context, change, { ...options, beforeSend });
  const sent = await context.exitNotices.during(getNotice, send, true);
  return requestId === undefined ? sent : { ...sent, requestId };
}

async function sendUnlessSo(
  context: SendContext,
  change: Change,
  { look, readBefore, verify, beforeSend, requestId, takesAlike }: SendOneOptions,
): Promise<SendResult> {
  const { call, target } = change;
  // An address may have a password in it.
  const base = { target: String(call.redact(target)), operation: call.operation.id };
  const reconciliation = await createReconciliation(context.api, call);
  let before: unknown;
  try {
    let observation = await verify?.();
    if (observation !== undefined && 'result' in observation) return observation;
    const { first } = reconciliation.reconciler?.record ?? {};
    const isLookedAt = first === true || (first === 'old-values' && requestId !== undefined);
    if (context.settings.dryRun.value || isLookedAt) observation ??= await look();
    if (observation?.unchanged === true) return { result: { ...base, status: 'unchanged' }, observation };
    before = await readBefore();
    const { message, data, planned } = await call.send({
      ...{ target, requestId },
      beforeSend: () => beforeSend(before, observation),
    });
    if (planned !== undefined) return toPlanned(change, base, planned, observation);
    const accepted: Result = {
      ...base,
      status: 'done',
      ...(message === undefined ? {} : { message }),
      data: isOtherRecord(call, data) ? null : data,
    };
    return { ...checkAccepted(reconciliation, accepted), observation };
  } catch (error) {
    const failure = toFailure(error);
    const alike = isRefusal(failure) ? await findAlike(context, change, base, takesAlike) : undefined;
    return alike ?? toFailed(base, failure, reconciliation, { before, lostAt: context.clock.now() });
  }
}

type Base = Pick<Result, 'target' | 'operation'>;

function toPlanned(
  { call }: Change,
  base: Base,
  request: NonNullable<Result['request']>,
  observation: Observation | undefined,
): SendResult {
  const { before, after, problem } = observation ?? {};
  const changed = { ...(before && { before }), ...(after === undefined ? {} : { after }) };
  // The request has been masked on its way.
  const masked = call.redact(changed) as typeof changed;
  const message =
    problem === undefined ? {} : { message: `The current record could not be read: ${problem}` };
  return { result: { ...base, status: 'planned', ...message, ...masked, request }, observation };
}

/** Whether it may have been refused because the record is as the write would make it, or one of its like is there. */
function isRefusal(failure: Failure): boolean {
  if (failure instanceof Cancelled) return false;
  return classifyFailure(failure) === 'refused' && failure.exit !== EXIT.notFound;
}

/** What is so already where the service refused a write: somebody was faster. */
async function findAlike(
  context: SendContext,
  { call }: Change,
  base: Base,
  takesAlike: boolean,
): Promise<SendResult | undefined> {
  if ((await lookNow(context, call))?.unchanged === true) return { result: { ...base, status: 'unchanged' } };
  if (!takesAlike) return undefined;
  const find = await findLikes(context.api, [call]).catch(toFailure);
  const record = find instanceof Failure ? undefined : find(call);
  return record && createAlikeResult({ call, target: base.target }, record);
}

/** What became of a write that ended with a failure. */
function toFailed(
  base: Base,
  failure: Failure,
  reconciliation: Reconciliation,
  known: { readonly before: unknown; readonly lostAt: number },
): SendResult {
  // An interrupt ends what has not left; a write on its way is finished.
  if (failure instanceof Cancelled)
    return { result: { ...base, status: 'skipped', message: INTERRUPTED }, failure, unbegun: true };
  const ended = { message: failure.message, error: toFailureJson(failure) };
  if (classifyFailure(failure) !== 'silence')
    return { result: { ...base, status: 'failed', ...ended }, failure };
  const open = { reconciliation, lost: { ...known, failure } };
  return { result: { ...base, status: 'unknown', ...ended }, failure, open };
}

/** Old values that an undo cannot send, for the API cannot make a field empty. */
export function formatUnset(unset: readonly string[]): string {
  return `the API cannot clear ${unset.join(', ')}`;
}

/** The result of such an undo, which is no better than the truth: it is not called done. */
export function withUnsetFields(sent: SendResult, unset: readonly string[] = []): SendResult {
  const { result } = sent;
  if (unset.length === 0 || !['done', 'planned'].includes(result.status)) return sent;
  if (result.status === 'planned')
    return { ...sent, unset, result: { ...result, message: formatUnset(unset) } };
  const failure = new Failure(`only partly undone: ${formatUnset(unset)}`, {
    code: 'not_undone',
    exit: EXIT.partial,
    hint: 'The other fields were restored.',
  });
  const { message } = failure;
  const error = toFailureJson(failure);
  return { ...sent, failure, result: { ...result, status: 'failed', message, error } };
}
