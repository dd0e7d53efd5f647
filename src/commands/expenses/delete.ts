import { operations } from '../../api/operations.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { expenseWords } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { findRow } from '../filters.ts';
import { variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.expenses.delete;

export const expensesDelete = defineCommand({
  path: 'expenses delete',
  operation,
  examples: ['ttctl expenses delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  positionals: [variadic('id', 'ids of expenses, or - to read them from stdin')],
  flags: [...targetFlags(operation)],
  run: async (context, { targets, options }) => {
    await writeMany(context, options, {
      targets,
      verb: ['delete', 'deleted'],
      noun: expense.words,
      needsConfirmation: true,
      facts: ['This cannot be undone.'],
      findId: createIdFinder(context, () => context.lists.pages(context.api.expenses.list({})), expenseWords),
      call: (expenseId) => context.api.expenses.delete({ expenseId }),
      shown: {
        columns: expenseWords,
        row: (id) => findRow(context.api.expenses.list({ id }).pages(), id),
      },
    });
  },
});
