import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { wholeRecord } from '../../resources/display/columns.ts';
import { taskColumns } from '../../resources/task/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.tasks.get;

export const tasksGet = (door: Door) =>
  operationCommand('get', operation, ['ttctl tasks get 17 --project 5'])
    .argument('<task>', 'id of the task')
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .action(
      runOperation(door, operation, async ({ api, names, output }, values, [taskId = '']) => {
        const call = api.tasks.get({ ...values, taskId });
        call.check('written');
        const { data } = await call.send();
        const record = data as Row;
        await output.record(record, wholeRecord(record, taskColumns(names)));
      }),
    );
