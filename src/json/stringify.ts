import { countSerializedNumbers, isRecord, JsonNumber } from './number.ts';

/** Writes one value by hand, as `JSON.stringify` does, and numbers by their digits. */
const writeValue = (value: unknown, gap: string, lead: string): string | undefined => {
  if (value instanceof JsonNumber) return value.token;
  const inner = `${lead}${gap}`;
  const wrap = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return open + close;
    return gap === ''
      ? `${open}${parts.join(',')}${close}`
      : `${open}${inner}${parts.join(`,${inner}`)}${lead}${close}`;
  };
  if (Array.isArray(value))
    return wrap(
      '[',
      value.map((item) => writeValue(item, gap, inner) ?? 'null'),
      ']',
    );
  if (!isRecord(value) || typeof value['toJSON'] === 'function') return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = writeValue(member, gap, inner);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${gap === '' ? '' : ' '}${text}`];
  });
  return wrap('{', members, '}');
};

/**
 * JSON in which every number has the digits that it was read with; otherwise as `JSON.stringify`. `undefined`
 * becomes `null`.
 * @param indent spaces; 0 for one line
 */
export const stringifyJson = (value: unknown, indent = 0): string => {
  const before = countSerializedNumbers();
  const json = JSON.stringify(value, undefined, indent);
  if (countSerializedNumbers() === before) return json ?? 'null';
  return writeValue(value, ' '.repeat(indent), indent === 0 ? '' : '\n') ?? 'null';
};

/** A JSON value as text: a text as it is, nothing for null, JSON for what is nested. Never throws. */
export const toText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : stringifyJson(value);
};
