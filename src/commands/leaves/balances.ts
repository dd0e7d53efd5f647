import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { balanceColumns } from '../../resources/leave/columns.ts';
import { flag, listFlags, memberFilter, periodFlag } from '../flags.ts';

const operation = operations.leaves.balances;

export const leavesBalances = defineCommand({
  path: 'leaves balances',
  operation,
  examples: [
    'ttctl leaves balances --period this-year',
    'ttctl leaves balances --date-from 2026-01-01 --date-to 2026-12-31 --member ana@example.com',
  ],
  flags: [
    ...listFlags(operation),
    flag(operation, 'date_from'),
    flag(operation, 'date_to'),
    periodFlag,
    memberFilter(operation),
  ],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.leaves.balances(values).pages(window), {
      noun: 'leave balances',
      columns: balanceColumns(names),
      id: 'user_id',
    });
  },
});
