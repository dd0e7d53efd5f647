import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { project as projectResource } from '../../resources/project.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.projects.update;

export const projectsUpdate = defineCommand({
  path: 'projects update',
  operation,
  examples: [
    'ttctl projects update 17 --deadline 2026-12-18',
    'ttctl projects update 17 --name "Harbour site" --estimation 400 --budget 31000',
  ],
  positionals: [{ name: 'project', about: 'id or full name', required: false }],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'name', { about: 'new name' }),
    flag(operation, 'start_date'),
    flag(operation, 'deadline'),
    flag(operation, 'estimation'),
    flag(operation, 'budget'),
    flag(operation, 'notes'),
    flag(operation, 'icon'),
  ],
  run: async (context, { values, targets: [project], options }) => {
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: projectResource.words,
      values,
      record: { name: 'project', given: project },
      resolve: (text, among) => context.lookUps.find('project', text, among),
      call: (projectId, row) => context.api.projects.update({ ...row, projectId }),
    });
  },
});
