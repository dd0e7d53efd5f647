import type { ApiCall } from '../api/client.ts';
import { LIST_FROM, Lists } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import { EXIT, Failure, toFailureJson } from '../errors.ts';
import { isNumber, isRecord, stringifyJson, toText } from '../json.ts';
import type { Result } from '../output/result.ts';
import { isSameValue } from '../parsing/names.ts';
import { isOtherRecord, listDifferingFields } from '../resources/proof.ts';
import type { Run } from '../run.ts';
import type { OpenResult, Reconciliation, SendResult } from './change.ts';

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
