import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { task as taskResource } from '../../resources/task.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.tasks.update;

export const tasksUpdate = (door: Door) =>
  targetOptions(
    operationCommand('update', operation, [
      'ttctl tasks update 17 --project 5 --status done',
      'ttctl tasks update 17 --project 5 --title "Home page, again" --priority urgent',
    ]),
  )
    .argument('[task]', 'id of the task')
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .addOption(flag(operation, 'title', { about: 'new title' }))
    .addOption(flag(operation, 'description'))
    .addOption(flag(operation, 'status'))
    .addOption(flag(operation, 'priority'))
    .addOption(flag(operation, 'start_date'))
    .addOption(flag(operation, 'end_date'))
    .addOption(
      flag(operation, 'assignees', {
        as: 'assignee',
        lookup: 'member',
        about: 'the members it is assigned to, in place of those before',
      }),
    )
    .action(
      runOperation(door, operation, async (context, values, [task], options) => {
        const work: One<typeof values> = {
          verb: ['update', 'updated'],
          noun: taskResource.words,
          values,
          record: { name: 'task', given: task },
          call: (row, taskId) => context.api.tasks.update({ ...row, taskId }),
        };
        await one(context, work, options);
      }),
    );
