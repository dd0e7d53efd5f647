import { operations } from '../../api/operations.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { describeProject } from '../../resources/viewer/columns.ts';
import { viewer } from '../../resources/viewer.ts';
import { flag, variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.viewers.unassign;

export const viewersUnassign = defineCommand({
  path: 'viewers unassign',
  operation,
  examples: [
    'ttctl viewers unassign ana@example.com --project 5',
    'ttctl viewers unassign 17 18 --project 5 --yes',
  ],
  positionals: [variadic('viewer', 'ids, e-mail addresses or full names, or - to read them from stdin')],
  flags: [...targetFlags(operation), flag(operation, 'project_id', { as: 'project', lookup: 'project' })],
  run: async (context, { values, targets, options }) => {
    await writeMany(context, options, {
      targets,
      values,
      verb: ['unassign', 'unassigned'],
      noun: viewer.words,
      facts: describeProject(values),
      resolve: (target, among) => context.lookUps.find('viewer', target, among),
      call: (viewerId, row) => context.api.viewers.unassign({ ...row, viewerId }),
      hint: (viewers) =>
        `Undo with: ${context.commandLine`ttctl viewers assign ${viewers.slice(0, 5)} --project ${values.project_id ?? placeholder('project')}`}`,
    });
  },
});
