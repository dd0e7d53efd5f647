import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { projectColumns } from '../../resources/project/columns.ts';
import { project } from '../../resources/project.ts';
import { flag, listFlags } from '../flags.ts';

const operation = operations.projects.list;

export const projectsList = defineCommand({
  path: 'projects list',
  operation,
  examples: ['ttctl projects list', 'ttctl projects list --name website --sort deadline'],
  flags: [...listFlags(operation), flag(operation, 'name')],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.projects.list(values).pages(window), {
      noun: project.words[1],
      columns: projectColumns(names),
    });
  },
});
