import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { assigneeColumns } from '../../resources/task/columns.ts';
import { flag, groupFlags, readFlags } from '../flags.ts';

const operation = operations.tasks.assignees;

export const tasksAssignees = defineCommand({
  path: 'tasks assignees',
  operation,
  examples: ['ttctl tasks assignees 17 --project 5', 'ttctl tasks assignees 17 --project 5 --output ids'],
  positionals: [{ name: 'task', about: 'id of the task', required: true }],
  flags: [
    ...readFlags(operation),
    ...groupFlags,
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
  ],
  run: async ({ api, names, output, window }, { values, targets: [taskId = ''] }) => {
    const call = api.tasks.assignees({ ...values, taskId });
    call.check('written');
    await output.list(call.pages(window), {
      noun: 'assignees',
      columns: assigneeColumns(names),
      id: 'user_id',
    });
  },
});
