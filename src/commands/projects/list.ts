import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag, listFlags } from '../flags.ts';
import { projectColumns } from './columns.ts';

const operation = operations.projects.list;

export const projectsList = defineCommand({
  path: 'projects list',
  operation,
  examples: ['ttctl projects list', 'ttctl projects list --name website --sort deadline'],
  flags: [...listFlags(operation), flag(operation, 'name')],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.projects.list(values).pages(window), {
      noun: 'projects',
      columns: projectColumns(names),
    });
  },
});
