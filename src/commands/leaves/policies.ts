import { operations } from '../../api/operations.ts';
import { policyColumns } from '../../resources/leave/columns.ts';
import { leavePolicy } from '../../resources/leave-policy.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.leaves.policies;

export const leavesPolicies = (door: Door) =>
  listOptions(operationCommand('policies', operation, ['ttctl leaves policies']))
    .addOption(flag(operation, 'id'))
    .action(
      runOperation(door, operation, async ({ api, output, window }, values) => {
        await output.list(api.leaves.policies(values).pages(window), {
          noun: leavePolicy.words[1],
          columns: policyColumns,
        });
      }),
    );
