import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { member as memberResource } from '../../resources/member.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag } from '../options.ts';
import { unsafe } from '../unsafe.ts';
import { weekRemark } from '../week.ts';

const operation = operations.members.update;

export const membersUpdate = (door: Door) =>
  targetOptions(
    operationCommand('update', operation, [
      'ttctl members update 17 --weekly-hours-limit 32',
      'ttctl members update ana@example.com --role project-manager --rate-status hidden',
      'ttctl members update --from-file changes.csv',
    ]),
  )
    .argument('[member]', 'id or e-mail address')
    .addOption(flag(operation, 'email', { about: 'new e-mail address' }))
    .addOption(flag(operation, 'firstname'))
    .addOption(flag(operation, 'lastname'))
    .addOption(flag(operation, 'timezone'))
    .addOption(flag(operation, 'role'))
    .addOption(flag(operation, 'rate_status'))
    .addOption(flag(operation, 'weekly_hours_limit'))
    .addOption(unsafe(flag(operation, 'remove_avatar')))
    .action(
      runOperation(door, operation, async (context, values, [member], options) => {
        const work: One<typeof values> = {
          verb: ['update', 'updated'],
          noun: memberResource.words,
          values,
          record: {
            name: 'member',
            given: member,
            find: (text) => context.lookUps.find('member', text),
          },
          remark: weekRemark,
          call: (row, memberId) => context.api.members.update({ ...row, memberId }),
        };
        await one(context, work, options);
      }),
    );
