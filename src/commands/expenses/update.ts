import { operations } from '../../api/operations.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { expenseWords } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { targetFlags } from '../target-flags.ts';
import { expenseBodyFlags } from './body.ts';

const operation = operations.expenses.update;

export const expensesUpdate = defineCommand({
  path: 'expenses update',
  operation,
  examples: [
    'ttctl expenses update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --name "Train to Porto" --date 2026-11-20 --amount 52.10 --category 4',
  ],
  positionals: [{ name: 'id', about: 'id of the expense', required: false }],
  flags: [...targetFlags(operation), ...expenseBodyFlags(operation)],
  run: async (context, { values, targets: [id], options }) => {
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: expense.words,
      values,
      record: { name: 'id', given: id },
      findId: createIdFinder(context, () => context.lists.pages(context.api.expenses.list({})), expenseWords),
      call: (expenseId, row) => context.api.expenses.update({ ...row, expenseId }),
    });
  },
});
