import type { Column } from '../../context.ts';

export const expenseColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'member', least: 10, drop: 1 },
  { field: 'expense_name', title: 'name', least: 12 },
  { field: 'expense_date', title: 'date', kind: 'date', drop: 2 },
  { field: 'amount', kind: 'money' },
  { field: 'category', drop: 3, least: 12 },
  { field: 'project', drop: 4, least: 12 },
  { field: 'type', title: 'billing', drop: 5 },
  { field: 'note', sparse: true, drop: 6, least: 16 },
  { field: 'added_dte', title: 'added', kind: 'date', sparse: true, drop: 7 },
  { field: 'added_date', title: 'added', kind: 'date', sparse: true, drop: 7 },
];

export const categoryColumns: readonly Column[] = [{ field: 'id' }, { field: 'name' }];

/** An expense in a few words, for questions. */
export const expenseWords: readonly Column[] = [
  { field: 'member' },
  { field: 'expense_name' },
  { field: 'expense_date', kind: 'date' },
  { field: 'amount', kind: 'money' },
  { field: 'id' },
];
