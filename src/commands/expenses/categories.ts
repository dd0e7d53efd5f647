import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag, listFlags } from '../flags.ts';
import { categoryColumns } from './columns.ts';

const operation = operations.expenses.categories;

export const expensesCategories = defineCommand({
  path: 'expenses categories',
  operation,
  examples: ['ttctl expenses categories'],
  flags: [...listFlags(operation), flag(operation, 'id')],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.expenses.categories(values).pages(window), {
      noun: 'expense categories',
      columns: categoryColumns,
    });
  },
});
