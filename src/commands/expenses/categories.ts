import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { categoryColumns } from '../../resources/expense/columns.ts';
import { expenseCategory } from '../../resources/expense-category.ts';
import { flag, listFlags } from '../flags.ts';

const operation = operations.expenses.categories;

export const expensesCategories = defineCommand({
  path: 'expenses categories',
  operation,
  examples: ['ttctl expenses categories'],
  flags: [...listFlags(operation), flag(operation, 'id')],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.expenses.categories(values).pages(window), {
      noun: expenseCategory.words[1],
      columns: categoryColumns,
    });
  },
});
