import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag, listFlags } from '../flags.ts';
import { policyColumns } from './columns.ts';

const operation = operations.leaves.policies;

export const leavesPolicies = defineCommand({
  path: 'leaves policies',
  operation,
  examples: ['ttctl leaves policies'],
  flags: [...listFlags(operation), flag(operation, 'id')],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.leaves.policies(values).pages(window), {
      noun: 'leave policies',
      columns: policyColumns,
    });
  },
});
