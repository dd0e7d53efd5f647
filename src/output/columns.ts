import type { ListPage, Row } from '../api/page.ts';
import { collectFields, getField } from './fields.ts';
import type { Column, ListView } from './list-view.ts';

/** The columns that people see: those asked for, as the view describes them, else the view's. */
export const chooseColumns = (
  view: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] =>
  names?.map((name) => view.find((column) => column.field === name) ?? { field: name }) ??
  view.filter(({ named }) => named === undefined);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether none of these rows has a value for the column. */
export const isEmpty = ({ field, show, derived }: Column, rows: readonly Row[]): boolean =>
  rows.every((row) => isNothing(derived === true ? show?.(row) : getField(row, field)));

/** The columns but the sparse ones that none of these rows has a value for. */
export const removeEmptyColumns = (columns: readonly Column[], rows: readonly Row[]): readonly Column[] =>
  columns.filter((column) => column.sparse === undefined || !isEmpty(column, rows));

interface Choice {
  readonly view: ListView;
  /** `--columns`. */
  readonly columns: readonly string[] | undefined;
}

/** The columns to show: those asked for, else the view's that are not empty, else every field of these rows. */
export const selectColumns = ({ view, columns }: Choice, rows: readonly Row[]): readonly Column[] => {
  const chosen = chooseColumns(view.columns, columns);
  if (columns !== undefined) return chosen;
  const known = removeEmptyColumns(chosen, rows);
  return known.length > 0 ? known : collectFields(rows).map((field) => ({ field }));
};

const filled = (row: Row, columns: readonly Column[]): Row => {
  const more = columns.filter(({ field }) => !Object.hasOwn(row, field));
  return { ...row, ...Object.fromEntries(more.map(({ field, show }) => [field, show?.(row) ?? null])) };
};

/** The rows with the derived fields of the view that an option names, so that every format and option has them. */
export async function* withDerived(
  pages: AsyncIterable<ListPage>,
  { columns }: ListView,
  names: readonly string[],
): AsyncGenerator<ListPage> {
  const wanted = columns.filter(({ derived, field }) => derived === true && names.includes(field));
  if (wanted.length === 0) yield* pages;
  else for await (const page of pages) yield { ...page, rows: page.rows.map((row) => filled(row, wanted)) };
}
