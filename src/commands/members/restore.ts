import { operations } from '../../api/operations.ts';
import { each } from '../../bulk/each.ts';
import { member } from '../../resources/member.ts';
import { RESTORE } from '../../resources/resource.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';

const operation = operations.members.restore;

export const membersRestore = (door: Door) =>
  targetOptions(operationCommand('restore', operation, ['ttctl members restore 17 18']))
    .argument('[member...]', 'ids or e-mail addresses, or - for one a line on stdin')
    .action(
      runOperation(door, operation, async (context, _values, targets, options) => {
        const work = {
          targets,
          verb: RESTORE,
          noun: member.words,
          asks: false,
          resolve: (target: string) => context.lookUps.find('member', target),
          call: (memberId: string) => context.api.members.restore({ memberId }),
        } as const;
        await each(context, work, options);
      }),
    );
