import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { timeRequestDetails } from '../../resources/time-request/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, zoneOption } from '../command.ts';

const operation = operations.timeRequests.get;

export const timeRequestsGet = (door: Door) =>
  operationCommand('get', operation, ['ttctl time-requests get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'])
    .argument('<id>', 'id of the request')
    .addOption(zoneOption())
    .action(
      runOperation(door, operation, async ({ api, names, output }, values, [id = '']) => {
        const call = api.timeRequests.get({ ...values, id });
        call.check('written');
        const { data } = await call.send();
        await output.record(data as Row, timeRequestDetails(names));
      }),
    );
