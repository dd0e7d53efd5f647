import type { ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { TargetResult } from '../context.ts';
import { isRecord } from '../json/number.ts';
import { stringifyJson, toText } from '../json/stringify.ts';
import { EXIT, Failure, toFailureJson } from '../outcome.ts';
import { isOtherRecord } from '../resources/reconcile/reconciler.ts';
import { isSameValue, listDifferingFields } from '../resources/reconcile/sent-fields.ts';
import type { Reconciliation } from './reconcile.ts';
import { findCreatedId } from './references.ts';
import type { SendResult } from './send-result.ts';

/**
 * A write that the service accepted is done. Its answer is held against what was asked for at no cost; only a rate,
 * which the service drops without a word for people who may not view rates (docs/service.md, Rates), is looked up.
 */

/** @param accepted with the record of the answer as its data @returns the same with warnings, or the failure */
export async function checkAccepted(
  reconciliation: Reconciliation,
  accepted: TargetResult,
): Promise<SendResult> {
  const { call, reconciler } = reconciliation;
  const answer = readAnswerRecord(call, accepted.data);
  const state = answer && reconciler?.contradicts?.(answer, call.values);
  if (state !== undefined) return toNotSaved(reconciliation, accepted, answer, state);
  const result = withDifferences(reconciliation, accepted, answer);
  if (reconciler?.rate === undefined || call.values.rate === undefined) return { result };
  return checkRate(reconciliation, result, answer);
}

/** The record that a write was answered with; undefined for none, and for another than the one that was written. */
function readAnswerRecord(call: ApiCall, data: unknown): Row | undefined {
  return isRecord(data) && Object.keys(data).length > 0 && !isOtherRecord(call, data) ? data : undefined;
}

function addWarning(result: TargetResult, code: string, text: string): TargetResult {
  return {
    ...result,
    warnings: [...(result.warnings ?? []), code],
    warning_messages: [...(result.warning_messages ?? []), text],
  };
}

/** Services trim, round and lower-case: that is no failure, but people may want to know. */
function withDifferences(
  { call, reconciler }: Reconciliation,
  result: TargetResult,
  answer: Row | undefined,
) {
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

/** From the answer where it shows the rate, else from the record. */
async function checkRate(
  reconciliation: Reconciliation,
  result: TargetResult,
  answer: Row | undefined,
): Promise<SendResult> {
  const { api, call, reconciler } = reconciliation;
  let record = answer;
  if (record === undefined || reconciler?.rate?.own(record) == null) {
    try {
      record = (await reconciler?.rate?.read(api, call.values, answer)) ?? undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { result: addWarning(result, 'not_checked', `the rate could not be checked: ${error.message}`) };
    }
  }
  if (record === undefined)
    return { result: addWarning(result, 'not_checked', 'the rate could not be checked') };
  const shown = reconciler?.rate?.own(record);
  const isSaved = shown != null && isSameValue(call.values.rate, shown, call.operation.parameters.rate);
  return isSaved ? { result } : toNotSaved(reconciliation, result, { ...answer, ...record }, 'rate');
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
  accepted: TargetResult,
  record: Row | undefined,
  field: string,
): SendResult {
  const { call } = reconciliation;
  const id = findCreatedId(call, [record]);
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
