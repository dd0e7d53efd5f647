import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { contract as contractResource } from '../../resources/contract.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { describeWeekLimit } from '../week-limit.ts';

const operation = operations.contracts.update;

export const contractsUpdate = defineCommand({
  path: 'contracts update',
  operation,
  examples: [
    'ttctl contracts update 17 --weekly-hours-limit 20',
    'ttctl contracts update 17 --status paused',
  ],
  positionals: [{ name: 'contract', about: 'id of the contract', required: false }],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'weekly_hours_limit'),
    flag(operation, 'screenshots'),
    flag(operation, 'rate'),
    flag(operation, 'status'),
  ],
  run: async (context, { values, targets: [contract], options }) => {
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: contractResource.words,
      values,
      record: { name: 'contract', given: contract },
      remark: describeWeekLimit,
      call: (contractId, row) => context.api.contracts.update({ ...row, contractId }),
    });
  },
});
