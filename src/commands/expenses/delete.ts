import { operations } from '../../api/operations.ts';
import { each } from '../../bulk/each.ts';
import { expenseWords } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { rowOf } from '../row.ts';

const operation = operations.expenses.delete;

export const expensesDelete = (door: Door) =>
  targetOptions(
    operationCommand('delete', operation, ['ttctl expenses delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b']),
  )
    .argument('[id...]', 'ids of expenses, or - for one a line on stdin')
    .action(
      runOperation(door, operation, async (context, _values, targets, options) => {
        const work = {
          targets,
          verb: ['delete', 'deleted'],
          noun: expense.words,
          asks: true,
          facts: ['There is no way back.'],
          call: (expenseId: string) => context.api.expenses.delete({ expenseId }),
          shown: {
            columns: expenseWords,
            row: (id: string) => rowOf(context.api.expenses.list({ id }).pages(), id),
          },
        } as const;
        await each(context, work, options);
      }),
    );
