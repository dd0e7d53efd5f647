import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { contract as contractResource } from '../../resources/contract.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag } from '../options.ts';
import { weekRemark } from '../week.ts';

const operation = operations.contracts.update;

export const contractsUpdate = (door: Door) =>
  targetOptions(
    operationCommand('update', operation, [
      'ttctl contracts update 17 --weekly-hours-limit 20',
      'ttctl contracts update 17 --status paused',
    ]),
  )
    .argument('[contract]', 'id of the contract')
    .addOption(flag(operation, 'weekly_hours_limit'))
    .addOption(flag(operation, 'screenshots'))
    .addOption(flag(operation, 'rate'))
    .addOption(flag(operation, 'status'))
    .action(
      runOperation(door, operation, async (context, values, [contract], options) => {
        const work: One<typeof values> = {
          verb: ['update', 'updated'],
          noun: contractResource.words,
          values,
          record: { name: 'contract', given: contract },
          remark: weekRemark,
          call: (row, contractId) => context.api.contracts.update({ ...row, contractId }),
        };
        await one(context, work, options);
      }),
    );
