import type { Column, NameSource } from '../context.ts';

/** A column that shows the name behind an id; the other formats give the id. */
export const nameColumn = (
  names: NameSource,
  field: string,
  title: string,
  more: Partial<Column> = {},
): Column => ({
  field,
  title,
  load: (rows) => names.load(rows.map((row) => row[field])),
  show: (row) => names.of(row[field]),
  ...more,
});
