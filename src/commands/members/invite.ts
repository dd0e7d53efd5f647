import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { member } from '../../resources/member.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, secretsOption, targetOptions } from '../command.ts';
import { flag, positional } from '../options.ts';

const operation = operations.members.invite;

export const membersInvite = (door: Door) =>
  targetOptions(
    operationCommand('invite', operation, [
      'ttctl members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user',
      'ttctl members invite --from-file people.csv --role regular-user',
    ]),
  )
    .addArgument(positional(operation, 'email', 'address that the service sends the invitation to'))
    .addOption(flag(operation, 'firstname'))
    .addOption(flag(operation, 'lastname'))
    .addOption(flag(operation, 'role'))
    .addOption(secretsOption())
    .action(
      runOperation(door, operation, async (context, values, _targets, options) => {
        const work: One<typeof values> = {
          verb: ['invite', 'invited'],
          noun: member.words,
          values,
          call: (row) => context.api.members.invite(row),
          target: ({ email }) => email,
          once: true,
          columns: [{ field: 'user_id' }, { field: 'invitation_link', kind: 'secret' }],
          hint: ({ user_id }) =>
            `Invited ${values.email}; the link is in the e-mail to them (--show-secrets prints it too). See the new member with: ${context.commandLine`ttctl members get ${user_id ?? values.email}`}`,
        };
        await one(context, work, options);
      }),
    );
