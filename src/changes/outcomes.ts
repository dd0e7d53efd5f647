import { Cancelled, EXIT, Failure, hasUnknownOutcome, toFailureJson } from '../errors.ts';
import type { Result } from '../output/result.ts';
import type { Change, Observation, Reconciliation, SendResult } from './change.ts';

/**
 * What becomes of a write: by its answer, by whether it makes a record, and by what looking for it showed. Everything
 * that reports, stores, feeds back or resumes a write reads this table.
 */

export type Answer =
  /** 2xx whose `success` is not false: with a record, without one, without a body. */
  | 'accepted'
  /** The same with a record that shows another state than was asked for. */
  | 'other_state'
  /** The same, and the record shows no such rate. */
  | 'rate_dropped'
  /** Refused for what it says: 400, 404, 409, 422, any other 4xx, `success: false`. */
  | 'refused'
  /** 401 after renewal, 403: the row is right, this sign-in is not. */
  | 'not_allowed'
  /** 429 after waiting. */
  | 'rate_limited'
  /** It did not leave: DNS, connection refused, TLS, proxy, this machine. */
  | 'not_sent'
  /** Reset, time-out, truncated, 5xx, a page that is not the API's: it may have been done, or be done in a moment. */
  | 'silence';

/** `creation`: a second one would make a second record. */
export type WriteKind = 'creation' | 'change';

/**
 * What looking at the service's records showed. `none`: nothing was looked at. `alike`: the record is so already, or
 * one of its like is there. `unclear`: the records do not tell. `unread`: they could not be read. `interrupted`: a
 * signal ended the wait.
 */
export type Shown = 'none' | 'alike' | 'done' | 'not-done' | 'unclear' | 'unread' | 'interrupted';

export interface OutcomeRule {
  readonly status: 'done' | 'unchanged' | 'failed' | 'unknown';
  /** Of a write alone. `own`: the failure's. */
  readonly exit: 0 | 6 | 7 | 'own';
  /**
   * What is advised. `own`: what the answer itself leads to. `exists`: not to make it again. `resume`: to look again,
   * which sends only what is then shown not done. `check`: to look by hand.
   */
  readonly hint: 'none' | 'own' | 'exists' | 'resume' | 'check';
  /** Whether its row is in the file of failed rows, to be corrected and fed back. */
  readonly fedBack: boolean;
  /** What `jobs resume` does: `look` waits for the rest of `settle`, looks, and sends what is shown not done. */
  readonly resume: 'nothing' | 'send' | 'look';
}

const DONE: OutcomeRule = { status: 'done', exit: 0, hint: 'none', fedBack: false, resume: 'nothing' };
const ALIKE: OutcomeRule = { ...DONE, status: 'unchanged' };
const WRONG: OutcomeRule = { status: 'failed', exit: 'own', hint: 'own', fedBack: true, resume: 'nothing' };
const LATER: OutcomeRule = { ...WRONG, fedBack: false, resume: 'send' };
const OPEN: OutcomeRule = { status: 'unknown', exit: 7, hint: 'resume', fedBack: false, resume: 'look' };
const UNCLEAR: OutcomeRule = { ...OPEN, hint: 'check' };

/** Silence is not no: what is not shown done stays open, and is never said to be safe to send again. */
const SILENCE = { done: DONE, 'not-done': OPEN, unclear: UNCLEAR, unread: OPEN, interrupted: OPEN };

export const OUTCOMES = {
  accepted: { creation: { none: DONE }, change: { none: DONE } },
  // A new record is in whatever state it begins with.
  other_state: { change: { none: { ...WRONG, exit: 6 } } },
  rate_dropped: {
    creation: { none: { ...WRONG, exit: 6, hint: 'exists', fedBack: false } },
    change: { none: { ...WRONG, exit: 6 } },
  },
  refused: { creation: { none: WRONG, alike: ALIKE }, change: { none: WRONG, alike: ALIKE } },
  not_allowed: { creation: { none: LATER }, change: { none: LATER } },
  rate_limited: { creation: { none: LATER }, change: { none: LATER } },
  not_sent: { creation: { none: LATER }, change: { none: LATER } },
  silence: { creation: SILENCE, change: SILENCE },
} as const satisfies Readonly<
  Record<Answer, Readonly<Partial<Record<WriteKind, Readonly<Partial<Record<Shown, OutcomeRule>>>>>>>
>;

export function findRule(answer: Answer, effect: WriteKind, shown: Shown = 'none'): OutcomeRule {
  const rules: Partial<Record<WriteKind, Partial<Record<Shown, OutcomeRule>>>> = OUTCOMES[answer];
  const rule = rules[effect]?.[shown];
  if (rule === undefined) throw new Error(`no outcome for ${answer}, ${effect}, ${shown}`);
  return rule;
}

/** What a failure was an answer of. @param failure of a write, or the form of one that a journal has */
export function classifyFailure(failure: Pick<Failure, 'code' | 'exit'> | Failure): Answer {
  if (hasUnknownOutcome(failure)) return 'silence';
  if (failure.code === 'not_saved') return 'rate_dropped';
  if (failure.code === 'rate_limited') return 'rate_limited';
  if (failure.exit === EXIT.signedOut || failure.exit === EXIT.forbidden) return 'not_allowed';
  return failure.exit === EXIT.tryLater || failure.exit === EXIT.fault ? 'not_sent' : 'refused';
}

/** Refusals that would meet every row: nothing is gained by sending the others. */
export function endsRun({ code, exit }: Pick<Failure, 'code' | 'exit'>): boolean {
  return exit === EXIT.signedOut || code === 'insufficient_scope';
}

/**
 * Seconds after which what was lost is looked at for the last time: a new record may appear until `settle` has passed;
 * a change is there at once, or nobody can tell.
 */
export function getLastLook(effect: WriteKind, settle: number): number {
  return effect === 'creation' ? settle : Math.min(1, settle);
}

/** What a result begins with. */
type Base = Pick<Result, 'target' | 'operation'>;

/** @param more message, data, error */
export function resultOf(
  { target, call }: Pick<Change, 'target' | 'call'>,
  status: Result['status'],
  more: Partial<Result> = {},
): Result {
  return { target, status, operation: call.operation.id, ...more };
}

/** Why what was not begun after an interrupt was not sent. */
export const INTERRUPTED = 'interrupted; not sent';

/** @param request has been masked on its way */
export function toPlanned(
  { call }: Change,
  base: Base,
  request: NonNullable<Result['request']>,
  observation: Observation | undefined,
): SendResult {
  const { before, after, problem } = observation ?? {};
  const changed = { ...(before && { before }), ...(after === undefined ? {} : { after }) };
  const masked = call.redact(changed) as typeof changed;
  const message =
    problem === undefined ? {} : { message: `The current record could not be read: ${problem}` };
  return { result: { ...base, status: 'planned', ...message, ...masked, request }, observation };
}

/** Whether it may have been refused because the record is as the write would make it, or one of its like is there. */
export function isRefusal(failure: Failure): boolean {
  if (failure instanceof Cancelled) return false;
  return classifyFailure(failure) === 'refused' && failure.exit !== EXIT.notFound;
}

/** What became of a write that ended with a failure. */
export function toFailed(
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
