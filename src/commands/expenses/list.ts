import { operations } from '../../api/operations.ts';
import { expenseColumns } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand, periodOption } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.expenses.list;

export const expensesList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl expenses list --period last-month',
      'ttctl expenses list --date-from 2026-10-01 --sort amount:desc --output csv',
    ]),
  )
    .addOption(flag(operation, 'id'))
    .addOption(flag(operation, 'date_from'))
    .addOption(flag(operation, 'date_to'))
    .addOption(periodOption())
    .action(
      runOperation(door, operation, async ({ api, output, window }, values) => {
        await output.list(api.expenses.list(values).pages(window), {
          noun: expense.words[1],
          columns: expenseColumns,
        });
      }),
    );
