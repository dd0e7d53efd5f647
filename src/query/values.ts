import { isNumber } from '../json.ts';

/** What the values of a JMESPath expression are: JSON values, and references to expressions. */

export type QueryObject = Readonly<{ [name: string]: unknown }>;

/** `&field`: what it gives of one value. */
export type ExpressionReference = (value: unknown) => unknown;

/** As the specification of JMESPath names them. */
export type QueryType = 'number' | 'string' | 'boolean' | 'array' | 'object' | 'null' | 'expref';

export const getQueryType = (value: unknown): QueryType => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'function') return 'expref';
  if (isNumber(value)) return 'number';
  return typeof value as 'number' | 'string' | 'boolean' | 'object';
};

export const isQueryObject = (value: unknown): value is QueryObject => getQueryType(value) === 'object';

/** The record's own field: `constructor` is none. */
export const getOwnField = (value: unknown, name: string): unknown =>
  isQueryObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;

/** Of two numbers, or two strings; anything else has no order. */
export const compareOrdered = (one: unknown, other: unknown): number | undefined => {
  const [type, otherType] = [getQueryType(one), getQueryType(other)];
  if (type !== otherType || (type !== 'number' && type !== 'string')) return undefined;
  if (isNumber(one) && isNumber(other)) return one - other;
  const [a, b] = [one as string, other as string];
  return a < b ? -1 : Number(a > b);
};

/** What a filter leaves out. */
export const isFalse = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isQueryObject(value) && Object.keys(value).length === 0;
};
