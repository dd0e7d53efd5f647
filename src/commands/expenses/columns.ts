import type { Column } from '../../context.ts';

export const expenseColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'member', drop: 1 },
  { field: 'expense_name', title: 'name' },
  { field: 'expense_date', title: 'date' },
  { field: 'amount', kind: 'money' },
  { field: 'category', drop: 2 },
  { field: 'project', drop: 3 },
  { field: 'type', title: 'billing', drop: 4 },
  { field: 'note', drop: 5 },
  { field: 'added_dte', title: 'added', drop: 6 },
];

export const categoryColumns: readonly Column[] = [{ field: 'id' }, { field: 'name' }];
