import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { placeholder } from '../../notation/shell-word.ts';
import { projectColumns } from '../../resources/project/columns.ts';
import { project as projectResource } from '../../resources/project.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.projects.create;

export const projectsCreate = (door: Door) =>
  targetOptions(
    operationCommand('create', operation, [
      'ttctl projects create --name "Harbour website" --deadline 2026-12-18 --estimation 320',
    ]),
  )
    .addOption(flag(operation, 'name'))
    .addOption(flag(operation, 'start_date'))
    .addOption(flag(operation, 'deadline'))
    .addOption(flag(operation, 'estimation'))
    .addOption(flag(operation, 'budget'))
    .addOption(flag(operation, 'notes'))
    .addOption(flag(operation, 'icon'))
    .action(
      runOperation(door, operation, async (context, values, _targets, options) => {
        const work: One<typeof values> = {
          verb: ['create', 'created'],
          noun: projectResource.words,
          values,
          call: (row) => context.api.projects.create(row),
          target: ({ name }) => name,
          columns: projectColumns(context.names),
          hint: ({ id }) =>
            `Put people on it with: ${context.commandLine`ttctl contracts create --project ${id ?? placeholder('project')} --member <member>`}`,
        };
        await one(context, work, options);
      }),
    );
