import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { member } from '../../resources/member.ts';
import { flag, positional, secretsFlag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.members.invite;

export const membersInvite = defineCommand({
  path: 'members invite',
  operation,
  examples: [
    'ttctl members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user',
    'ttctl members invite --from-file people.csv --role regular-user',
  ],
  positionals: [positional(operation, 'email', 'e-mail address to invite')],
  flags: [
    ...targetFlags(operation, 'this address'),
    flag(operation, 'firstname'),
    flag(operation, 'lastname'),
    flag(operation, 'role'),
    secretsFlag,
  ],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['invite', 'invited'],
      noun: member.words,
      values,
      call: (_, row) => context.api.members.invite(row),
      target: ({ email }) => email,
      once: true,
      columns: [{ field: 'user_id' }, { field: 'invitation_link', kind: 'secret' }],
      hint: ({ user_id }) =>
        `Invited ${values.email}. The link is in the invitation e-mail (--show-secrets prints it). See the new member with: ${context.commandLine`ttctl members get ${user_id ?? values.email}`}`,
    });
  },
});
