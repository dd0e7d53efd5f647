import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { policyColumns } from '../../resources/leave/columns.ts';
import { leavePolicy } from '../../resources/leave-policy.ts';
import { flag, listFlags } from '../flags.ts';

const operation = operations.leaves.policies;

export const leavesPolicies = defineCommand({
  path: 'leaves policies',
  operation,
  examples: ['ttctl leaves policies'],
  flags: [...listFlags(operation), flag(operation, 'id')],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.leaves.policies(values).pages(window), {
      noun: leavePolicy.words[1],
      columns: policyColumns,
    });
  },
});
