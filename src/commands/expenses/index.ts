import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { expensesCategories } from './categories.ts';
import { expensesCreate } from './create.ts';
import { expensesDelete } from './delete.ts';
import { expensesList } from './list.ts';
import { expensesUpdate } from './update.ts';

export const expenses = (group: Command, door: Door): Command =>
  group
    .addCommand(expensesList(door))
    .addCommand(expensesCreate(door))
    .addCommand(expensesUpdate(door))
    .addCommand(expensesDelete(door))
    .addCommand(expensesCategories(door));
