import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { leaveColumns } from '../../resources/leave/columns.ts';
import { listFlags, periodFlag } from '../flags.ts';
import { decidableLeave } from './decidable.ts';

const operation = operations.leaves.list;

export const leavesList = defineCommand({
  path: 'leaves list',
  operation,
  examples: [
    'ttctl leaves list --status pending',
    'ttctl leaves list --member ana@example.com --period this-month',
    'ttctl leaves list --policy 3 --paid no --output csv',
  ],
  flags: [...listFlags(operation), ...decidableLeave.filters, periodFlag],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.leaves.list(values).pages(window), {
      noun: decidableLeave.resource.words[1],
      columns: leaveColumns(names, values.status !== undefined),
    });
  },
});
