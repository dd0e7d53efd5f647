import type { Group, Noun } from '../../cli/command.ts';
import { expensesCategories } from './categories.ts';
import { expensesCreate } from './create.ts';
import { expensesDelete } from './delete.ts';
import { expensesList } from './list.ts';
import { expensesUpdate } from './update.ts';

export const expenses = (noun: Noun): Group => ({
  ...noun,
  commands: [expensesList, expensesCreate, expensesUpdate, expensesDelete, expensesCategories],
});
