import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { contractDetails } from '../../resources/contract/columns.ts';
import { wholeRecord } from '../../resources/display/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';

const operation = operations.contracts.get;

export const contractsGet = (door: Door) =>
  operationCommand('get', operation, ['ttctl contracts get 17', 'ttctl contracts get 17 --output json'])
    .argument('<contract>', 'id of the contract')
    .action(
      runOperation(door, operation, async ({ api, names, output }, values, [contractId = '']) => {
        const call = api.contracts.get({ ...values, contractId });
        call.check('written');
        const { data } = await call.send();
        const record = data as Row;
        await output.record(record, wholeRecord(record, contractDetails(names)));
      }),
    );
