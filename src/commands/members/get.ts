import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { wholeRecord } from '../../resources/display/columns.ts';
import { memberDetails } from '../../resources/member/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';

const operation = operations.members.get;

export const membersGet = (door: Door) =>
  operationCommand('get', operation, [
    'ttctl members get 17',
    'ttctl members get ana@example.com --output json',
  ])
    .argument('<member>', 'id or e-mail address')
    .action(
      runOperation(door, operation, async ({ api, lookUps, output }, values, [member = '']) => {
        const call = api.members.get({ ...values, memberId: await lookUps.find('member', member) });
        const { data } = await call.send();
        const record = data as Row;
        await output.record(record, wholeRecord(record, memberDetails));
      }),
    );
