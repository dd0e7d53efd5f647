import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { wholeRecord } from '../../resources/display/columns.ts';
import { viewerColumns } from '../../resources/viewer/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';

const operation = operations.viewers.get;

export const viewersGet = (door: Door) =>
  operationCommand('get', operation, [
    'ttctl viewers get 17',
    'ttctl viewers get ana@example.com --output json',
  ])
    .argument('<viewer>', 'id or e-mail address')
    .action(
      runOperation(door, operation, async ({ api, lookUps, output }, values, [viewer = '']) => {
        const viewerId = await lookUps.find('viewer', viewer);
        const { data } = await api.viewers.get({ ...values, viewerId }).send();
        const record = data as Row;
        await output.record(record, wholeRecord(record, viewerColumns));
      }),
    );
