import type { Operation, Parameter } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isRecord, isSameJson, toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { parseWrittenDay } from '../../parsing/calendar.ts';

/** The values of a write beside those of a record: compared by what they mean, not by how they are written. */

const DAY = /^\d{4}-\d\d-\d\d$/;
/** `41:30`, hours and minutes; `41:30:00`. */
const HOURS = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;
/** `31,000.00` */
const GROUPED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const ZONED = /[T ]\d\d:\d\d.{0,40}(?:Z|[+-]\d\d:?\d\d)$/;
const TRUE = new Set(['true', 'yes']);
const FALSE = new Set(['false', 'no']);

/** `2024-01-15` from `Jan 15, 2024`; another form stays. */
export const toIsoDay = (shown: unknown): string => {
  const text = plainText(shown);
  return parseWrittenDay(text) ?? text;
};

/** A value as text, in one form for all that mean the same. */
const plainText = (value: unknown): string => toText(value).normalize('NFC').replace(/\r\n?/g, '\n').trim();

const hrefOf = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

/** A word however it is spelt: `Regular User`, `regular-user`, `in_progress`. */
const wordOf = (value: unknown): string =>
  plainText(value)
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');

/** What a value is as a number, however it is spelt; undefined where it is none. */
const numberOf = (value: unknown, words: Parameter['words'] = {}): number | undefined => {
  if (typeof value === 'boolean') return Number(value);
  const text = plainText(value);
  const number = toNumber(GROUPED.test(text) ? text.replaceAll(',', '') : text);
  if (!Number.isNaN(number)) return text === '' ? undefined : number;
  const [, hours, minutes, seconds = 0] = HOURS.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) + (Number(minutes) + Number(seconds) / 60) / 60;
  const word = wordOf(value);
  if (Object.hasOwn(words, word)) return words[word];
  if (TRUE.has(word)) return 1;
  return FALSE.has(word) ? 0 : undefined;
};

const isNone = (value: unknown): boolean => value === null || value === undefined || value === '';

const isSameSet = (sent: readonly unknown[], shown: readonly unknown[]): boolean => {
  const [one, other] = [new Set(sent.map(plainText)), new Set(shown.map(plainText))];
  return one.size === other.size && [...one].every((item) => other.has(item));
};

/** `2026-11-20 09:00`, `Nov 20, 2026 9:00 AM`: forms in which day and month are not mistaken for one another. */
const DATED = /^(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} \d)/;
const HOUR_MS = 3_600_000;
/** Zones go from 12 hours behind UTC to 14 ahead of it; where no time of day is shown, a day has 24 more. */
const [BEHIND_MS, AHEAD_MS, DAY_MS, MINUTE_MS] = [12 * HOUR_MS, 14 * HOUR_MS, 24 * HOUR_MS, 60_000];

/** A time without a zone may be that of any; it is not the same where no zone has it then. */
const maySay = (shown: string, sentMs: number): boolean => {
  const from = DATED.test(shown) ? Date.parse(`${shown.replace('T', ' ')} UTC`) : Number.NaN;
  const lasts = /\d:\d\d/.test(shown) ? MINUTE_MS : DAY_MS;
  return Number.isNaN(from) || (from <= sentMs + AHEAD_MS && sentMs - BEHIND_MS < from + lasts);
};

const isSameTime = (sent: string, shown: string): boolean => {
  const [one, other] = [Date.parse(sent), ZONED.test(shown) ? Date.parse(shown) : Number.NaN];
  return Number.isNaN(other) ? maySay(shown, one) : one === other;
};

const isSameText = (sent: unknown, shown: unknown, { type, choices }: Partial<Parameter>): boolean => {
  const text = plainText(sent);
  if (DAY.test(text)) return toIsoDay(shown).startsWith(text);
  if (ZONED.test(text) && type !== 'string') return isSameTime(text, plainText(shown));
  if (type === 'email') return text.toLowerCase() === plainText(shown).toLowerCase();
  if (type === 'url') return hrefOf(text) === hrefOf(plainText(shown));
  return choices === undefined ? text === plainText(shown) : wordOf(sent) === wordOf(shown);
};

/** Of a record in the place of a value, or records in a list, nobody can say how they stand for what was sent. */
const hasRecords = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isObject) : isObject(value);

const isObject = (value: unknown): boolean => isRecord(value) || Array.isArray(value);

/** Whether a record shows a value so that it can be compared, and it is the same. */
export const showsValue = (sent: unknown, shown: unknown, about?: Partial<Parameter>): boolean =>
  hasRecords(shown) ? isSameJson(sent, shown) : isSameValue(sent, shown, about);

/**
 * Whether nothing speaks against both being the same.
 * @param about what is known of the field; absent for one that is not documented
 */
export const isSameValue = (sent: unknown, shown: unknown, about: Partial<Parameter> = {}): boolean => {
  if (isNone(sent) || isNone(shown)) return isNone(sent) && isNone(shown);
  if (hasRecords(shown)) return true;
  if (Array.isArray(sent) && Array.isArray(shown)) return isSameSet(sent, shown);
  const plain = about.type === 'string' && typeof sent === 'string' && typeof shown === 'string';
  const [one, other] = plain ? [] : [numberOf(sent, about.words), numberOf(shown, about.words)];
  if (one !== undefined && other !== undefined) return one === other;
  return isSameText(sent, shown, about);
};

/** The values that a write carries, by the names of its parameters; not those that only say where it goes. */
export const listSentFields = (
  { path }: Pick<Operation, 'path'>,
  values: Values,
): readonly (readonly [name: string, value: unknown])[] =>
  Object.entries(values).filter(
    ([name, value]) => value !== undefined && name !== 'workspace_id' && !path.includes(`{${name}}`),
  );

/** Whether a record, in the words of the write, shows another value of a field than was sent. */
const differs =
  ({ parameters }: Pick<Operation, 'parameters'>, record: Row) =>
  ([name, value]: readonly [string, unknown]): boolean =>
    Object.hasOwn(record, name) &&
    record[name] !== undefined &&
    !isSameValue(value, record[name], parameters[name]);

/** The fields of which a record, in the words of the write, shows another value than was sent. */
export const listDifferingFields = (operation: Operation, record: Row, values: Values): readonly string[] =>
  listSentFields(operation, values)
    .filter(differs(operation, record))
    .map(([name]) => name);

/**
 * Whether a record, in the words of the write, shows what was sent.
 * `unknown` when it hides some of it: fields that the role may not see, or that are not documented.
 */
export const compareSent = (
  operation: Operation,
  record: Row,
  values: Values,
): 'done' | 'not-done' | 'unknown' => {
  const fields = listSentFields(operation, values);
  if (fields.some(differs(operation, record))) return 'not-done';
  const isSeen = fields.every(
    ([name, value]) =>
      record[name] !== undefined && showsValue(value, record[name], operation.parameters[name]),
  );
  return fields.length > 0 && isSeen ? 'done' : 'unknown';
};
