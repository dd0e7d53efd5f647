import { isRecord } from '../../json/number.ts';
import { parseJson } from '../../json/parse.ts';
import { stringifyJson } from '../../json/stringify.ts';
import { getMeaning, isSameValue, type Meaning, toIsoDay } from '../../parsing/meaning.ts';
import type { Field } from '../../resources/resource.ts';

/** A cell of another file, or of JSON in a cell of CSV, as a value. */
export const parseCellText = (text: string): unknown => {
  if (!/^[[{]/.test(text)) return text;
  const parsed = parseJson(text);
  return 'value' in parsed ? parsed.value : text;
};

const isCompound = (value: unknown): boolean => isRecord(value) || Array.isArray(value);

/** Whether a cell says what the record shows, in either form that a day, a number or a word is written in. */
export const isShown = (
  text: string,
  shown: unknown,
  field: Field | undefined,
  parameter?: Meaning,
): boolean => {
  const value = parseCellText(text);
  if (isCompound(value) && isCompound(shown) && stringifyJson(value) === stringifyJson(shown)) return true;
  if (isCompound(shown) && !(Array.isArray(shown) && shown.every((item) => !isCompound(item)))) return false;
  const day = field?.kind === 'date' && typeof value === 'string' ? toIsoDay(value) : value;
  return isSameValue(day, shown, getMeaning(field, parameter));
};
