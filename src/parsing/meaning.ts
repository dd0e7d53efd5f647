import type { Field } from '../api/fields.ts';
import { isRecord, toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { parseWrittenDay } from './calendar.ts';

/** Values compared by what they mean, not by how they are written: what is sent or given, and what the service shows. */

/** What is known of a field. Nothing: it is not documented. */
export interface Meaning {
  /** Of a parameter or a field; `string`: any text, which may look like a number. */
  readonly type?: string;
  /** Words, which may be spelt in any case. */
  readonly choices?: readonly unknown[];
  readonly words?: Readonly<Record<string, number>>;
}

/** What is known of a field of a record, and of the parameter that sets it. */
export const getMeaning = (field: Field | undefined, parameter: Meaning = {}): Meaning => {
  const { type, format, kind, values } = field ?? {};
  const choices = kind === 'state' ? (values ?? []) : values;
  const isPlain = type === 'string' && format === undefined && kind === undefined;
  return { ...(isPlain && { type }), ...(choices && { choices }), ...parameter };
};

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
export const foldWord = (value: unknown): string =>
  plainText(value)
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');

/** What a value is as a number, however it is spelt; undefined where it is none. */
const numberOf = (value: unknown, words: Meaning['words'] = {}): number | undefined => {
  if (typeof value === 'boolean') return Number(value);
  const text = plainText(value);
  const number = toNumber(GROUPED.test(text) ? text.replaceAll(',', '') : text);
  if (!Number.isNaN(number)) return text === '' ? undefined : number;
  const [, hours, minutes, seconds = 0] = HOURS.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) + (Number(minutes) + Number(seconds) / 60) / 60;
  const word = foldWord(value);
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

const isSameText = (sent: unknown, shown: unknown, { type, choices }: Meaning): boolean => {
  const text = plainText(sent);
  if (DAY.test(text)) return toIsoDay(shown).startsWith(text);
  if (ZONED.test(text) && type !== 'string') return isSameTime(text, plainText(shown));
  if (type === 'email') return text.toLowerCase() === plainText(shown).toLowerCase();
  if (type === 'url') return hrefOf(text) === hrefOf(plainText(shown));
  return choices === undefined ? text === plainText(shown) : foldWord(sent) === foldWord(shown);
};

/** Of a record in the place of a value, or records in a list, nobody can say how they stand for what was sent. */
const hasRecords = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isObject) : isObject(value);

const isObject = (value: unknown): value is object => isRecord(value) || Array.isArray(value);

/** Whether a record shows a value so that it can be compared, and it is the same. */
export const showsValue = (sent: unknown, shown: unknown, about?: Meaning): boolean => {
  if (!hasRecords(shown)) return isSameValue(sent, shown, about);
  if (!isObject(sent) || Array.isArray(sent) !== Array.isArray(shown)) return false;
  const [one, other] = [Object.entries(sent), new Map(Object.entries(shown as object))];
  return one.length === other.size && one.every(([name, value]) => showsValue(value, other.get(name)));
};

/**
 * Whether nothing speaks against both being the same.
 * @param about what is known of the field; absent for one that is not documented
 */
export const isSameValue = (sent: unknown, shown: unknown, about: Meaning = {}): boolean => {
  if (isNone(sent) || isNone(shown)) return isNone(sent) && isNone(shown);
  if (hasRecords(shown)) return true;
  if (Array.isArray(sent) && Array.isArray(shown)) return isSameSet(sent, shown);
  const plain = about.type === 'string' && typeof sent === 'string' && typeof shown === 'string';
  const [one, other] = plain ? [] : [numberOf(sent, about.words), numberOf(shown, about.words)];
  if (one !== undefined && other !== undefined) return one === other;
  return isSameText(sent, shown, about);
};
