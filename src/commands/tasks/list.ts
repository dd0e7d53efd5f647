import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { taskColumns } from '../../resources/task/columns.ts';
import { task } from '../../resources/task.ts';
import { flag, listFlags } from '../flags.ts';

const operation = operations.tasks.list;

export const tasksList = defineCommand({
  path: 'tasks list',
  operation,
  examples: [
    'ttctl tasks list --project 5',
    'ttctl tasks list --project 5 --status in-progress --priority urgent',
  ],
  flags: [
    ...listFlags(operation),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    flag(operation, 'status'),
    flag(operation, 'priority'),
  ],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.tasks.list(values).pages(window), {
      noun: task.words[1],
      columns: taskColumns(names),
    });
  },
});
