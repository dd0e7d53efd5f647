import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { wholeRecord } from '../../resources/display/columns.ts';
import { projectColumns } from '../../resources/project/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand } from '../command.ts';

const operation = operations.projects.get;

export const projectsGet = (door: Door) =>
  operationCommand('get', operation, ['ttctl projects get 17', 'ttctl projects get 17 --output json'])
    .argument('<project>', 'id or whole name')
    .action(
      runOperation(door, operation, async ({ api, lookUps, names, output }, values, [project = '']) => {
        const projectId = await lookUps.find('project', project);
        const { data } = await api.projects.get({ ...values, projectId }).send();
        const record = data as Row;
        await output.record(record, wholeRecord(record, projectColumns(names)));
      }),
    );
