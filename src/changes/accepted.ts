import type { ApiCall } from '../api/client.ts';
import { LIST_FROM, Lists } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { EXIT, Failure, hasUnknownOutcome, toFailureJson } from '../errors.ts';
import { isRecord, stringifyJson, toText } from '../json.ts';
import type { Result } from '../output/results.ts';
import { isSameValue } from '../parsing/names.ts';
import { shortenText } from '../parsing/text.ts';
import { isOtherRecord, listDifferingFields } from '../resources/proof.ts';
import type { Run } from '../run.ts';
import type { OpenResult, Reconciliation, SendResult, SentChange } from './change.ts';

/**
 * A write that the service accepted is done. Its answer is held against what was asked for at no cost; only a rate,
 * which the service drops without a word for people who may not view rates (docs/service.md, Rates), is looked up.
 */

/** @param accepted with the record of the answer as its data @returns done, or the failure; `open`: its rate is not shown */
export function checkAccepted(reconciliation: Reconciliation, accepted: SendResult): SendResult {
  const { call, reconciler } = reconciliation;
  const { operation, values } = call;
  const rate = values.rate === undefined ? undefined : reconciler?.rate;
  const answer = readAnswerRecord(call, accepted.data);
  if (answer === undefined) return rate === undefined ? accepted : { ...accepted, open: reconciliation };
  const state = reconciler?.contradicts?.(answer, values);
  if (state !== undefined) return toNotSaved(call, accepted, answer, state);
  // Services trim, round and lower-case: that is no failure, but people may want to know.
  let result = accepted;
  const view = reconciler?.view?.(answer, values) ?? answer;
  for (const name of listDifferingFields(operation, view, values))
    if (name !== 'rate' || rate === undefined)
      result = addWarning(result, 'differs', formatDifference(call, name, view[name]));
  if (rate === undefined) return result;
  return rate.own(answer) == null
    ? { ...result, open: reconciliation }
    : judgeRate(reconciliation, result, answer);
}

const RATE_MS = 3000;

/**
 * Looks up the rates that no answer showed: those of a run by the pages of their list; one that differs once more
 * after a while, since a list may be older than the write.
 */
export async function checkRates(
  context: Pick<Run, 'clock' | 'interrupted'>,
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult) => Promise<void>,
): Promise<void> {
  const warn = ({ open: _, ...known }: OpenResult, why = ''): SendResult =>
    addWarning(known, 'not_checked', `the rate could not be checked${why}`);
  let rest = open;
  for (const isLast of [false, true]) {
    const differing: OpenResult[] = [];
    const read = await createRateReader(rest, context.clock);
    for (const sent of rest) {
      const { open: reconciliation, ...known } = sent;
      const record = await read(sent);
      const answer = readAnswerRecord(reconciliation.call, known.data);
      const final =
        record === undefined || record instanceof Failure
          ? warn(sent, record && `: ${record.message}`)
          : judgeRate(reconciliation, known, { ...answer, ...record });
      if (final.failure !== undefined && !isLast) differing.push(sent);
      else await settle(sent, final);
    }
    if (differing.length === 0) return;
    rest = differing;
    if (await sleepUnlessInterrupted(RATE_MS, context)) {
      for (const sent of rest) await settle(sent, warn(sent, ': interrupted'));
      return;
    }
  }
}

/** Gives the record as it is now; why it could not be read; undefined where there is none. */
async function createRateReader(open: readonly OpenResult[], clock: Run['clock']) {
  const idOf = ({ data, open: { call, reconciler } }: OpenResult) =>
    reconciler?.rate?.id(call.values, readAnswerRecord(call, data));
  const ids = new Set(open.map(idOf).filter((id) => id !== undefined));
  const { api, reconciler: { rate } = {} } = open[0]?.open ?? {};
  const list = api && rate?.list(api);
  if (api === undefined || list === undefined) return () => undefined;
  const lists = new Lists(api, () => clock.now());
  if (ids.size >= LIST_FROM) await lists.search([list], ids).catch(toFailure);
  return async (sent: OpenResult): Promise<Row | Failure | undefined> => {
    const id = idOf(sent);
    const read = async () => rate?.get(api, id ?? '');
    return id === undefined ? id : ((await lists.record(list, id, read).catch(toFailure)) ?? undefined);
  };
}

export async function sleepUnlessInterrupted(
  ms: number,
  { clock, interrupted }: Pick<Run, 'clock' | 'interrupted'>,
): Promise<boolean> {
  if (interrupted.aborted || ms <= 0) return interrupted.aborted;
  await clock.sleep(ms, interrupted).catch((error: unknown) => {
    if (!interrupted.aborted) throw error;
  });
  return interrupted.aborted;
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

function addWarning(result: SendResult, code: string, text: string): SendResult {
  return {
    ...result,
    warnings: [...(result.warnings ?? []), code],
    warning_messages: [...(result.warning_messages ?? []), text],
  };
}

function judgeRate(reconciliation: Reconciliation, result: SendResult, record: Row): SendResult {
  const { call, reconciler } = reconciliation;
  const shown = reconciler?.rate?.own(record);
  const isSaved = shown != null && isSameValue(call.values.rate, shown, call.operation.parameters.rate);
  return isSaved ? result : toNotSaved(call, result, record, 'rate');
}

/** `rate: sent 999, the record shows 75`; secrets are masked. */
function formatDifference({ operation, values, redact }: ApiCall, name: string, shown: unknown): string {
  const format = (value: unknown): string => {
    const masked = (redact({ [name]: value }) as Row)[name];
    const words = Object.entries(operation.parameters[name]?.words ?? {});
    const [word] = words.find(([, one]) => String(one) === toText(masked)) ?? [];
    return word ?? shortenText(typeof masked === 'string' && masked !== '' ? masked : stringifyJson(masked));
  };
  let now = 'the record does not show it';
  if (shown !== undefined) now = `the record shows ${shown === null ? 'none' : format(shown)}`;
  return name in values ? `${name}: sent ${format(values[name])}, ${now}` : `${name}: ${now}`;
}

/** Of a write that was accepted, and is not as it was asked for: another state, or no rate. */
function toNotSaved(call: ApiCall, accepted: SendResult, record: Row, field: string): SendResult {
  const id = findCreatedId(call, record);
  const created = id === undefined ? '' : `created with the id ${id}, but `;
  const isHidden = record[field] === undefined;
  const what = isHidden ? `the record does not show that ${field} was saved` : `${field} was not saved`;
  const hints = [
    field === 'rate' &&
      'Rates are saved only for people who may view them, and shown only on billable projects.',
    id !== undefined && 'It exists now. Do not create it again.',
  ];
  const failure = new Failure(`${created}${what}`, {
    code: 'not_saved',
    exit: EXIT.refused,
    reason: formatDifference(call, field, record[field]),
    hint: hints.filter(Boolean).join(' ') || undefined,
    details: { fields: [field], ...(id === undefined ? {} : { created: id }) },
  });
  return { ...accepted, ...createFailedResult({ target: accepted.target, call }, failure), data: record };
}

/** The id of the record that a write made, by its answer; undefined where it changed one, or nobody knows. */
export function findCreatedId({ operation }: ApiCall, data: unknown): string | undefined {
  if (operation.method !== 'POST' || operation.path.includes('{') || !isRecord(data)) return undefined;
  const ids = [data[operation.createdId ?? 'id'], data['id']];
  const id = ids.find((one) => typeof one === 'number' || (typeof one === 'string' && one !== ''));
  return id === undefined ? undefined : toText(id);
}

/**
 * What a write that failed was answered with. `refused`: no, for what it says (400, 404, 422, `success: false`): it can
 * be corrected and fed back. `later`: it was not done and is right as it is (not sent, 401, 403, 429): to go on sends it
 * again. `silence`: reset, time-out, 5xx, a page that is not the API's: it may have been done, or be done in a moment.
 */
export type Answer = 'refused' | 'later' | 'silence';

export function classifyFailure(failure: Failure): Answer {
  if (hasUnknownOutcome(failure)) return 'silence';
  if (failure.code === 'not_saved') return 'refused';
  const later: readonly unknown[] = [EXIT.signedOut, EXIT.forbidden, EXIT.tryLater, EXIT.fault];
  return failure.code === 'rate_limited' || later.includes(failure.exit) ? 'later' : 'refused';
}

export function resultOf(
  { target, call }: SentChange,
  status: Result['status'],
  more: Partial<Result> = {},
): Result {
  return { target, operation: call.operation.id, status, ...more };
}

export function createFailedResult(
  change: SentChange,
  failure: Failure,
  status: 'failed' | 'unknown' | 'skipped' = 'failed',
): SendResult {
  const { message } = failure;
  return { ...resultOf(change, status, { message, error: toFailureJson(failure) }), failure };
}

export const HELD_BACK = 'held_back';

/** Of a change that another one was to come before. */
export function createHeldResult(change: SentChange): SendResult {
  const facts = { code: HELD_BACK, exit: EXIT.partial } as const;
  const failure = new Failure('not sent: the member is not known to be archived', facts);
  return createFailedResult(change, failure, 'skipped');
}

/** Of old values those that an undo cannot send, for the API cannot make a field empty. @param old by parameter */
export function listUnset(operation: Operation | undefined, old: Row = {}): readonly string[] {
  if (operation?.undo?.kind !== 'values') return [];
  const { parameters } = operation;
  return Object.entries(old).flatMap(([name, value]) => {
    const { on } = parameters[name] ?? {};
    const isEmpty = value == null || value === '' || (Array.isArray(value) && value.length === 0);
    return isEmpty || (on !== undefined && on !== value) ? [name] : [];
  });
}

/** Whether anything takes a write back. @param old of an update, by parameter */
export function canUndo(operation: Operation | undefined, old: Row = {}): boolean {
  const { undo } = operation ?? {};
  if (undo?.kind === 'values') return listUnset(operation, old).length < Object.keys(old).length;
  return undo !== undefined && undo.kind !== 'none';
}

/** Those of them of which that is sure before anything is sent: what a record does not show may have a value. */
export function listLasting(operation: Operation | undefined, old: Row = {}): readonly string[] {
  return listUnset(operation, old).filter((name) => old[name] !== undefined);
}

/** Said before: `142 changes of rate cannot be undone: the API cannot clear rate.` @param lasting of all changes */
export function describeLasting(lasting: readonly string[]): readonly string[] {
  return countTexts(lasting).map(
    ([name, changes]) =>
      `${changes} of ${name.replaceAll('_', ' ')} cannot be undone: ${formatUnset([name])}.`,
  );
}

/** Of these operations: `2 changes cannot be undone: the API cannot reverse a decision.` */
export function describeFinal(operations: readonly string[]): readonly string[] {
  const undos = operations.map((id) => findOperation(id)?.undo);
  const reasons = undos.flatMap((undo) => (undo?.kind === 'none' ? [undo.why] : []));
  return countTexts(reasons).map(([why, changes]) => `${changes} cannot be undone: ${why}.`);
}

function countTexts(texts: readonly string[]) {
  return [...new Set(texts)].map((text) => {
    const count = texts.filter((one) => one === text).length;
    return [text, count === 1 ? '1 change' : `${count} changes`] as const;
  });
}

export function formatUnset(unset: readonly string[]): string {
  return `the API cannot clear ${unset.join(', ')}`;
}

/** The result of an undo that cannot set all fields back, which is no better than the truth: it is not called done. */
export function withUnsetFields(call: ApiCall, sent: SendResult, unset: readonly string[]): SendResult {
  if (sent.status === 'planned') return { ...sent, message: formatUnset(unset) };
  if (sent.status !== 'done') return sent;
  const failure = new Failure(`only partly undone: ${formatUnset(unset)}`, {
    code: 'not_undone',
    exit: EXIT.partial,
    hint: 'The other fields were restored.',
  });
  return { ...sent, ...createFailedResult({ call, target: sent.target }, failure) };
}
