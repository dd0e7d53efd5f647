import { compareNumbers, isNumber } from '../json/number.ts';

/** What the values of a JMESPath expression are: JSON values, and references to expressions. */

export type Fields = Readonly<{ [name: string]: unknown }>;

/** `&field`: what it gives of one value. */
export type Reference = (value: unknown) => unknown;

/** As the specification of JMESPath names them. */
export type Type = 'number' | 'string' | 'boolean' | 'array' | 'object' | 'null' | 'expref';

export const typeOf = (value: unknown): Type => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'function') return 'expref';
  if (isNumber(value)) return 'number';
  return typeof value as 'number' | 'string' | 'boolean' | 'object';
};

export const isRecord = (value: unknown): value is Fields => typeOf(value) === 'object';

/** The record's own field: `constructor` is none. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;

/** Of two numbers, or two strings; anything else has no order. */
export const orderOf = (one: unknown, other: unknown): number | undefined => {
  const [type, otherType] = [typeOf(one), typeOf(other)];
  if (type !== otherType || (type !== 'number' && type !== 'string')) return undefined;
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  const [a, b] = [one as string, other as string];
  return a < b ? -1 : Number(a > b);
};

/** What a filter leaves out. */
export const isFalse = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
};
