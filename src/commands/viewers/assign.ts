import { operations } from '../../api/operations.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { describeProject } from '../../resources/viewer/columns.ts';
import { viewer } from '../../resources/viewer.ts';
import { flag, variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.viewers.assign;

export const viewersAssign = defineCommand({
  path: 'viewers assign',
  operation,
  examples: [
    'ttctl viewers assign ana@example.com --project 5',
    'ttctl viewers assign 17 18 --project 5 --yes',
  ],
  positionals: [variadic('viewer', 'ids, e-mail addresses or full names, or - to read them from stdin')],
  flags: [...targetFlags(operation), flag(operation, 'project_id', { as: 'project', lookup: 'project' })],
  run: async (context, { values, targets, options }) => {
    await writeMany(context, options, {
      targets,
      values,
      verb: ['assign', 'assigned'],
      noun: viewer.words,
      facts: describeProject(values),
      resolve: (target, among) => context.lookUps.find('viewer', target, among),
      call: (viewerId, row) => context.api.viewers.assign({ ...row, viewerId }),
      hint: (viewers) => `See their projects: ${context.commandLine`ttctl viewers get ${viewers[0]}`}`,
    });
  },
});
