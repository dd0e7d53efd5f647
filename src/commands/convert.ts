import type { Parameter } from '../api/operation.ts';
import type { UnresolvedNames } from '../changes/input/row.ts';
import { type Flag, formatLongFlag } from '../cli/flag.ts';
import type { NamedKind } from '../context.ts';
import { UsageError } from '../errors.ts';
import { toNumber } from '../json.ts';
import { getToday, parseDateTime, parseDay } from '../parsing/calendar.ts';
import { checkEmail, checkRecordName } from '../parsing/names.ts';
import { findNearest, quoteText, shortenText } from '../parsing/text.ts';

/** `Regular User` → `regular-user`. */
export const toKebabCase = (choice: string): string => choice.toLowerCase().replaceAll(' ', '-');

/** The words that a parameter takes, as people write them; none where it takes others too. */
export const listChoices = (parameter: Parameter): readonly string[] =>
  parameter.choices?.map(toKebabCase) ?? Object.keys(parameter.words ?? {});

/** One text of the command line to the value that the API takes, checked by the operation table. */

/** Digits before the point: JavaScript keeps no more. */
const MAX_DIGITS = 15;

const parseNumber = (text: string, parameter: Parameter): number => {
  const isInteger = parameter.type !== 'number';
  const pattern = isInteger ? /^-?(\d+)$/ : /^-?(\d+)(\.\d+)?$/;
  const digits = pattern.exec(text)?.[1];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = parameter;
  if (digits === undefined) {
    const expected = isInteger ? 'a whole number' : 'a number';
    const hasDecimalComma = !isInteger && /^-?\d+,\d+$/.test(text);
    throw new UsageError(
      `${quoteText(text)} is not ${expected}${hasDecimalComma ? `: write ${text.replace(',', '.')}` : ''}`,
    );
  }
  if (digits.length > MAX_DIGITS) {
    const scope = isInteger ? '' : ' before the decimal point';
    throw new UsageError(`${shortenText(text)} is out of range: at most ${MAX_DIGITS} digits${scope}`);
  }
  const number = toNumber(text);
  if (number < min || number > max) {
    const range = parameter.max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${text} is out of range: ${range}`);
  }
  return number;
};

/** @param prefix names the flag: `--role: ` */
const createChoiceError = (text: string, words: readonly string[], prefix = ''): UsageError => {
  const suggestion = findNearest(toKebabCase(text), words);
  const hint = suggestion === undefined ? undefined : `Did you mean ${suggestion}?`;
  return new UsageError(`${prefix}${quoteText(text)} is not one of ${words.join(', ')}`, { hint });
};

/** Values that are none of a flag's words, for flags that no parameter stands behind. */
export const findChoiceErrors = (
  flags: readonly (readonly [flag: Flag, raw: unknown])[],
): readonly UsageError[] =>
  flags.flatMap(([flag, raw]) => {
    const { choices } = flag;
    if (choices === undefined || raw === undefined || choices.includes(String(raw))) return [];
    return [createChoiceError(String(raw), choices, `${formatLongFlag(flag)}: `)];
  });

const parseChoice = (text: string, parameter: Parameter): string | number => {
  const { choices, words } = parameter;
  if (choices !== undefined) {
    const match = choices.find((choice) => choice === text || toKebabCase(choice) === toKebabCase(text));
    if (match !== undefined) return match;
  } else if (words !== undefined) {
    const number = words[toKebabCase(text)];
    if (number !== undefined) return number;
    if (/^\d+$/.test(text)) return parseNumber(text, parameter);
  }
  throw createChoiceError(text, listChoices(parameter));
};

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export interface Calendar {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA name, or an offset; asked for only when a value needs it. */
  readonly timeZone: () => string;
  /** Told of a time that the zone has twice. */
  readonly note?: (text: string) => void;
}

/** One text to the value that the API takes. @throws UsageError */
export const parseValue = (text: string, parameter: Parameter, calendar: Calendar): unknown => {
  if (parameter.choices !== undefined || parameter.words !== undefined) return parseChoice(text, parameter);
  switch (parameter.type) {
    case 'integer':
    case 'integer[]':
    case 'number':
      return parseNumber(text, parameter);
    case 'date':
      return parseDay(text, () => getToday(calendar.now, calendar.timeZone()));
    case 'datetime':
      return parseDateTime(text, calendar.timeZone, calendar.note);
    case 'email':
      checkEmail(text);
      return text;
    case 'url':
      if (!isWebAddress(text)) {
        throw new UsageError(`${quoteText(text)} is not a web address`, {
          hint: 'Use a full address: https://…',
        });
      }
      return text;
    default:
      return text;
  }
};

export const isListParameter = ({ type }: Parameter): boolean => type.endsWith('[]');

/** Texts that name records, to be looked up later. @throws UsageError for a person's address that is none */
export const parseNames = (
  texts: readonly string[],
  parameter: Parameter,
  kind: NamedKind,
): UnresolvedNames => {
  for (const text of texts) checkRecordName(kind, text);
  const numeric = parameter.type.startsWith('integer');
  const convertId = (id: string) => (numeric && /^\d+$/.test(id) ? toNumber(id) : id);
  const toValue = (ids: readonly string[]) =>
    isListParameter(parameter) ? ids.map(convertId) : convertId(ids[0] ?? '');
  return { kind, texts, toValue };
};
