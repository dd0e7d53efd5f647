import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { expenseColumns } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { flag, listFlags, memberFilter, periodFlag } from '../flags.ts';

const operation = operations.expenses.list;

export const expensesList = defineCommand({
  path: 'expenses list',
  operation,
  examples: [
    'ttctl expenses list --period last-month',
    'ttctl expenses list --date-from 2026-10-01 --sort amount:desc --output csv',
  ],
  flags: [
    ...listFlags(operation),
    flag(operation, 'id'),
    memberFilter(operation),
    flag(operation, 'date_from'),
    flag(operation, 'date_to'),
    periodFlag,
  ],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.expenses.list(values).pages(window), {
      noun: expense.words[1],
      columns: expenseColumns,
    });
  },
});
