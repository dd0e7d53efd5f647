import type { Column } from '../context.ts';

/** The columns that people see: those asked for, as the view describes them, else the view's. */
export const humanColumns = (
  view: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] =>
  names?.map((name) => view.find((column) => column.field === name) ?? { field: name }) ?? view;
