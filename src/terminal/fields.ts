import type { Row } from '../api/page.ts';

/** Fields of records by name: `status`, or `total.days` inside an object. */

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** The value of a field, or `undefined`. A field whose own name has the dot wins. */
export const reach = (row: Row, name: string): unknown => {
  if (Object.hasOwn(row, name)) return row[name];
  let value: unknown = row;
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
};

/** The record with these fields only, in this order; one it does not have is `null`. */
export const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, reach(row, name) ?? null]));

/** The fields of all rows in the order in which they appear. */
export const fieldsOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
];

/** Which of the names that a person asked for no row has had. */
export interface FieldWatch {
  see(rows: readonly Row[]): void;
  /** A sentence for stderr, or `undefined` when all is well or there were no rows to judge by. */
  complaint(): string | undefined;
}

export const watchFields = (names: readonly string[], others: readonly string[]): FieldWatch => {
  const missing = new Set(names);
  const known = new Set(others);
  let any = false;
  return {
    see: (rows) => {
      for (const row of rows) {
        any = true;
        for (const field of Object.keys(row)) known.add(field);
        for (const name of missing) if (reach(row, name) !== undefined) missing.delete(name);
      }
    },
    complaint: () => {
      if (!any || missing.size === 0) return undefined;
      return `no record has ${[...missing].join(', ')}; known fields: ${[...known].join(', ')}`;
    },
  };
};
