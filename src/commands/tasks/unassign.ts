import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { changeAssignees, memberFlag, peopleColumns } from './people.ts';

const operation = operations.tasks.unassign;

export const tasksUnassign = defineCommand({
  path: 'tasks unassign',
  operation,
  examples: [
    'ttctl tasks unassign 17 --project 5 --member ana@example.com',
    'ttctl tasks unassign 17 --project 5 --member 12 --member 15 --yes',
  ],
  input: peopleColumns,
  positionals: [{ name: 'task', about: 'id of the task', required: false }],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    memberFlag('member to unassign', 'assignee'),
  ],
  run: async (context, { values, targets: [task], options }) => {
    await changeAssignees(context, {
      verb: ['unassign', 'unassigned'],
      task,
      values,
      options,
      call: (ids, row) => context.api.tasks.unassign({ ...row, ...ids }),
    });
  },
});
