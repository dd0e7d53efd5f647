import { operations } from '../../api/operations.ts';
import { taskColumns } from '../../resources/task/columns.ts';
import { task } from '../../resources/task.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.tasks.list;

export const tasksList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl tasks list --project 5',
      'ttctl tasks list --project 5 --status in-progress --priority urgent',
    ]),
  )
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .addOption(flag(operation, 'status'))
    .addOption(flag(operation, 'priority'))
    .action(
      runOperation(door, operation, async ({ api, names, output, window }, values) => {
        await output.list(api.tasks.list(values).pages(window), {
          noun: task.words[1],
          columns: taskColumns(names),
        });
      }),
    );
