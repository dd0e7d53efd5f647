import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { expenseColumns } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { targetFlags } from '../target-flags.ts';
import { expenseBodyFlags } from './body.ts';

const operation = operations.expenses.create;

export const expensesCreate = defineCommand({
  path: 'expenses create',
  operation,
  examples: [
    'ttctl expenses create --name Hosting --date yesterday --amount 12 --category 4 --project 9 --billable',
    'ttctl expenses create --name "Train to Porto" --date 2026-11-20 --amount 48.60 --category 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl expenses create --from-file expenses.csv',
  ],
  flags: [...targetFlags(operation, 'this day, name and amount'), ...expenseBodyFlags(operation)],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: expense.words,
      values,
      call: (_, row) => context.api.expenses.create(row),
      target: ({ expense_name }) => expense_name,
      columns: expenseColumns,
      hint: ({ id }) => `Undo with: ${context.commandLine`ttctl expenses delete ${id ?? placeholder('id')}`}`,
    });
  },
});
