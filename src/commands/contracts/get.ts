import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { contractDetails } from '../../resources/contract/columns.ts';
import { createRecordColumns } from '../../resources/display/columns.ts';
import { readFlags } from '../flags.ts';

const operation = operations.contracts.get;

export const contractsGet = defineCommand({
  path: 'contracts get',
  operation,
  examples: ['ttctl contracts get 17', 'ttctl contracts get 17 --output json'],
  positionals: [{ name: 'contract', about: 'id of the contract', required: true }],
  flags: [...readFlags(operation)],
  run: async ({ api, names, output }, { values, targets: [contractId = ''] }) => {
    const call = api.contracts.get({ ...values, contractId });
    call.check('written');
    const { data } = await call.send();
    const record = data as Row;
    await output.record(record, createRecordColumns(record, contractDetails(names)));
  },
});
