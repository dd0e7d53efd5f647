import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';
import { flag } from '../options.ts';
import { memberOption, moveMembers, peopleOptions } from './people.ts';

const operation = operations.tasks.assign;

export const tasksAssign = (door: Door) =>
  peopleOptions(
    operationCommand('assign', operation, [
      'ttctl tasks assign 17 --project 5 --member ana@example.com',
      'ttctl tasks assign 17 --project 5 --member 12 --member 15 --yes',
      'ttctl tasks assign --project 5 --from-file work.csv',
    ]),
  )
    .argument('[task]', 'id of the task')
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .addOption(memberOption('member to assign', 'colleague'))
    .action(
      runOperation(door, operation, async (context, values, [task], options) => {
        await moveMembers(context, {
          verb: ['assign', 'assigned'],
          task,
          values,
          options,
          call: (ids, row) => context.api.tasks.assign({ ...row, ...ids }),
        });
      }),
    );
