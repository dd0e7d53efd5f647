import { operations } from '../../api/operations.ts';
import { categoryColumns } from '../../resources/expense/columns.ts';
import { expenseCategory } from '../../resources/expense-category.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.expenses.categories;

export const expensesCategories = (door: Door) =>
  listOptions(operationCommand('categories', operation, ['ttctl expenses categories']))
    .addOption(flag(operation, 'id'))
    .action(
      runOperation(door, operation, async ({ api, output, window }, values) => {
        await output.list(api.expenses.categories(values).pages(window), {
          noun: expenseCategory.words[1],
          columns: categoryColumns,
        });
      }),
    );
