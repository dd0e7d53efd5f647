import { type Field, PEOPLE } from '../api/fields.ts';
import type { NamedKind } from '../api/records.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import { parseDottedDay, parseWrittenDay } from './calendar.ts';
import type { CommandLine } from './shell-word.ts';
import { quoteText } from './text.ts';

/** Digits, or a UUID: it says nothing to people. */
export const OPAQUE_ID = /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Whether the text is an id already. People: what has neither `@` nor letters.
 * Things: digits, or a UUID.
 */
export function isRecordId(kind: NamedKind, text: string): boolean {
  if (!PEOPLE.has(kind)) return OPAQUE_ID.test(text);
  // What no address may have is left to be refused.
  return !text.includes('@') && (!/\p{L}/u.test(text) || /[/\\]/.test(text));
}

/** Whether a text can be an e-mail address at all; the service judges the rest. @throws UsageError */
export function checkEmail(text: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(text))
    throw new UsageError(`${quoteText(text)} is not an e-mail address`, { code: 'not_an_address' });
}

/**
 * Whether a text can stand for a record of this kind: for a person an id, an address or a name, for a thing an id or any
 * name. Whether there is such a record the look-up tells. @throws UsageError
 */
export function checkRecordName(kind: string, text: string): void {
  // What comes along where a whole table is piped, or a file with remarks.
  if (/^\s*((\d+\s+)?#(\s|$)|(id|e-?mail)\s*$)/i.test(text))
    throw new UsageError(`${quoteText(text)} is a comment or a heading, not a ${kind}`);
  // Of a person's name it is one where an @ stands in it.
  if (PEOPLE.has(kind) && text.includes('@')) checkEmail(text.trim());
}

export const SCOPES = ['read', 'write', 'admin'];

export function parseScopes(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))];
}

/** Why a text is no list of scopes, as the end of a sentence; `undefined` where it is one. */
export function findScopeProblem(text: string): string | undefined {
  const scopes = parseScopes(text);
  const unknownScope = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknownScope !== undefined)
    return `contains ${quoteText(unknownScope)}; the scopes are ${SCOPES.join(', ')}`;
  return scopes.length === 0 ? 'contains no scope' : undefined;
}

/** Ids of `--member` that no member has, where the members are read anyway. @throws Failure (exit 5) */
export function requireMembers(
  ids: Iterable<string>,
  isKnown: (id: string) => boolean,
  commandLine: CommandLine,
): void {
  for (const id of ids) {
    if (isKnown(id)) continue;
    throw new Failure(`no member ${quoteText(id)}`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: `List the members: ${commandLine`ttctl members list`}`,
    });
  }
}

/** Values compared by what they mean, not by how they are written: what is sent or given, and what the service shows. */

/** What is known of a field. Nothing: it is not documented. */
export interface Meaning {
  /** Of a parameter or a field; `string`: any text, which may look like a number. */
  readonly type?: string;
  readonly choices?: readonly unknown[];
  readonly words?: Readonly<Record<string, number>>;
}

/** What is known of a field of a record, and of the parameter that sets it. */
export function getMeaning(field: Field | undefined, parameter: Meaning = {}): Meaning {
  const { type, format, kind, values } = field ?? {};
  const choices = kind === 'state' ? (values ?? []) : values;
  const isPlain = type === 'string' && format === undefined && kind === undefined;
  return { ...(isPlain && { type }), ...(choices && { choices }), ...parameter };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const ZONED = /[T ]\d\d:\d\d.{0,40}(?:Z|[+-]\d\d:?\d\d)$/;
const TRUE = new Set(['true', 'yes']);
const FALSE = new Set(['false', 'no']);

/** `2024-01-15` from `Jan 15, 2024` or `15.1.2024`; another form stays. */
export function toIsoDay(shown: unknown): string {
  const text = plainText(shown);
  return parseWrittenDay(text) ?? parseDottedDay(text) ?? text;
}

function plainText(value: unknown): string {
  return toText(value).normalize('NFC').replace(/\r\n?/g, '\n').trim();
}

export function foldWord(value: unknown): string {
  return plainText(value)
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');
}

function numberOf(value: unknown, words: Meaning['words'] = {}): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  const text = plainText(value);
  const number = toNumber(text);
  if (!Number.isNaN(number)) return number;
  const word = foldWord(value);
  if (Object.hasOwn(words, word)) return words[word];
  if (TRUE.has(word)) return 1;
  return FALSE.has(word) ? 0 : undefined;
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** `2026-11-20 09:00`, `Nov 20, 2026 9:00 AM`: forms in which day and month are not mistaken for one another. */
const DATED = /^(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} \d)/;
/** Zones go from 12 hours behind UTC to 14 ahead of it; where no time of day is shown, a day has 24 more. */
const [BEHIND_MS, AHEAD_MS, DAY_MS, MINUTE_MS] = [43_200_000, 50_400_000, 86_400_000, 60_000];

/** A time without a zone may be that of any; it is not the same where no zone has it then. */
function isSameTime(sent: string, shown: string): boolean {
  const sentMs = Date.parse(sent);
  if (ZONED.test(shown)) return sentMs === Date.parse(shown);
  const gap = DATED.test(shown) ? Date.parse(`${shown.replace('T', ' ')} UTC`) - sentMs : Number.NaN;
  const lasts = /\d:\d\d/.test(shown) ? MINUTE_MS : DAY_MS;
  return Number.isNaN(gap) || (gap <= AHEAD_MS && gap > -BEHIND_MS - lasts);
}

/** Of a record in the place of a value, or records in a list, nobody can say how they stand for what was sent. */
function hasRecords(value: unknown): boolean {
  return [value].flat().some((one) => typeof one === 'object' && one !== null);
}

/** Whether a record shows a value so that it can be compared, and it is the same. */
export function showsValue(sent: unknown, shown: unknown, about?: Meaning): boolean {
  if (!hasRecords(shown)) return isSameValue(sent, shown, about);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent) !== Array.isArray(shown)) return false;
  const [one, other] = [Object.entries(sent), new Map(Object.entries(shown as object))];
  return one.length === other.size && one.every(([name, value]) => showsValue(value, other.get(name)));
}

export function isSameValue(sent: unknown, shown: unknown, about: Meaning = {}): boolean {
  if (isNone(sent) || isNone(shown)) return isNone(sent) && isNone(shown);
  if (hasRecords(shown)) return true;
  if (Array.isArray(sent) && Array.isArray(shown)) {
    const [some, others] = [new Set(sent.map(plainText)), new Set(shown.map(plainText))];
    return some.size === others.size && [...some].every((item) => others.has(item));
  }
  const { type, choices, words } = about;
  const plain = type === 'string' && typeof sent === 'string' && typeof shown === 'string';
  const [one, other] = plain ? [] : [numberOf(sent, words), numberOf(shown, words)];
  if (one !== undefined && other !== undefined) return one === other;
  const [text, shownText] = [plainText(sent), plainText(shown)];
  if (DAY.test(text)) return toIsoDay(shown).startsWith(text);
  if (ZONED.test(text) && type !== 'string') return isSameTime(text, shownText);
  if (type === 'email') return text.toLowerCase() === shownText.toLowerCase();
  if (type === 'url' && URL.canParse(text) && URL.canParse(shownText))
    return new URL(text).href === new URL(shownText).href;
  return choices === undefined ? text === shownText : foldWord(sent) === foldWord(shown);
}
