import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { member as memberResource } from '../../resources/member.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { describeWeekLimit } from '../week-limit.ts';

const operation = operations.members.update;

export const membersUpdate = defineCommand({
  path: 'members update',
  operation,
  examples: [
    'ttctl members update 17 --weekly-hours-limit 32',
    'ttctl members update ana@example.com --role project-manager --rate-status hidden',
    'ttctl members update --from-file changes.csv',
  ],
  positionals: [{ name: 'member', about: 'id, e-mail address or full name', required: false }],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'email', { about: 'new e-mail address' }),
    flag(operation, 'firstname'),
    flag(operation, 'lastname'),
    flag(operation, 'timezone'),
    flag(operation, 'role'),
    flag(operation, 'rate_status'),
    flag(operation, 'weekly_hours_limit'),
    { ...flag(operation, 'remove_avatar'), unsafe: true },
  ],
  run: async (context, { values, targets: [member], options }) => {
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: memberResource.words,
      values,
      record: { name: 'member', given: member },
      resolve: (text, among) => context.lookUps.find('member', text, among),
      remark: describeWeekLimit,
      call: (memberId, row) => context.api.members.update({ ...row, memberId }),
    });
  },
});
