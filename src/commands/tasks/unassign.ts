import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';
import { flag } from '../options.ts';
import { memberOption, moveMembers, peopleOptions } from './people.ts';

const operation = operations.tasks.unassign;

export const tasksUnassign = (door: Door) =>
  peopleOptions(
    operationCommand('unassign', operation, [
      'ttctl tasks unassign 17 --project 5 --member ana@example.com',
      'ttctl tasks unassign 17 --project 5 --member 12 --member 15 --yes',
    ]),
  )
    .argument('[task]', 'id of the task')
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .addOption(memberOption('member to take off it', 'assignee'))
    .action(
      runOperation(door, operation, async (context, values, [task], options) => {
        await moveMembers(context, {
          verb: ['unassign', 'unassigned'],
          task,
          values,
          options,
          call: (ids, row) => context.api.tasks.unassign({ ...row, ...ids }),
        });
      }),
    );
