import { operations } from '../../api/operations.ts';
import { projectColumns } from '../../resources/project/columns.ts';
import { project } from '../../resources/project.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.projects.list;

export const projectsList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl projects list',
      'ttctl projects list --name website --sort deadline',
    ]),
  )
    .addOption(flag(operation, 'name'))
    .action(
      runOperation(door, operation, async ({ api, names, output, window }, values) => {
        await output.list(api.projects.list(values).pages(window), {
          noun: project.words[1],
          columns: projectColumns(names),
        });
      }),
    );
