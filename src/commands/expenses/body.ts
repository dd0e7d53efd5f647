import type { operations } from '../../api/operations.ts';
import { flag } from '../flags.ts';

type WriteOperation = typeof operations.expenses.create | typeof operations.expenses.update;

/** The fields of an expense as flags, the same for create and update. */
export const expenseBodyFlags = (operation: WriteOperation) =>
  [
    flag(operation, 'expense_name', { as: 'name' }),
    flag(operation, 'date'),
    flag(operation, 'amount'),
    flag(operation, 'category_id', { as: 'category', lookup: 'category' }),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    flag(operation, 'note'),
    flag(operation, 'is_billable', { as: 'billable' }),
    { name: 'no-billable', about: 'not billable' },
  ] as const;
