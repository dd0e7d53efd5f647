import type { ApiCall } from '../api/client.ts';
import type { Parameter } from '../api/operation.ts';
import { isOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { isNumber } from '../json/number.ts';
import { stringifyJson, toText } from '../json/stringify.ts';
import { EXIT, Failure } from '../outcome.ts';
import { RATE_FIELDS } from '../resources/resource.ts';
import { type Reconciliation, toWrittenView } from './find-unsaved.ts';
import type { WriteOutcome } from './reconcile.ts';
import { formatInspectHint } from './unknown-outcome.ts';

/** What to say of a write that was carried out, but for some of its fields. */

/** The id of the record that a write made; undefined where it changed one. */
export const findCreatedId = (
  { operation }: ApiCall,
  records: readonly (Row | null | undefined)[],
): string | undefined => {
  if (operation.method !== 'POST' || operation.path.includes('{')) return undefined;
  const { createdId = 'id' } = operation;
  const id = records
    .flatMap((record) => [record?.[createdId], record?.id])
    .find((one) => isNumber(one) || (typeof one === 'string' && one !== ''));
  return id === undefined ? undefined : toText(id);
};

const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Characters of one value that are shown: a whole note tells nobody more. */
const MAX_VALUE_LENGTH = 60;

const formatValue = (value: unknown, words: Parameter['words'] = {}): string => {
  if (value === '') return '""';
  const word = Object.keys(words).find((one) => String(words[one]) === toText(value));
  if (word !== undefined) return word;
  const whole = typeof value === 'string' ? value : stringifyJson(value);
  return whole.length > MAX_VALUE_LENGTH
    ? `${[...whole.slice(0, MAX_VALUE_LENGTH)].slice(0, -1).join('')}…`
    : whole;
};

/** `rate: sent 999, the record shows 75`; secrets are masked. */
const formatDifference = (reconciliation: Reconciliation, record: Row | undefined, name: string): string => {
  const { call } = reconciliation;
  const words = call.operation.parameters[name]?.words;
  const format = (value: unknown): string =>
    formatValue((call.redact({ [name]: value }) as Row)[name], words);
  const value = record === undefined ? undefined : toWrittenView(reconciliation, record)[name];
  const now =
    value === undefined
      ? 'the record does not show it'
      : value !== null
        ? `the record shows ${format(value)}`
        : // The rate of a contract without one of its own is the member's, or the project's.
          `the record shows ${record?.[name] == null ? 'none' : `${format(record[name])} (inherited)`}`;
  return name in call.values ? `${name}: sent ${format(call.values[name])}, ${now}` : `${name}: ${now}`;
};

const formatHint = (
  { operation, commandLine }: ApiCall,
  fields: readonly string[],
  id: string | undefined,
): string => {
  const [noun = ''] = operation.id.split('.');
  const rates = fields.some((name) => RATE_FIELDS.has(name));
  const ratesHint = rates
    ? 'Rates are saved only for people who may view them, and shown only on billable projects.'
    : '';
  if (id === undefined) return ratesHint;
  // Whoever may not view rates cannot set them later either.
  const updateHint =
    isOperation(`${noun}.update`) && !rates
      ? ` Set the rest with: ${commandLine`ttctl ${noun} update ${id}`}`
      : '';
  return `${ratesHint} It exists now. Do not create it again.${updateHint}`.trim();
};

/**
 * The failure of a write that was accepted and is not, or may not be, as it was sent.
 * @param answer the record that the service answered with, where it did
 */
export const createNotSavedError = (
  reconciliation: Reconciliation,
  target: string,
  { became, fields = [], record }: WriteOutcome,
  answer: Row | undefined,
): Failure => {
  const { call } = reconciliation;
  const id = findCreatedId(call, [answer, record]);
  const made = id === undefined ? '' : `created with the id ${id}, but `;
  const wasOrWere = fields.length === 1 ? 'was' : 'were';
  const details = { fields, ...(id === undefined ? {} : { created: id }) };
  if (became === 'unknown') {
    const hint =
      id === undefined ? formatInspectHint({ call, target }) : 'It exists now. Do not create it again.';
    return new Failure(`${made}it is not known whether ${joinNames(fields)} ${wasOrWere} saved`, {
      code: 'unknown_outcome',
      exit: EXIT.tryLater,
      reason: 'The write succeeded, but the record could not be read afterwards.',
      hint,
      details,
    });
  }
  const shown = record === undefined ? undefined : toWrittenView(reconciliation, record);
  const isHidden = shown !== undefined && fields.every((name) => shown[name] === undefined);
  const message = isHidden
    ? `the record does not show that ${joinNames(fields)} ${wasOrWere} saved`
    : `${joinNames(fields)} ${wasOrWere} not saved`;
  return new Failure(`${made}${message}`, {
    code: 'not_saved',
    exit: EXIT.refused,
    reason: fields.map((name) => formatDifference(reconciliation, record, name)).join('; '),
    hint: formatHint(call, fields, id) || undefined,
    details,
  });
};

/** The record as it is now, with what only the answer to its creation has: a link. */
export const mergeCurrentRecord = (
  answer: Row | undefined,
  { record, fields = [] }: WriteOutcome,
): Row | undefined => {
  if (answer === undefined) return record;
  const savedMembers = Object.entries(answer).filter(([name]) => !fields.includes(name));
  return { ...Object.fromEntries(savedMembers), ...record };
};
