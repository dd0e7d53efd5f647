import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { projectColumns } from '../../resources/project/columns.ts';
import { project as projectResource } from '../../resources/project.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.projects.create;

export const projectsCreate = defineCommand({
  path: 'projects create',
  operation,
  examples: ['ttctl projects create --name "Harbour website" --deadline 2026-12-18 --estimation 320'],
  flags: [
    ...targetFlags(operation, 'this name'),
    flag(operation, 'name'),
    flag(operation, 'start_date'),
    flag(operation, 'deadline'),
    flag(operation, 'estimation'),
    flag(operation, 'budget'),
    flag(operation, 'notes'),
    flag(operation, 'icon'),
  ],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: projectResource.words,
      values,
      call: (_, row) => context.api.projects.create(row),
      target: ({ name }) => name,
      columns: projectColumns(context.names),
      hint: ({ id }) =>
        `Add members with: ${context.commandLine`ttctl contracts create --project ${id ?? placeholder('project')} --member <member>`}`,
    });
  },
});
