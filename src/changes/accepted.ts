import type { ApiCall } from '../api/client.ts';
import { LIST_FROM, Lists } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import { Cancelled, EXIT, Failure, hasUnknownOutcome, toFailureJson } from '../errors.ts';
import { isNumber, isRecord, stringifyJson, toText } from '../json.ts';
import type { Result } from '../output/result.ts';
import { isSameValue } from '../parsing/names.ts';
import { isOtherRecord, listDifferingFields } from '../resources/proof.ts';
import type { Run } from '../run.ts';
import type { Change, Observation, OpenResult, Reconciliation, SendResult } from './change.ts';

/**
 * A write that the service accepted is done. Its answer is held against what was asked for at no cost; only a rate,
 * which the service drops without a word for people who may not view rates (docs/service.md, Rates), is looked up.
 */

/** @param accepted with the record of the answer as its data @returns done, or the failure; `open`: its rate is not shown */
export function checkAccepted(reconciliation: Reconciliation, accepted: Result): SendResult {
  const { call, reconciler } = reconciliation;
  const answer = readAnswerRecord(call, accepted.data);
  const state = answer && reconciler?.contradicts?.(answer, call.values);
  if (state !== undefined) return toNotSaved(reconciliation, accepted, answer, state);
  const result = withDifferences(reconciliation, accepted, answer);
  if (reconciler?.rate === undefined || call.values.rate === undefined) return { result };
  if (answer === undefined || reconciler.rate.own(answer) == null)
    return { result, open: { reconciliation } };
  return judgeRate(reconciliation, result, answer);
}

export type AcceptedContext = Pick<Run, 'clock' | 'interrupted'>;

const RATE_MS = 3000;

/**
 * Looks up the rates that no answer showed: those of a run by the pages of their list; one that differs once more
 * after a while, since a list may be older than the write.
 */
export async function checkRates(
  context: AcceptedContext,
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult) => Promise<void>,
): Promise<void> {
  let rest = open;
  for (const isLast of [false, true]) {
    const records = await readRates(rest, context.clock);
    const differing: OpenResult[] = [];
    for (const sent of rest) {
      const record = records.get(sent);
      const final = record instanceof Failure ? unchecked(sent, record.message) : toJudged(sent, record);
      if (final.failure !== undefined && !isLast) differing.push(sent);
      else await settle(sent, final);
    }
    if (differing.length === 0) return;
    rest = differing;
    if (await sleepUnlessInterrupted(RATE_MS, context)) {
      for (const sent of rest) await settle(sent, unchecked(sent, 'interrupted'));
      return;
    }
  }
}

/** @returns whether a signal ended it */
export async function sleepUnlessInterrupted(
  ms: number,
  { clock, interrupted }: AcceptedContext,
): Promise<boolean> {
  if (interrupted.aborted || ms <= 0) return interrupted.aborted;
  await clock.sleep(ms, interrupted).catch((error: unknown) => {
    if (!interrupted.aborted) throw error;
  });
  return interrupted.aborted;
}

function unchecked({ result }: OpenResult, why?: string): SendResult {
  const text = 'the rate could not be checked';
  return { result: addWarning(result, 'not_checked', why === undefined ? text : `${text}: ${why}`) };
}

function toJudged(sent: OpenResult, record: Row | undefined): SendResult {
  const { reconciliation } = sent.open;
  if (record === undefined) return unchecked(sent);
  const answer = readAnswerRecord(reconciliation.call, sent.result.data);
  const { result, failure } = judgeRate(reconciliation, sent.result, { ...answer, ...record });
  return failure === undefined ? { result } : { result, failure };
}

/** The records as they are now; why one could not be read; undefined where there is none. */
async function readRates(
  open: readonly OpenResult[],
  clock: Run['clock'],
): Promise<ReadonlyMap<OpenResult, Row | Failure | undefined>> {
  const idOf = ({ result, open: { reconciliation } }: OpenResult): string | undefined => {
    const { call, reconciler } = reconciliation;
    return reconciler?.rate?.id(call.values, readAnswerRecord(call, result.data));
  };
  const records = new Map<OpenResult, Row | Failure | undefined>();
  const { api, reconciler } = open[0]?.open.reconciliation ?? {};
  const ids = new Set(open.flatMap((sent) => idOf(sent) ?? []));
  let shown: ReadonlyMap<string, readonly Row[]> = new Map();
  if (api !== undefined && reconciler?.rate !== undefined && ids.size >= LIST_FROM) {
    const lists = new Lists(api, () => clock.now());
    const found = await lists.search([reconciler.rate.list(api)], ids).catch(toFailure);
    if (!(found instanceof Failure)) shown = found.rows;
  }
  for (const sent of open) {
    const { reconciliation } = sent.open;
    const id = idOf(sent);
    const read = async () =>
      id === undefined ? undefined : reconciliation.reconciler?.rate?.get(reconciliation.api, id);
    const listed = shown.get(id ?? '')?.[0];
    records.set(sent, listed ?? (await read().catch(toFailure)) ?? undefined);
  }
  return records;
}

/** @throws what is no `Failure`: a fault of ours */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** The record that a write was answered with; undefined for none, and for another than the one that was written. */
function readAnswerRecord(call: ApiCall, data: unknown): Row | undefined {
  return isRecord(data) && Object.keys(data).length > 0 && !isOtherRecord(call, data) ? data : undefined;
}

function addWarning(result: Result, code: string, text: string): Result {
  return {
    ...result,
    warnings: [...(result.warnings ?? []), code],
    warning_messages: [...(result.warning_messages ?? []), text],
  };
}

/** Services trim, round and lower-case: that is no failure, but people may want to know. */
function withDifferences({ call, reconciler }: Reconciliation, result: Result, answer: Row | undefined) {
  if (answer === undefined) return result;
  const view = reconciler?.view?.(answer, call.values) ?? answer;
  const names = listDifferingFields(call.operation, view, call.values).filter(
    (name) => name !== 'rate' || reconciler?.rate === undefined,
  );
  return names.reduce(
    (one, name) => addWarning(one, 'differs', formatDifference(call, name, view[name])),
    result,
  );
}

/** @param record that shows the rate, or hides it */
function judgeRate(reconciliation: Reconciliation, result: Result, record: Row): SendResult {
  const { call, reconciler } = reconciliation;
  const shown = reconciler?.rate?.own(record);
  const isSaved = shown != null && isSameValue(call.values.rate, shown, call.operation.parameters.rate);
  return isSaved ? { result } : toNotSaved(reconciliation, result, record, 'rate');
}

/** Characters of one value that are shown: a whole note tells nobody more. */
const MAX_VALUE_LENGTH = 60;

function formatValue({ operation, redact }: ApiCall, name: string, value: unknown): string {
  const words = operation.parameters[name]?.words ?? {};
  const shown = (redact({ [name]: value }) as Row)[name];
  if (shown === '') return '""';
  const word = Object.keys(words).find((one) => String(words[one]) === toText(shown));
  if (word !== undefined) return word;
  const whole = typeof shown === 'string' ? shown : stringifyJson(shown);
  const start = [...whole.slice(0, MAX_VALUE_LENGTH)].slice(0, -1).join('');
  return whole.length > MAX_VALUE_LENGTH ? `${start}…` : whole;
}

/** `rate: sent 999, the record shows 75`; secrets are masked. */
function formatDifference(call: ApiCall, name: string, shown: unknown): string {
  const now =
    shown === undefined
      ? 'the record does not show it'
      : `the record shows ${shown === null ? 'none' : formatValue(call, name, shown)}`;
  return name in call.values
    ? `${name}: sent ${formatValue(call, name, call.values[name])}, ${now}`
    : `${name}: ${now}`;
}

/** The rate of a contract without one of its own is the member's, or the project's. */
function describeShown({ call, reconciler }: Reconciliation, record: Row, field: string): string {
  const isInherited = field === 'rate' && record.rate != null && reconciler?.rate?.own(record) === null;
  return `${formatDifference(call, field, record[field])}${isInherited ? ' (inherited)' : ''}`;
}

/** Of a write that was accepted, and is not as it was asked for: another state, or no rate. */
function toNotSaved(
  reconciliation: Reconciliation,
  accepted: Result,
  record: Row | undefined,
  field: string,
): SendResult {
  const { call } = reconciliation;
  const id = findCreatedId(call, record);
  const created = id === undefined ? '' : `created with the id ${id}, but `;
  const isHidden = record?.[field] === undefined;
  const failure = new Failure(
    isHidden
      ? `${created}the record does not show that ${field} was saved`
      : `${created}${field} was not saved`,
    {
      code: 'not_saved',
      exit: EXIT.refused,
      reason: describeShown(reconciliation, record ?? {}, field),
      hint: formatHint(field, id),
      details: { fields: [field], ...(id === undefined ? {} : { created: id }) },
    },
  );
  const { message } = failure;
  const shown = record === undefined ? {} : { data: record };
  return {
    result: { ...accepted, status: 'failed', message, ...shown, error: toFailureJson(failure) },
    failure,
  };
}

function formatHint(field: string, created: string | undefined): string | undefined {
  const rates = 'Rates are saved only for people who may view them, and shown only on billable projects.';
  const lines = [
    ...(field === 'rate' ? [rates] : []),
    ...(created === undefined ? [] : ['It exists now. Do not create it again.']),
  ];
  return lines.join(' ') || undefined;
}

/** The id of the record that a write made, by its answer; undefined where it changed one, or nobody knows. */
export function findCreatedId(call: ApiCall | undefined, data: unknown): string | undefined {
  if (call?.operation.method !== 'POST' || call.operation.path.includes('{') || !isRecord(data))
    return undefined;
  const ids = [data[call.operation.createdId ?? 'id'], data['id']];
  const id = ids.find((one) => isNumber(one) || (typeof one === 'string' && one !== ''));
  return id === undefined ? undefined : toText(id);
}

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
