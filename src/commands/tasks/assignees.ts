import { operations } from '../../api/operations.ts';
import { assigneeColumns } from '../../resources/task/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { groupOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.tasks.assignees;

export const tasksAssignees = (door: Door) =>
  groupOptions(
    operationCommand('assignees', operation, [
      'ttctl tasks assignees 17 --project 5',
      'ttctl tasks assignees 17 --project 5 --output ids',
    ]),
  )
    .argument('<task>', 'id of the task')
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .action(
      runOperation(door, operation, async ({ api, names, output, window }, values, [taskId = '']) => {
        const call = api.tasks.assignees({ ...values, taskId });
        call.check('written');
        await output.list(call.pages(window), {
          noun: 'assignees',
          columns: assigneeColumns(names),
          id: 'user_id',
        });
      }),
    );
