import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { task as taskResource } from '../../resources/task.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.tasks.update;

export const tasksUpdate = defineCommand({
  path: 'tasks update',
  operation,
  examples: [
    'ttctl tasks update 17 --project 5 --status done',
    'ttctl tasks update 17 --project 5 --title "Home page, again" --priority urgent',
  ],
  positionals: [{ name: 'task', about: 'id of the task', required: false }],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    flag(operation, 'title', { about: 'new title' }),
    flag(operation, 'description'),
    flag(operation, 'status'),
    flag(operation, 'priority'),
    flag(operation, 'start_date'),
    flag(operation, 'end_date'),
    flag(operation, 'assignees', {
      as: 'assignee',
      lookup: 'member',
      about: 'members to assign, replacing the current ones',
    }),
  ],
  run: async (context, { values, targets: [task], options }) => {
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: taskResource.words,
      values,
      record: { name: 'task', given: task },
      call: (taskId, row) => context.api.tasks.update({ ...row, taskId }),
    });
  },
});
