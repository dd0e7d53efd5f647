import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { createRecordColumns } from '../../resources/display/columns.ts';
import { projectColumns } from '../../resources/project/columns.ts';
import { readFlags } from '../flags.ts';

const operation = operations.projects.get;

export const projectsGet = defineCommand({
  path: 'projects get',
  operation,
  examples: ['ttctl projects get 17', 'ttctl projects get 17 --output json'],
  positionals: [{ name: 'project', about: 'id or full name', required: true }],
  flags: [...readFlags(operation)],
  run: async ({ api, lookUps, names, output }, { values, targets: [project = ''] }) => {
    const projectId = await lookUps.find('project', project);
    const { data } = await api.projects.get({ ...values, projectId }).send();
    const record = data as Row;
    await output.record(record, createRecordColumns(record, projectColumns(names)));
  },
});
