import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { expensesCategories } from './categories.ts';
import { expensesCreate } from './create.ts';
import { expensesDelete } from './delete.ts';
import { expensesList } from './list.ts';
import { expensesUpdate } from './update.ts';

export const expenses = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: expensesList,
    create: expensesCreate,
    update: expensesUpdate,
    delete: expensesDelete,
    categories: expensesCategories,
  });
