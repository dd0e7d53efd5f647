import type { Row } from '../api/page.ts';
import { isNumber } from '../json/number.ts';

/** Fields of records by name: `status`, or `total.days` inside an object. */

const hasMembers = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !isNumber(value);

/** The value of a field, or `undefined`. A field whose own name has the dot wins. */
export const getField = (row: Row, name: string): unknown => {
  if (hasMembers(row) && Object.hasOwn(row, name)) return row[name];
  let value: unknown = row;
  for (const part of name.split('.')) {
    if (!hasMembers(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
};

/** The record with these fields only, in this order; one it does not have is `null`. */
export const pickFields = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, getField(row, name) ?? null]));

/** The fields of all rows in the order in which they appear. */
export const collectFields = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap((row) => (hasMembers(row) ? Object.keys(row) : []))),
];
