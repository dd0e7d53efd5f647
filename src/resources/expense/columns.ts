import { expense, expenseCategory } from '../../api/records.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns } from '../display/columns.ts';

const column = createColumns(expense.fields);
const category = createColumns(expenseCategory.fields);

export const expenseColumns: readonly Column[] = [
  column('member', { least: 10, drop: 1 }),
  column('expense_name', { least: 12 }),
  column('expense_date', { drop: 1 }),
  column('amount'),
  column('category', { drop: 2, least: 12 }),
  column('project', { drop: 2, least: 12 }),
  column('type', { drop: 5 }),
  column('note', { sparse: true, drop: 6, least: 16 }),
  column('added_dte', { sparse: true, drop: 7 }),
  { field: 'added_date', title: 'added', kind: 'date', sparse: true, drop: 7 },
  column('id', { short: true }),
];

export const categoryColumns: readonly Column[] = [category('name'), category('id')];

/** An expense in a few words, for questions. */
export const expenseWords: readonly Column[] = [
  column('member'),
  column('expense_name'),
  column('expense_date'),
  column('amount'),
  column('id'),
];
