import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { expense } from '../../resources/expense.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { bodyOptions } from './body.ts';

const operation = operations.expenses.update;

export const expensesUpdate = (door: Door) =>
  bodyOptions(
    targetOptions(
      operationCommand('update', operation, [
        'ttctl expenses update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --name "Train to Porto" --date 2026-11-20 --amount 52.10 --category 4',
      ]),
    ),
    operation,
  )
    .argument('[id]', 'id of the expense')
    .action(
      runOperation(door, operation, async (context, values, [id], options) => {
        const work: One<typeof values> = {
          verb: ['update', 'updated'],
          noun: expense.words,
          values,
          record: { name: 'id', given: id },
          call: (row, expenseId) => context.api.expenses.update({ ...row, expenseId }),
        };
        await one(context, work, options);
      }),
    );
