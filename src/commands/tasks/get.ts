import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { createRecordColumns } from '../../resources/display/columns.ts';
import { taskColumns } from '../../resources/task/columns.ts';
import { flag, readFlags } from '../flags.ts';

const operation = operations.tasks.get;

export const tasksGet = defineCommand({
  path: 'tasks get',
  operation,
  examples: ['ttctl tasks get 17 --project 5'],
  positionals: [{ name: 'task', about: 'id of the task', required: true }],
  flags: [...readFlags(operation), flag(operation, 'project_id', { as: 'project', lookup: 'project' })],
  run: async ({ api, names, output }, { values, targets: [taskId = ''] }) => {
    const call = api.tasks.get({ ...values, taskId });
    call.check('written');
    const { data } = await call.send();
    const record = data as Row;
    await output.record(record, createRecordColumns(record, taskColumns(names)));
  },
});
