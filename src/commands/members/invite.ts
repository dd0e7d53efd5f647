import { operations } from '../../api/operations.ts';
import { one } from '../../bulk/one.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';
import { flag, positional } from '../options.ts';

const operation = operations.members.invite;

export const membersInvite = (door: Door) =>
  operationCommand('invite', operation, [
    'ttctl members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user',
  ])
    .addArgument(positional(operation, 'email', 'address that the service sends the invitation to'))
    .addOption(flag(operation, 'firstname'))
    .addOption(flag(operation, 'lastname'))
    .addOption(flag(operation, 'role'))
    .action(
      runOperation(door, operation, async (context, values) => {
        await one(context, {
          call: context.api.members.invite(values),
          target: String(values.email),
          columns: [{ field: 'user_id' }, { field: 'invitation_link', kind: 'secret' }],
          next: ({ user_id }) => `See the new member with: ttctl members get ${user_id}`,
        });
      }),
    );
