import type { Row } from '../api/page.ts';
import type { Column } from '../context.ts';
import type { Format } from '../format.ts';
import { reach } from './fields.ts';

/** Whether people read this format: names in place of ids. */
export const isForPeople = (format: Format): boolean => format === 'table' || format === 'markdown';

/** The columns that people see: those asked for, as the view describes them, else the view's. */
export const humanColumns = (
  view: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] =>
  names?.map((name) => view.find((column) => column.field === name) ?? { field: name }) ?? view;

/** The columns but the sparse ones that none of these rows has a value for. */
export const withoutEmpty = (columns: readonly Column[], rows: readonly Row[]): readonly Column[] =>
  columns.filter(
    ({ sparse, field }) => sparse === undefined || rows.some((row) => reach(row, field) != null),
  );
