import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { project as projectResource } from '../../resources/project.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.projects.update;

export const projectsUpdate = (door: Door) =>
  targetOptions(
    operationCommand('update', operation, [
      'ttctl projects update 17 --deadline 2026-12-18',
      'ttctl projects update 17 --name "Harbour site" --estimation 400 --budget 31000',
    ]),
  )
    .argument('[project]', 'id or whole name')
    .addOption(flag(operation, 'name', { about: 'new name' }))
    .addOption(flag(operation, 'start_date'))
    .addOption(flag(operation, 'deadline'))
    .addOption(flag(operation, 'estimation'))
    .addOption(flag(operation, 'budget'))
    .addOption(flag(operation, 'notes'))
    .addOption(flag(operation, 'icon'))
    .action(
      runOperation(door, operation, async (context, values, [project], options) => {
        const work: One<typeof values> = {
          verb: ['update', 'updated'],
          noun: projectResource.words,
          values,
          record: {
            name: 'project',
            given: project,
            find: (text) => context.lookUps.find('project', text),
          },
          call: (row, projectId) => context.api.projects.update({ ...row, projectId }),
        };
        await one(context, work, options);
      }),
    );
